/** A log that leaves a writer in the dark: the answer to an append is lost, after or before the records were written. */
import { OperationError } from '../../../infra/errors.ts'
import type { Log, LogWriter } from '../../../infra/log/log.ts'

export type Fate = 'told' | 'written' | 'not written'

/** Appends have the fates in order, which may grow meanwhile; then they are told. */
export function createUnsureLog(log: Log, fates: Fate[]): Log {
  const unsure = (writer: LogWriter): LogWriter => ({
    ...writer,
    append: async (records) => {
      const fate = fates.shift() ?? 'told'
      if (fate !== 'not written') await writer.append(records)
      if (fate !== 'told') throw new OperationError('log_unavailable', 'the answer was lost')
    },
    reopen: async () => unsure(await writer.reopen()),
  })
  return { ...log, openWriter: async (writerId, options) => unsure(await log.openWriter(writerId, options)) }
}
