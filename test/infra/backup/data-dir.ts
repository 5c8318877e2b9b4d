/** Makes a small data directory with everything that a service keeps in it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import { keptSecret } from '../../../infra/data-dir/secrets.ts'
import { copyEmbeddedLog } from '../../../infra/log/embedded/copy-embedded-log.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { fact } from '../../contracts/log-contract.ts'

export async function fillDataDir(dataDir: string): Promise<void> {
  await (await lockDataDir(dataDir)).release()
  const log = await createEmbeddedLog({ dataDir, nowMs: () => Date.UTC(2026, 0, 1) })
  const registry = await createEmbeddedRegistry({ dataDir })
  await (await log.openWriter('w')).append([fact(0, 'a'), { ...fact(0, 'paid'), topic: 'payments' }])
  await log.close()
  await registry.close()
  await keptSecret(dataDir, 'stream-passes')
  for (const [folder, name] of [
    ['chats', 'positions.json'],
    ['facilitators', 'one.json'],
    ['clickhouse/store', 'part.bin'],
    ['clickhouse-set-aside', 'part.bin'],
    ['readers', '1-2'],
  ] as const) {
    await mkdir(join(dataDir, folder), { recursive: true })
    await writeFile(join(dataDir, folder, name), `${folder}/${name}`)
  }
}

export const copierOf =
  (dataDir: string) =>
  (target: string, signal: AbortSignal): Promise<void> =>
    copyEmbeddedLog(dataDir, target, signal)
