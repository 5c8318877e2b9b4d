/** The market: all launches merged by time. What happens in a second does not depend on where the telling began. */
import type { PoolAddress } from '../../schemas/addresses.ts'
import type { ChainAFact } from '../../schemas/chain-a/facts.ts'
import type { TokenFact } from '../source.ts'
import { blockHashAt, blockNumberAt, createWallets, type Hex, transactionHash } from './identities.ts'
import type { Draft } from './launch.ts'
import { lifeOf, type Transaction } from './life.ts'
import { cohortAt, firstSecondOf, type LaunchPlan, lastSecondOf, type Market, plansOf } from './plan.ts'
import { createTimeline } from './timeline.ts'

/** A launch and the next thing that happens in it. */
type Living = {
  readonly plan: LaunchPlan
  readonly rest: Generator<Transaction>
  next: Transaction
  transactionIndex: number
}

export type Happened = Readonly<{ facts: readonly TokenFact[]; newPools: readonly PoolAddress[] }>

export type MarketStart = Readonly<{
  fromSec: number
  /** A pool created before `fromSec` is told of only if this says so, as ingest ignores pools that it never saw created. */
  isKnown(pool: string): boolean
}>

/** Tells the market from `fromSec` on: each call of the answer gives the seconds up to and including `toSec`, in chain order. */
export function tellMarket(market: Market, start: MarketStart): (toSec: number) => Happened {
  const timeline = createTimeline<Living>(({ next, plan }) => [next.second, plan.id])
  const placed = createPlacer(market.seed)
  let cohort = cohortAt(start.fromSec)
  while (lastSecondOf(cohort - 1) > start.fromSec) cohort--

  const enter = (plan: LaunchPlan) => {
    const isTold = plan.createdAtSec >= start.fromSec || start.isKnown(plan.pool)
    if (!isTold || plan.endsAtSec <= start.fromSec) return
    const rest = lifeOf(plan, market.seed)
    for (let index = 0, step = rest.next(); !step.done; index++, step = rest.next()) {
      if (step.value.second < start.fromSec) continue
      timeline.add({ plan, rest, next: step.value, transactionIndex: index })
      return
    }
  }

  const proceed = (living: Living) => {
    const step = living.rest.next()
    if (step.done) return timeline.removeFirst()
    living.next = step.value
    living.transactionIndex++
    timeline.moveFirst()
  }

  return (toSec) => {
    for (; firstSecondOf(cohort) <= toSec; cohort++) plansOf(market, cohort).forEach(enter)
    const facts: TokenFact[] = []
    const newPools: PoolAddress[] = []
    for (
      let living = timeline.first();
      living !== undefined && living.next.second <= toSec;
      living = timeline.first()
    ) {
      for (const fact of placed(living)) {
        facts.push({ token: living.plan.token, fact })
        if (fact.type === 'PoolCreated') newPools.push(addressOf(living.plan, fact.data))
      }
      proceed(living)
    }
    return { facts, newPools }
  }
}

/** Gives the facts of a launch's next transaction their place; must be called in chain order. */
function createPlacer(seed: number): (living: Living) => readonly ChainAFact[] {
  const walletAt = createWallets(seed)
  let second = Number.NEGATIVE_INFINITY
  let blockHash: Hex = '0x'
  let txIndex = 0
  let logIndex = 0
  return ({ plan, next, transactionIndex }) => {
    if (next.second !== second) {
      second = next.second
      blockHash = blockHashAt(seed, second)
      // The block's first transaction is the chain's own.
      txIndex = 0
      logIndex = 0
    }
    txIndex++
    const txHash = transactionHash(seed, walletAt(next.wallet), { launchId: plan.id, index: transactionIndex })
    const blockNumber = blockNumberAt(second)
    return next.drafts.map((draft) => {
      const fact = placedAt(draft, { blockNumber, blockAtMs: second * 1000, txIndex, logIndex, blockHash, txHash })
      // A swap's token transfers are logs too, which nobody here reads.
      logIndex += draft.type === 'Swap' ? 3 : 1
      return fact
    })
  }
}

type Position = Pick<ChainAFact['data'], 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>

/** Swaps, nearly all facts, are written out field by field: spreading two objects took three times as long as the rest. */
function placedAt(draft: Draft, position: Position): ChainAFact {
  const { blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } = position
  // A draft is by definition its fact without the position; the compiler does not follow that through the union.
  if (draft.type !== 'Swap') return { type: draft.type, data: { ...draft.data, ...position } } as ChainAFact
  const { pool, ethWei, tokenRaw, sqrtPriceX96, liquidity, tick, sender } = draft.data
  return {
    type: 'Swap',
    data: {
      pool,
      ethWei,
      tokenRaw,
      sqrtPriceX96,
      liquidity,
      tick,
      sender,
      blockNumber,
      blockAtMs,
      txIndex,
      logIndex,
      blockHash,
      txHash,
    },
  }
}

const addressOf = (plan: LaunchPlan, created: Position): PoolAddress => ({
  pool: plan.pool,
  token: plan.token,
  dex: plan.dex,
  ethIsCurrency0: plan.ethIsCurrency0,
  hooks: plan.hooks,
  createdBlock: created.blockNumber,
  createdAtMs: created.blockAtMs,
})
