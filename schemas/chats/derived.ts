/**
 * The derived records of the chats. They do not contain texts of posts. Topic `chats-derived`, keyed by chat.
 */
import { type AvroValue, type EventOf, enumOf, nullable, recordOf } from '../avro.ts'
import { epochMs } from '../flavors.ts'
import { tick } from '../tick.ts'
import { botCards, chatGapReasons } from './facts.ts'

/** A time span in which posts of the chat are missing, or ingest read them late. */
const chatGap = recordOf('ChatGap', [
  { name: 'fromAtMs', type: epochMs },
  { name: 'toAtMs', type: epochMs },
  { name: 'reason', type: enumOf('ChatGapReason', chatGapReasons) },
])

/** The number of posts by scanner bots in a time span, and how many of these posts could not be parsed. */
const cardCount = recordOf('CardCount', [
  { name: 'fromAtMs', type: epochMs },
  { name: 'toAtMs', type: epochMs },
  { name: 'bots', type: botCards },
])

const rowKey = [
  { name: 'recordType', type: 'string' },
  { name: 'atMs', type: epochMs },
] as const

const withdrawn = recordOf('Withdrawn', [...rowKey])
const restated = recordOf('Restated', [...rowKey, { name: 'supersedesAtMs', type: nullable(epochMs) }])

export const chatDerivedSchemas = {
  ChatGap: chatGap,
  CardCount: cardCount,
  Withdrawn: withdrawn,
  Restated: restated,
  Tick: tick,
} as const

export type ChatGap = AvroValue<typeof chatGap>
export type CardCount = AvroValue<typeof cardCount>
export type ChatDerived = Exclude<EventOf<typeof chatDerivedSchemas>, { type: 'Tick' | 'Withdrawn' | 'Restated' }>
export type ChatRowKey = AvroValue<typeof withdrawn>

export const rowKeyOf = ({ type: recordType, data }: ChatDerived): ChatRowKey => ({ recordType, atMs: data.fromAtMs })
