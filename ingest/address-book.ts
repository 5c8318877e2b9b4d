/**
 * The address book of a chain: the addresses that ingest follows, such as pools and curves. It keeps the
 * entries in memory, and stores them as records of a compacted topic. Entries expire by block time.
 */
import assert from 'node:assert/strict'
import type { SchemaCodec } from '../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../infra/log/log.ts'
import { scan } from '../infra/log/scan.ts'
import type { EpochMs } from '../schemas/units.ts'
import type { ChainDefinition } from './chain.ts'
import { createFollowedTokens } from './followed-tokens.ts'
import type { ChainTypes, FactRange } from './source.ts'

export type AddressBook<Types extends ChainTypes = ChainTypes> = Readonly<{
  known: Types['known']
  /**
   * Reads the records of tokens that were called in chats, until the signal aborts. Other programs write
   * these records.
   */
  followCalls(signal: AbortSignal): Promise<void>
  /**
   * Returns the records to append for a range: its new entries, and the removal of its stale and expired
   * entries. Entries expire at block time `doneAtMs`. If a range has no new and no stale entries, expired
   * entries are removed only when there are at least 256. Call `remember` when the append is durable.
   */
  changes(
    range: Pick<FactRange<Types>, 'newAddresses' | 'staleAddresses'>,
    doneAtMs: EpochMs,
  ): AddressChanges<Types['address']>
  /** The records that add removed entries to the topic again. Empty if `believesRemovals` is true. */
  restored: readonly NewRecord[]
  /** Returns the records that remove every entry. */
  emptied(): AddressChanges<Types['address']>
  remember(changes: Pick<AddressChanges<Types['address']>, 'added' | 'removed'>): void
}>

type AddressChanges<Address> = Readonly<{
  added: readonly Address[]
  removed: readonly string[]
  records: readonly NewRecord[]
}>

type BookOf<Types extends ChainTypes> = Pick<ChainDefinition<Types>, 'stage' | 'addressBook'> &
  Readonly<{ believesRemovals?: boolean }>

const topic = 'addresses'
const partition = 0
const expiredAloneMin = 256

/**
 * Reads the entries of this chain from the log. Entries of other chains are skipped and never removed. `believesRemovals` is false if the
 * last block of the log has a time in the future. Ingest may then have removed entries too early. So removed entries are kept, and expire
 * later by correct block times.
 */
export async function loadAddressBook<Types extends ChainTypes>(
  log: Log,
  codec: SchemaCodec<Types['address']>,
  { stage, addressBook, believesRemovals = true }: BookOf<Types>,
): Promise<AddressBook<Types>> {
  const { keyPrefix, keyOf, createMaps } = addressBook
  const followed = createFollowedTokens(stage.name, codec)
  const maps = createMaps(followed)
  /**
   * The encoded entries by key, and the keys of entries whose removal is not believed. Both are empty if
   * `believesRemovals` is true.
   */
  const values = new Map<string, Buffer>()
  const unbelieved = new Set<string>()
  const { startOffset } = await log.bounds(topic, partition)
  const loadedOffset = await scan({ log, topic, partition, codec }, startOffset, ({ key, value }) => {
    followed.note(key, value)
    if (prefixOf(key) !== keyPrefix) return undefined
    unbelieved.delete(key)
    if (value) maps.put(codec.decode(value))
    else if (believesRemovals) maps.drop(key.slice(keyPrefix.length))
    else unbelieved.add(key)
    if (value && !believesRemovals) values.set(key, value)
    return undefined
  })
  // Adds the entries in their original order, because a position can be loaded only after its pool.
  const restored = [...values].flatMap(([key, value]) =>
    unbelieved.has(key) ? [{ topic, partition, key, value }] : [],
  )
  const keyOnTopic = (key: string): string => {
    assert.equal(prefixOf(keyPrefix + key), keyPrefix, 'an address key must be found again by its prefix')
    return keyPrefix + key
  }
  const removalOf = (key: string): NewRecord => ({ topic, partition, key: keyOnTopic(key), value: null })

  return {
    known: maps.known,
    async followCalls(signal) {
      let offset = loadedOffset
      while (!signal.aborted) {
        offset = await scan({ log, topic, partition, codec }, offset, ({ key, value }) => {
          followed.note(key, value)
          return undefined
        })
        await log.waitForAppend({ topic, partition, offset }, signal)
      }
    },
    changes({ newAddresses: added, staleAddresses: stale = [] }, doneAtMs) {
      const expired = maps.expired(doneAtMs)
      const isDue = added.length + stale.length > 0 || expired.length >= expiredAloneMin
      const removed = isDue ? [...stale, ...expired] : []
      const records = [
        ...removed.map(removalOf),
        ...added.map((record) => {
          const value = codec.encode(record.type, record.data)
          return { topic, partition, key: keyOnTopic(keyOf(record)), value } as const
        }),
      ]
      return { added, removed, records }
    },
    restored,
    emptied() {
      const removed = maps.expired(Number.POSITIVE_INFINITY)
      return { added: [], removed, records: removed.map(removalOf) }
    },
    remember({ added, removed }) {
      for (const key of removed) maps.drop(key)
      for (const record of added) maps.put(record)
    },
  }
}

/** The prefix of a key: the text up to and including the first slash, or an empty text without a slash. */
const prefixOf = (key: string): string => key.slice(0, key.indexOf('/') + 1)
