import type { Log, LogOffset, LogWriter, NewRecord } from '../../../infra/log/log.ts'
import type { Effects } from '../effects/effects.ts'

/** Each function names the effect of a call. Null: the call is no effect. */
type Named = Readonly<{
  openWriter?: (writerId: string) => string | null
  reopen?: () => string | null
  append?: (records: readonly NewRecord[], writerId: string) => string | null
  read?: (from: LogOffset) => string | null
}>

/** Returns the log, with its calls recorded as effects. */
export function recordedLog(log: Log, effects: Effects, named: Named): Log {
  const { openWriter = () => null, reopen = () => null, append = () => null, read = () => null } = named
  const recordedWriter = (writer: LogWriter, writerId: string): LogWriter => {
    const recorded = effects.around(writer, { append: (records) => append(records, writerId), reopen })
    return { ...recorded, reopen: async () => recordedWriter(await recorded.reopen(), writerId) }
  }
  const recorded = effects.around(log, { openWriter, read })
  return {
    ...recorded,
    openWriter: async (writerId, options) => recordedWriter(await recorded.openWriter(writerId, options), writerId),
  }
}
