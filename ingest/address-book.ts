/** Which token a pool belongs to, in memory and on the compacted topic; pools past their life are forgotten. */
import type { Log, NewRecord } from '../infra/log/log.ts'
import type { SchemaCodec } from '../infra/schema-codec.ts'
import type { PoolAddress } from '../schemas/addresses.ts'
import type { AddressRecord } from './codecs.ts'
import { isPoolAlive } from './pool-life.ts'
import { dataOf, scan } from './read-log.ts'

export type AddressBook = Readonly<{
  pools: ReadonlyMap<string, PoolAddress>
  /**
   * What to append for these new pools: their records, and the removal of pools that were past their life at the block
   * time. Few removals without a new pool are left for the next time. Call `remember` once it is durable.
   */
  changes(newPools: readonly PoolAddress[], doneAtMs: number): AddressChanges
  remember(changes: AddressChanges): void
}>

type AddressChanges = Readonly<{
  added: readonly PoolAddress[]
  removed: readonly string[]
  records: readonly NewRecord[]
}>

const partition = 0
const removalsAlone = 256

/** The book as the log holds it. */
export async function loadAddressBook(log: Log, codec: SchemaCodec<AddressRecord>): Promise<AddressBook> {
  const pools = new Map<string, PoolAddress>()
  const reader = { log, topic: 'addresses', partition, codec } as const
  const { startOffset } = await log.bounds('addresses', partition)
  await scan(reader, startOffset, ({ key, value }) => {
    const pool = dataOf<PoolAddress>(reader, 'PoolAddress', value)
    if (pool) pools.set(key, pool)
    else pools.delete(key)
    return undefined
  })

  return {
    pools,
    changes(added, doneAtMs) {
      const expired = expiredPools(pools, doneAtMs)
      const removed = added.length > 0 || expired.length >= removalsAlone ? expired : []
      const records = [
        ...removed.map((key) => ({ topic: 'addresses', partition, key, value: null }) as const),
        ...added.map((pool) => {
          const value = codec.encode('PoolAddress', pool)
          return { topic: 'addresses', partition, key: pool.pool, value } as const
        }),
      ]
      return { added, removed, records }
    },
    remember({ added, removed }) {
      for (const key of removed) pools.delete(key)
      for (const pool of added) pools.set(pool.pool, pool)
    },
  }
}

/** Maps keep their order of insertion, which is nearly that of creation: the search ends at the first living pool. */
function expiredPools(pools: ReadonlyMap<string, PoolAddress>, atMs: number): string[] {
  const expired: string[] = []
  for (const [key, pool] of pools) {
    if (isPoolAlive(pool.createdAtMs, atMs)) break
    expired.push(key)
  }
  return expired
}
