/** A record of the log as a replay returns it. */
import type { EventOf } from '../../schemas/avro.ts'
import type { chainADerivedSchemas } from '../../schemas/chain-a/derived.ts'
import type { chainAFactSchemas } from '../../schemas/chain-a/facts.ts'
import type { chainBDerivedSchemas } from '../../schemas/chain-b/derived.ts'
import type { chainBFactSchemas } from '../../schemas/chain-b/facts.ts'

/** The record types of each replayed topic. */
type TopicEvents = Readonly<{
  'chain-a-facts': EventOf<typeof chainAFactSchemas>
  'chain-a-derived': EventOf<typeof chainADerivedSchemas>
  'chain-b-facts': EventOf<typeof chainBFactSchemas>
  'chain-b-derived': EventOf<typeof chainBDerivedSchemas>
}>

type RecordPlace = Readonly<{ key: string; partition: number; offset: number }>

type RecordTimes = Readonly<{
  /**
   * When it happened, epoch ms: block, slot or post time, or for a derived record the instant of its row. Null if it is
   * unknown.
   */
  eventAt: number | null
  /** When the service knew it, epoch ms. */
  knownAt: number
  /** When it was written to the log, epoch ms. Later than `knownAt` if the service was behind. */
  publishedAt: number
  /**
   * True if its block is deeper below the newest block of the log than the deepest reorg, so that no later reorg
   * changes it. It says nothing about reorgs that followed it: those show in their ticks and in the records `Withdrawn`
   * and `Restated`.
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

/** Converts to JSON, with exact integers as text. */
export function jsonOf(data: object): string {
  const flat: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    // A replacer function that sees every field takes as long as the rest of a replay, and most records need none.
    if (typeof value === 'object' && value !== null) return deepJsonOf(data)
    flat[name] = typeof value === 'bigint' ? value.toString() : value
  }
  return JSON.stringify(flat)
}

const deepJsonOf = (data: object): string =>
  JSON.stringify(data, (_, field) => (typeof field === 'bigint' ? field.toString() : field))

/**
 * The bytes that are hashed, given the JSON of the data, whose fields are in schema order. Offsets and publication time
 * are excluded, because they differ between logs with the same records. So is `isFinal`, which changes while the chain
 * grows.
 */
export const canonicalText = ({ topic, partition, key, knownAt, type }: ReplayedRecord, dataJson: string): string =>
  `["${topic}",${partition},${JSON.stringify(key)},${knownAt},"${type}",${dataJson}]`

/** The record as one line. */
export function lineOf({ data: _, ...head }: ReplayedRecord, dataJson: string): string {
  const text = JSON.stringify(head)
  return `${text.slice(0, -1)},"data":${dataJson}}`
}
