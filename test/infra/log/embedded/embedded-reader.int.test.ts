import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Environment, loadLmdb } from '../../../../infra/data-dir/lmdb.ts'
import { createEmbeddedLog, type EmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { fact, valuesOf } from '../../../contracts/log-contract.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startAtMs = Date.UTC(2026, 0, 1, 12)
const partitions = [0, 1, 2, 3]

describe('the embedded log, read by another process', () => {
  let dataDir: string
  let nowMs: number
  let log: EmbeddedLog
  let children: ChildProcess[]
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'beside-'))
    nowMs = startAtMs
    log = await createEmbeddedLog({ dataDir, nowMs: () => nowMs })
    children = []
  })
  afterEach(async () => {
    for (const child of children) await killed(child)
    await log.close()
    rmSync(dataDir, { recursive: true })
  })

  const startReader = () => {
    const script = fileURLToPath(new URL('./beside-reader.ts', import.meta.url))
    const child = spawn(process.execPath, [runTypeScript, script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    return { child, hasRead: readingOf(child) }
  }

  it('gives it all records in order while they are appended and retention runs', async () => {
    const writer = await log.openWriter('w')
    const written = partitions.map((): string[] => [])
    const append = async (round: number) => {
      const records = partitions.flatMap((partition) =>
        Array.from({ length: 1 + ((round + partition) % 3) }, (_, index) => fact(partition, `${round}/${index}`)),
      )
      await writer.append(records)
      for (const { partition, value } of records) written[partition]?.push(`${value}`)
    }
    for (let round = 0; round < 50; round++) await append(round)
    const { hasRead } = startReader()
    await hasRead(written)
    // During these rounds, the clock moves to 04:00 of day 9. Without the reader, the first day would be
    // removed.
    for (let round = 50; round < 250; round++) {
      nowMs += (7 * dayMs + 16 * hourMs) / 200
      await append(round)
      if (round % 20 === 0) await log.maintain(nowMs)
    }
    await log.maintain(nowMs)
    await hasRead(written)
    expect(readdirSync(join(dataDir, 'log/chain-a-facts'))).to.include('2026-01-01')
  })

  it('is healthy after the reader was killed, and retention goes on', async () => {
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'old')])
    // The environment is opened before the reader dies, because opening clears the slots of dead readers.
    const main = (await loadLmdb(dataDir))(join(dataDir, 'log/main'))
    const { child, hasRead } = startReader()
    await hasRead([['old'], [], [], []])
    nowMs += 7 * dayMs + 16 * hourMs
    await writer.append([fact(0, 'new')])
    await log.maintain(nowMs)
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['old', 'new'])
    expect(readersOf(main)).to.include(child.pid)
    await killed(child)
    await log.maintain(nowMs)
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['new'])
    expect(readersOf(main)).to.not.include(child.pid)
    expect(readdirSync(join(dataDir, 'readers'))).to.deep.equal([])
    expect(existsSync(join(dataDir, 'log/chain-a-facts/2026-01-01'))).to.equal(false)
    await writer.append([fact(0, 'next')])
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['new', 'next'])
    await main.close()
  })
})

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
}

/** Returns a function that resolves as soon as the reader has printed exactly these values, by partition. */
function readingOf(child: ChildProcess) {
  const read: string[][] = partitions.map(() => [])
  let onLine = () => {}
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const [partition = '', offset, value = ''] = line.split(' ')
    const values = read[Number(partition)] as string[]
    expect(Number(offset), 'no offset is left out').to.equal(values.length)
    values.push(value)
    onLine()
  })
  return async (written: readonly (readonly string[])[]) => {
    const count = () => read.flat().length
    const due = written.flat().length
    await new Promise<void>((resolve, reject) => {
      onLine = () => (count() >= due ? resolve() : undefined)
      child.once('close', (code, signal) => reject(new Error(`the reader ended with ${code ?? signal}`)))
      onLine()
    })
    expect(read).to.deep.equal(written)
  }
}

/** Returns the ids of the processes that have a slot in the reader table of an environment. */
const readersOf = (environment: Environment): readonly number[] =>
  [...environment.readerList().matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid))
