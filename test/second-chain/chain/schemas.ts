/**
 * Defines the records of a second chain, which differs from chain A as much as possible. The chain has slots
 * instead of blocks, case-sensitive base58 addresses, and no price. In the service, this code would be in
 * `schemas/<chain>/`, with two topics in `schemas/topics.ts`.
 */
import { type AvroValue, type EventOf, hex, integer, nullable, recordOf } from '../../../schemas/avro.ts'
import type { RowKey, Stage } from '../../../schemas/stage.ts'
import { tick } from '../../../schemas/tick.ts'
import { type Topic, topics } from '../../../schemas/topics.ts'

const dayMs = 86_400_000

/** The time after its creation at which the processor forgets a mint, in milliseconds. */
export const mintLifeMs = dayMs

/** The fields that give the slot of a fact and the position of the fact in the slot. */
const slotPlace = [
  { name: 'slot', type: 'long' },
  { name: 'slotHash', type: hex },
  { name: 'slotAtMs', type: 'long' },
  { name: 'index', type: 'int' },
] as const

/** A token was created. The address of the token is called mint, and is the key of its records. */
const minted = recordOf('Minted', [...slotPlace, { name: 'creator', type: 'string' }])
const bought = recordOf('Bought', [
  ...slotPlace,
  { name: 'buyer', type: 'string' },
  { name: 'lamports', type: integer },
])

/**
 * Three different buyers have bought. `lamports` is the sum of all buys until the end of the slot in which
 * the third buyer bought.
 */
const rush = recordOf('Rush', [
  { name: 'atMs', type: 'long' },
  { name: 'slot', type: 'long' },
  { name: 'creator', type: 'string' },
  { name: 'lamports', type: integer },
])

/** The key of a row. A mint has at most one row of each type per point in time. */
const rowKey = [
  { name: 'recordType', type: 'string' },
  { name: 'atMs', type: 'long' },
] as const
const withdrawn = recordOf('Withdrawn', rowKey)
const restated = recordOf('Restated', [...rowKey, { name: 'supersedesAtMs', type: nullable('long') }])

/** An entry of the address book. Ingest records only the trades of mints in the address book. */
const mintAddress = recordOf('MintAddress', [
  { name: 'mint', type: 'string' },
  { name: 'slot', type: 'long' },
  { name: 'mintedAtMs', type: 'long' },
])

const factSchemas = { Minted: minted, Bought: bought, Tick: tick } as const
const derivedSchemas = { Rush: rush, Withdrawn: withdrawn, Restated: restated, Tick: tick } as const
const addressSchemas = { MintAddress: mintAddress } as const

export type Rush = AvroValue<typeof rush>
export type MintAddress = EventOf<typeof addressSchemas>
export type SecondTypes = Readonly<{
  fact: Exclude<EventOf<typeof factSchemas>, { type: 'Tick' }>
  answer: never
  derived: Extract<EventOf<typeof derivedSchemas>, { type: 'Rush' }>
  key: RowKey
}>

const topicOf = (name: string, writer: string, schemas: Topic['schemas']): Topic => ({
  ...{ name, writer, schemas, key: 'mint, base58', partitionCount: 2, retentionMs: 7 * dayMs },
  ...{ isCompacted: false, isExportable: true },
})

export const secondStage: Stage<SecondTypes> = {
  name: 'second',
  factTopic: topicOf('second-facts', 'ingest', factSchemas),
  derivedTopic: topicOf('second-derived', 'stage second', derivedSchemas),
  rulesVersion: 'second 1',
  isAnswer: () => false,
  blockNumberOf: ({ data }) => data.slot,
  blockOf: ({ data }) => ({ number: data.slot, hash: data.slotHash, atMs: data.slotAtMs }),
  rowKeyOf: ({ type, data }) => ({ recordType: type, atMs: data.atMs }),
  rowNameOf: () => '',
  movableTypes: ['Rush'],
}

/** The topics of a service with both chains. New topics come last, because a new log numbers the schemas in this order. */
export const bothTopics = {
  ...topics,
  addresses: { ...topics.addresses, schemas: { ...topics.addresses.schemas, ...addressSchemas } },
  'second-facts': secondStage.factTopic,
  'second-derived': secondStage.derivedTopic,
}
