/** Wraps a log so that answers to appends are lost, before or after the records are written. */
import { OperationError } from '../../../infra/errors.ts'
import type { Log, LogWriter } from '../../../infra/log/log.ts'

export type Fate = 'told' | 'written' | 'not written'

/**
 * Creates the log. Each append takes the next entry of `fates`, and tests can add entries later. Without an
 * entry, the records are written and the append resolves.
 */
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
