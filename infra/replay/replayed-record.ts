/** A record of the log as a replay gives it. */
import type { EventOf } from '../../schemas/avro.ts'
import type { chainADerivedSchemas } from '../../schemas/chain-a/derived.ts'
import type { chainAFactSchemas } from '../../schemas/chain-a/facts.ts'
import type { chainBDerivedSchemas } from '../../schemas/chain-b/derived.ts'
import type { chainBFactSchemas } from '../../schemas/chain-b/facts.ts'

/** The records of each topic that is replayed. */
type TopicEvents = Readonly<{
  'chain-a-facts': EventOf<typeof chainAFactSchemas>
  'chain-a-derived': EventOf<typeof chainADerivedSchemas>
  'chain-b-facts': EventOf<typeof chainBFactSchemas>
  'chain-b-derived': EventOf<typeof chainBDerivedSchemas>
}>

type RecordPlace = Readonly<{ key: string; partition: number; offset: number }>

type RecordTimes = Readonly<{
  /** When it happened, epoch ms: block, slot or post time; of a derived record the instant of its row. Null: not known. */
  eventAt: number | null
  /** When the service knew it, epoch ms. */
  knownAt: number
  /** When it was written to the log, epoch ms: later than `knownAt` when the service was behind. */
  publishedAt: number
  /**
   * True if its block is deeper than the deepest reorg below the newest block of the log, so that no reorg to come
   * changes it. It says nothing of reorgs that followed it: their ticks and the records `Withdrawn` and `Restated` do.
   */
  isFinal: boolean
}>

type Replayed<Topic, Event> = Event extends unknown
  ? Readonly<{ topic: Topic }> & Event & RecordPlace & RecordTimes
  : never

/** Narrow it by `topic` and `type`. */
export type ReplayedRecord = {
  [Topic in keyof TopicEvents]: Replayed<Topic, TopicEvents[Topic]>
}[keyof TopicEvents]

export type ReplayedType = ReplayedRecord['type']

/** Exact integers as text. */
export function jsonOf(data: object): string {
  const flat: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    // A function that sees every field takes as long as all else of a replay. Most records need none.
    if (typeof value === 'object' && value !== null) return deepJsonOf(data)
    flat[name] = typeof value === 'bigint' ? value.toString() : value
  }
  return JSON.stringify(flat)
}

const deepJsonOf = (data: object): string =>
  JSON.stringify(data, (_, field) => (typeof field === 'bigint' ? field.toString() : field))

/**
 * The bytes that are hashed, given the JSON of the data, whose fields stand in the order of the schema. Offsets and
 * publication time are not in them: they differ between logs with the same records. Neither is `isFinal`, which changes
 * while the chain goes on.
 */
export const canonicalText = ({ topic, partition, key, knownAt, type }: ReplayedRecord, dataJson: string): string =>
  `["${topic}",${partition},${JSON.stringify(key)},${knownAt},"${type}",${dataJson}]`

/** The record in one line. */
export function lineOf({ data: _, ...head }: ReplayedRecord, dataJson: string): string {
  const text = JSON.stringify(head)
  return `${text.slice(0, -1)},"data":${dataJson}}`
}
