import { base58OfHex } from '../../../infra/base58.ts'
import { isPoolAlive } from '../lives.ts'
import type { KnownMints } from '../types.ts'
import { openedIn } from './decode-slot.ts'
import type { PoolsOf } from './slot-reader.ts'

/** The pools of the book that are alive after that time, and those that the transactions open, in base58. */
export const followedPools =
  ({ pools, followed }: KnownMints, afterMs: number): PoolsOf =>
  (transactions) => {
    const alive = [...pools.values()].filter((pool) => isPoolAlive(pool, afterMs, followed))
    return [...new Set([...alive.map(({ pool }) => pool), ...openedIn(transactions)])].map(base58OfHex)
  }
