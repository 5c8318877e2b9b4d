import type { Log, LogOffset, LogWriter, NewRecord } from '../../../infra/log/log.ts'
import type { Effects } from '../effects/effects.ts'

/** Functions that name the effects of calls. Null: the call is not an effect. */
type Named = Readonly<{
  openWriter?: (writerId: string) => string | null
  reopen?: () => string | null
  append?: (records: readonly NewRecord[], writerId: string) => string | null
  read?: (from: LogOffset) => string | null
}>

/** Returns a copy of the log whose calls are recorded as effects. */
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
