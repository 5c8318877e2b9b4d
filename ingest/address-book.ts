/** Which token an address belongs to, in memory and on the compacted topic; what is past its life is forgotten. */

import type { SchemaCodec } from '../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../infra/log/log.ts'
import { scan } from '../infra/log/scan.ts'
import type { ChainAAddress } from '../schemas/chain-a/addresses.ts'
import { createAddressMaps } from './chain-a/address-maps.ts'
import type { FactRange, KnownAddresses } from './source.ts'

export type AddressBook = Readonly<{
  known: KnownAddresses
  /**
   * What to append for this range: its new addresses, and the removal of those that do not hold any more or were past
   * their life at the block time. Few of the latter alone are left for the next time. Call `remember` once it is durable.
   */
  changes(range: Pick<FactRange, 'newAddresses' | 'staleAddresses'>, doneAtMs: number): AddressChanges
  /** What to append so that the book is empty. */
  emptied(): AddressChanges
  remember(changes: AddressChanges): void
}>

type AddressChanges = Readonly<{
  added: readonly ChainAAddress[]
  removed: readonly string[]
  records: readonly NewRecord[]
}>

const topic = 'addresses'
const partition = 0
const removalsAlone = 256

/** The book as the log holds it. */
export async function loadAddressBook(log: Log, codec: SchemaCodec<ChainAAddress>): Promise<AddressBook> {
  const maps = createAddressMaps()
  const { startOffset } = await log.bounds(topic, partition)
  await scan({ log, topic, partition, codec }, startOffset, ({ key, value }) => {
    if (value) maps.put(codec.decode(value))
    else maps.drop(key)
    return undefined
  })

  return {
    known: maps.known,
    changes({ newAddresses: added, staleAddresses: stale = [] }, doneAtMs) {
      const expired = maps.expired(doneAtMs)
      const isWorthIt = added.length + stale.length > 0 || expired.length >= removalsAlone
      const removed = isWorthIt ? [...stale, ...expired] : []
      const records = [
        ...removed.map(removalOf),
        ...added.map((record) => {
          const value = codec.encode(record.type, record.data)
          return { topic, partition, key: keyOf(record), value } as const
        }),
      ]
      return { added, removed, records }
    },
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

const removalOf = (key: string): NewRecord => ({ topic, partition, key, value: null })

function keyOf({ type, data }: ChainAAddress): string {
  switch (type) {
    case 'PoolAddress':
      return data.pool
    case 'PositionAddress':
      return data.positionId
    case 'CurveAddress':
      return data.curve
  }
}
