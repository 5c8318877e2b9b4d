/** A chain's address book: in memory, and its records on the compacted topic. Entries past their life are removed. */
import assert from 'node:assert/strict'
import type { SchemaCodec } from '../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../infra/log/log.ts'
import { scan } from '../infra/log/scan.ts'
import type { ChainDefinition } from './chain.ts'
import { createFollowedTokens } from './followed-tokens.ts'
import type { ChainTypes, FactRange } from './source.ts'

export type AddressBook<Types extends ChainTypes = ChainTypes> = Readonly<{
  known: Types['known']
  /** Reads which tokens were called, for as long as the signal does not abort: others write that. */
  followCalls(signal: AbortSignal): Promise<void>
  /**
   * What to append for a range: its new entries, and the removal of those that are stale or past their life at the
   * block time. Fewer than 256 expired entries wait until a range has other changes. Call `remember` once the append is
   * durable.
   */
  changes(
    range: Pick<FactRange<Types>, 'newAddresses' | 'staleAddresses'>,
    doneAtMs: number,
  ): AddressChanges<Types['address']>
  /** What to append to hold the entries again whose removal was not believed. */
  restored: readonly NewRecord[]
  /** What to append to empty the book. */
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
 * Reads the chain's own entries from the log. Those of other chains are skipped and never removed. `believesRemovals` false: by
 * the time of a wrong block every entry was past its life, so what was removed is held until it expires by a right one.
 */
export async function loadAddressBook<Types extends ChainTypes>(
  log: Log,
  codec: SchemaCodec<Types['address']>,
  { stage, addressBook, believesRemovals = true }: BookOf<Types>,
): Promise<AddressBook<Types>> {
  const { keyPrefix, keyOf, createMaps } = addressBook
  const followed = createFollowedTokens(stage.name, codec)
  const maps = createMaps(followed)
  /** Both are empty where removals are believed. */
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
  // In their first order: a pool stands before its positions.
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

/** Up to and with the first slash; empty without one. */
const prefixOf = (key: string): string => key.slice(0, key.indexOf('/') + 1)
