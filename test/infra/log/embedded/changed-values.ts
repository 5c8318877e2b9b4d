/** Changes stored values of the embedded log without using the log. */
import { join, relative } from 'node:path'
import { type Environment, loadLmdb } from '../../../../infra/data-dir/lmdb.ts'
import { environmentsIn } from './log-of-before.ts'

export function flipBit(bytes: Buffer, bit: number): Buffer {
  const at = Math.floor(bit / 8) % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8))
  return bytes
}

/** Changes one value in any environment of the log. Returns a function that undoes the change. */
export async function changeOne(dataDir: string, place: number, change: (value: Buffer) => Buffer) {
  const folders = environmentsIn(dataDir)
  const folder = folders[place % folders.length] as string
  return changeAll(dataDir, relative(dataDir, folder), (values) => {
    const keys = [...values.keys()]
    const key = keys[Math.floor(place / folders.length) % keys.length] as string
    return { [key]: change(Buffer.from(values.get(key) as Buffer)) }
  })
}

export type Change = (values: ReadonlyMap<string, Buffer>) => Readonly<Record<string, Buffer | null>>

export const changeMain = (dataDir: string, change: Change) => changeAll(dataDir, 'log/main', change)

/** Sets the values of some keys. The keys are JSON texts. The value null removes a key. */
export async function changeAll(dataDir: string, folder: string, change: Change): Promise<() => Promise<unknown>> {
  const environment = (await loadLmdb(dataDir))(join(dataDir, folder))
  const before = valuesOfAll(environment)
  const changed = change(before)
  environment.transactionSync(() => {
    for (const [key, value] of Object.entries(changed))
      if (value === null) environment.removeSync(JSON.parse(key))
      else environment.putSync(JSON.parse(key), value)
  })
  await environment.close()
  return () =>
    changeAll(dataDir, folder, () =>
      Object.fromEntries(Object.keys(changed).map((key) => [key, before.get(key) ?? null])),
    )
}

export async function valuesIn(dataDir: string, folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const environment = (await loadLmdb(dataDir))(join(dataDir, folder))
  const values = valuesOfAll(environment)
  await environment.close()
  return values
}

const valuesOfAll = (environment: Environment): ReadonlyMap<string, Buffer> =>
  new Map([...environment.getRange({})].map(({ key, value }) => [JSON.stringify(key), Buffer.from(value)]))
