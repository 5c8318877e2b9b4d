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
   * The event time in epoch ms: the time of the block, slot or post. For a late fact of chain B, its `lateAtMs`. For a
   * derived record, the time of its row. Null if it is unknown.
   */
  eventAt: number | null
  /**
   * The time at which the service knew the record, in epoch ms. For a derived record, the time at which it knew the
   * facts from which the record was computed.
   */
  knownAt: number
  /**
   * The time at which the record was written to the log, in epoch ms. Nobody could read the record earlier. It is later
   * than `knownAt` if the service was behind.
   */
  publishedAt: number
  /**
   * True if no later reorg can change the record. For this, its block must be at least as far from the newest
   * block of the log as the deepest reorg reaches. An earlier reorg may have replaced the record. Only ticks
   * and the records `Withdrawn` and `Restated` show this.
   */
  isFinal: boolean
}>

type Replayed<Topic, Event> = Event extends unknown
  ? Readonly<{ topic: Topic }> & Event & RecordPlace & RecordTimes
  : never

/** A record of any topic and type. Comparing `topic` and `type` narrows its TypeScript type. */
export type ReplayedRecord = {
  [Topic in keyof TopicEvents]: Replayed<Topic, TopicEvents[Topic]>
}[keyof TopicEvents]

export type ReplayedType = ReplayedRecord['type']

/** Converts a record's data to JSON, with exact integers as text. */
export function jsonOf(data: object): string {
  const flat: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    // A replacer function would make `JSON.stringify` slow: it would take as long as the rest of a replay.
    // Records without nested values need no such function.
    if (typeof value === 'object' && value !== null) return deepJsonOf(data)
    flat[name] = typeof value === 'bigint' ? value.toString() : value
  }
  return JSON.stringify(flat)
}

const deepJsonOf = (data: object): string =>
  JSON.stringify(data, (_, field) => (typeof field === 'bigint' ? field.toString() : field))

/**
 * The text that is hashed for a record. The fields of `dataJson` are in schema order. The text contains no
 * offset and no publication time, because they differ between logs with the same records. The text also lacks
 * `isFinal`, because `isFinal` changes while the chain grows.
 */
export const canonicalText = ({ topic, partition, key, knownAt, type }: ReplayedRecord, dataJson: string): string =>
  `["${topic}",${partition},${JSON.stringify(key)},${knownAt},"${type}",${dataJson}]`

/** The record as one line of JSON. */
export function lineOf({ data: _, ...head }: ReplayedRecord, dataJson: string): string {
  const text = JSON.stringify(head)
  return `${text.slice(0, -1)},"data":${dataJson}}`
}
