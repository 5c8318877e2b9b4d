/**
 * A job of a child process. One append commits, and the process dies during the second append, with its
 * transaction open.
 */
import { armCrashPoint } from '../../../infra/crash-points.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import type { NewRecord } from '../../../infra/log/log.ts'

export type TransactionalWriter = 'ingest' | 'stage'

/** The records of one append, by kind of writer. */
export const transactionOf = (kind: TransactionalWriter, value: string): readonly NewRecord[] =>
  kind === 'ingest'
    ? [0, 1, 2, 3].map((partition) => ({ topic: 'chain-a-facts', partition, key: 'k', value: Buffer.from(value) }))
    : [{ topic: 'chain-a-derived', partition: 1, key: 'k', value: Buffer.from(value) }]

const writerIds = { ingest: 'ingest-chain-a', stage: 'stage-chain-a-1' } as const

export async function dieInTransaction(dataDir: string, kind: TransactionalWriter): Promise<void> {
  const log = await createEmbeddedLog({ dataDir, nowMs: () => 0 })
  const writer = await log.openWriter(writerIds[kind])
  await writer.append(transactionOf(kind, 'stays'))
  armCrashPoint('log-before-commit', 1)
  await writer.append(transactionOf(kind, 'is cut off'))
}
