/** A log that loses answers to appends, before or after it writes the records. */
import { OperationError } from '../../../infra/errors.ts'
import type { Log, LogWriter } from '../../../infra/log/log.ts'

export type Fate = 'told' | 'written' | 'not written'

/** Appends take the fates in order. Tests can add fates later. Without a fate, an append gets its answer. */
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
