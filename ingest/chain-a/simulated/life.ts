/** Simulates the life of one pool: executes the planned trades, and yields transactions with their facts. */

import { createRandom } from '../../simulated/random.ts'
import type { Draft, Launch } from './launch.ts'
import { firstLiquidity } from './liquidity.ts'
import { intentsOf } from './schedule.ts'
import { type Special, specialsOf } from './specials.ts'
import { buy, carryOut, type Trade } from './trades.ts'

/**
 * The transaction that one wallet sends in one second. `drafts` has at least one fact, in the order of the
 * logs.
 */
export type Transaction = Trade & Readonly<{ second: number }>

/**
 * The maximum number of trades after the creator has removed all liquidity. A few wallets still trade, and
 * get nothing for their trades.
 */
const afterPullTradesMost = 24

/**
 * Yields all transactions of the pool in time order. The creation is the first transaction. The same plan and
 * seed always give the same transactions.
 */
export function* lifeOf(launch: Launch): Generator<Transaction> {
  const { plan, identities } = launch
  yield createTransaction(launch)
  const specials = [...specialsOf(launch)]
  let tradesLeft = Number.POSITIVE_INFINITY
  const carryOutDue = function* (second: number) {
    for (const special of takeDue(specials, second)) {
      yield* carriedOut(special)
      tradesLeft = tradesAfter(launch, special, tradesLeft)
    }
  }
  for (const intent of intentsOf(plan, createRandom(identities.seed, plan.id, plan.kind === 'second' ? 10 : 5))) {
    yield* carryOutDue(intent.second)
    if (tradesLeft <= 0) {
      if (specials.length === 0) return
      continue
    }
    const trade = carryOut(launch, intent)
    if (trade !== null) yield { second: intent.second, wallet: trade.wallet, drafts: trade.drafts }
    tradesLeft--
  }
  yield* carryOutDue(plan.endsAtSec - 1)
}

/**
 * Returns how many more trades the pool gets after a special transaction (one that is not a trade). After a
 * refill, trading continues without a limit. Between a pull and a refill there are no trades, because a trade
 * would move the price of the empty pool to the end of the range.
 */
function tradesAfter({ plan, random }: Launch, { second, does }: Special, tradesLeft: number): number {
  const { pulledAtSec, refilledAtSec, changes } = plan.liquidityPlan
  if (does === 'refill') return Number.POSITIVE_INFINITY
  if (does !== 'remove' || pulledAtSec === null || second < pulledAtSec) return tradesLeft
  const isWaiting = refilledAtSec !== null && second < refilledAtSec
  return isWaiting || second < (changes.at(-1)?.atSec ?? 0) ? 0 : random.whole(3, afterPullTradesMost)
}

/** Yields the transactions of the pool that are not trades and do not depend on trades. */
export function* tradelessLifeOf(launch: Launch): Generator<Transaction> {
  yield createTransaction(launch)
  for (const special of specialsOf(launch)) yield* carriedOut(special)
}

function* carriedOut(special: Special): Generator<Transaction> {
  const { wallet, drafts } = special.carryOut()
  if (drafts.length > 0) yield { second: special.second, wallet, drafts }
}

const none: readonly Special[] = []

/**
 * Removes the special transactions whose time has come from the list, and returns them. In almost every call
 * there are none.
 */
function takeDue(specials: Special[], second: number): readonly Special[] {
  const [first] = specials
  if (first === undefined || first.second > second) return none
  const later = specials.findIndex((special) => special.second > second)
  return specials.splice(0, later < 0 ? specials.length : later)
}

function createTransaction(launch: Launch): Transaction {
  const { plan, pool, random } = launch
  const created: Draft = {
    type: 'PoolCreated',
    data: {
      pool: plan.pool,
      token: plan.token,
      dex: plan.dex,
      ethIsCurrency0: plan.ethIsCurrency0,
      fee: plan.fee,
      tickSpacing: plan.tickSpacing,
      hooks: plan.hooks,
      sqrtPriceX96: plan.dex === 'v4' ? pool.sqrtPriceX96 : null,
      txSender: null,
    },
  }
  const drafts: Draft[] = [created]
  if (plan.dex === 'v3') {
    drafts.push({ type: 'PoolInitialized', data: { pool: plan.pool, sqrtPriceX96: pool.sqrtPriceX96 } })
  }
  drafts.push(...firstLiquidity(launch))
  launch.firstLiquidity = launch.positions.reduce((sum, { liquidity }) => sum + liquidity, 0n)
  if (plan.kind !== 'graduated' && random.chance(0.6))
    drafts.push(buy(launch, launch.creator, Math.min(0.3, random.logNormal(0.06, 0.7))))
  return { second: plan.createdAtSec, wallet: launch.creator, drafts }
}
