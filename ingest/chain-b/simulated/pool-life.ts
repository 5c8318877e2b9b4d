/** Simulates the migration of a complete curve into its pool, and the trades in the pool. */

import type { BlockNumber } from '../../../schemas/units.ts'
import { somebody } from '../../simulated/market/trading.ts'
import { rawOf } from './curve.ts'
import type { Transaction } from './draft.ts'
import { amountsOfPoolBuy, amountsOfPoolSale, migrationFeeOf, openPool, type Pool, tradeInPool } from './pool.ts'
import { slotsPerSec } from './slots.ts'
import type { Trading } from './trading.ts'

export function* poolLifeOf(trading: Trading, completedSlot: BlockNumber): Generator<Transaction> {
  const { curve, random } = trading
  const pool = openPool(curve)
  const openedSlot = completedSlot + (random.chance(0.9) ? random.whole(2, 50) : random.whole(50, 280))
  const { quoteRaw: poolQuoteRaw, tokenRaw: poolTokenRaw } = pool.reserves
  const migrationFeeRaw = migrationFeeOf(curve)
  const migrated = { pool: curve.plan.pool, poolQuoteRaw, poolTokenRaw, migrationFeeRaw, quoteMint: curve.quoteMint }
  yield { slot: openedSlot, drafts: [{ type: 'CurveMigrated', data: migrated }] }
  const mood = { buyShare: 0.42 + 0.16 * random.unit(), firstGapSec: random.logNormal(4, 0.5) }
  for (let atSec = random.exponential(2); atSec < curve.plan.poolSec; ) {
    const transaction = tradeOnce(trading, pool, mood.buyShare)
    if (transaction) yield { slot: openedSlot + Math.floor(atSec * slotsPerSec), drafts: [transaction] }
    // The mean time between trades grows with the age of the pool, because traders lose interest.
    atSec += random.exponential(mood.firstGapSec * (1 + atSec / 300))
  }
}

function tradeOnce({ curve, identities, random }: Trading, pool: Pool, buyShare: number) {
  const size = rawOf(curve, Math.min(5, random.logNormal(0.5, 0.9)))
  if (random.chance(buyShare)) {
    const wallet = somebody(random)
    const amounts = amountsOfPoolBuy(pool, size)
    return tradeInPool(pool, { wallet, address: identities.walletAt(wallet) }, { isBeforeMigration: false, ...amounts })
  }
  const holder = curve.holders.draw(random)
  if (holder === null) return null
  const { wallet, tokenRaw } = holder
  const wanted = (pool.reserves.tokenRaw * size) / pool.reserves.quoteRaw
  const amounts = amountsOfPoolSale(pool, least(tokenRaw, wanted))
  if (amounts.quoteRaw === 0n) return null
  return tradeInPool(pool, { wallet, address: identities.walletAt(wallet) }, { isBeforeMigration: false, ...amounts })
}

const least = (left: bigint, right: bigint): bigint => (left < right ? left : right)
