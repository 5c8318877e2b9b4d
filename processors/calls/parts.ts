/** The parts that the processor of calls of a chain is made of. */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type { CallAnswer } from '../../schemas/calls/facts.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import type { Watching, WatchRecord } from './watching.ts'

/** A record that the processor emits on every chain. */
export type CallsRecord = WatchRecord | Readonly<{ type: 'CallScored'; data: CallScored }>

/** The types of a stage whose log has mentions and prices, and whose derived records have calls. */
export type CallsTypes = StageTypes & Readonly<{ answer: CallAnswer; derived: CallsRecord }>

export type CallsParts<Watch, Types extends StageTypes> = Readonly<{
  watching: Watching<Watch>
  /** The tier of a burst, as `triggered` names it. Null: the record is no burst. */
  burstOf(record: Types['derived']): Readonly<{ tier: string; atMs: number }> | null
}>
