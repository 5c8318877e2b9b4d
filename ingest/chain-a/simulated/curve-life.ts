/**
 * Simulates a token on the launchpad, from its launch through its trades. Some tokens complete their curve
 * and graduate into a pool.
 */

import type { Address, TokenRaw } from '../../../schemas/units.ts'
import { unchangedLiquidity } from '../../simulated/market/liquidity-plan.ts'
import { lifeSecMost } from '../../simulated/market/rates.ts'
import { somebody } from '../../simulated/market/trading.ts'
import { createRandom, type Random } from '../../simulated/random.ts'
import {
  buyOnCurve,
  type Curve,
  type CurveTrade,
  graduationWei,
  isComplete,
  openCurve,
  phantomWei,
  sellOnCurve,
  supplyRaw,
} from './curve.ts'
import type { CurvePlan } from './curve-plan.ts'
import { addressOf, type Identities, nativeEth, positionIdOf, v4PoolId } from './identities.ts'
import { type Draft, openLaunch, weiOf } from './launch.ts'
import { lifeOf, type Transaction } from './life.ts'
import type { LaunchPlan } from './plan.ts'

const launchpadName = 'pons-v2'
const hourSec = 3600

type Holder = { wallet: number; tokens: TokenRaw }

/**
 * Yields all transactions of the token in time order. The launch is the first transaction. The same plan and
 * seed always give the same transactions.
 */
export function* curveLifeOf(plan: CurvePlan, identities: Identities): Generator<Transaction> {
  const random = createRandom(identities.seed, plan.id, 12)
  const curve = openCurve()
  const holders: Holder[] = []
  const bought = (wallet: number, eth: number): Draft => {
    const trade = buyOnCurve(curve, weiOf(eth), BigInt(plan.taxBps))
    holders.push({ wallet, tokens: trade.tokenRaw })
    return tradeDraft(plan, trade, identities.walletAt(wallet))
  }

  const firstBuy = random.chance(0.7) ? [bought(plan.creator, sized(0.08, random))] : []
  yield { second: plan.createdAtSec, wallet: plan.creator, drafts: [launchDraft(plan, identities), ...firstBuy] }
  for (let at = plan.createdAtSec + 1; ; ) {
    at += random.exponential(plan.gapSec)
    const second = Math.floor(at)
    if (second >= plan.endsAtSec) return
    if (random.chance(plan.buyShare) || holders.length === 0) {
      const wallet = somebody(random)
      const drafts = [bought(wallet, sized(plan.medianEth, random))]
      if (isComplete(curve)) {
        yield { second, wallet, drafts: [...drafts, { type: 'CurveCompleted', data: { curve: plan.curve } }] }
        yield* graduatedLifeOf(plan, identities, second + plan.graduationDelaySec)
        return
      }
      yield { second, wallet, drafts }
    } else yield { second, ...sale(plan, { curve, holders, random }, identities) }
  }
}

type Trading = Readonly<{ curve: Curve; holders: Holder[]; random: Random }>

/** A holder sells all of its tokens, or half of them. */
function sale(
  plan: CurvePlan,
  { curve, holders, random }: Trading,
  identities: Identities,
): Omit<Transaction, 'second'> {
  const seat = random.whole(0, holders.length - 1)
  const holder = holders[seat] as Holder
  const tokens = random.chance(0.6) ? holder.tokens : holder.tokens / 2n
  holder.tokens -= tokens
  const last = holder.tokens === 0n ? holders.pop() : undefined
  if (last && seat < holders.length) holders[seat] = last
  const trade = sellOnCurve(curve, tokens, BigInt(plan.taxBps))
  return { wallet: holder.wallet, drafts: [tradeDraft(plan, trade, identities.walletAt(holder.wallet))] }
}

const sized = (median: number, random: Random): number => Math.min(0.5, Math.max(0.001, random.logNormal(median, 0.8)))

function launchDraft({ curve, symbol, creator }: CurvePlan, { walletAt }: Identities): Draft {
  const terms = { graduationWei, phantomWei, supplyRaw }
  return {
    type: 'CurveLaunched',
    data: { curve, launchpad: launchpadName, creator: walletAt(creator), symbol, ...terms },
  }
}

const tradeDraft = ({ curve }: CurvePlan, trade: CurveTrade, trader: Address): Draft => ({
  type: 'CurveTraded',
  data: { curve, trader, ...trade },
})

/**
 * Yields the token's transactions from the graduation on. Any wallet may send the transaction that moves the
 * liquidity into the pool. The launchpad's locker contract owns the position NFT.
 */
function* graduatedLifeOf(plan: CurvePlan, identities: Identities, createdAtSec: number): Generator<Transaction> {
  const positionId = positionIdOf(plan.id, 0)
  const graduated: Draft = { type: 'CurveGraduated', data: { curve: plan.curve, positionId } }
  let isOpening = true
  for (const transaction of lifeOf(openLaunch(graduatedPlan(plan, identities, createdAtSec), identities))) {
    yield isOpening ? { ...transaction, drafts: [graduated, ...transaction.drafts] } : transaction
    isOpening = false
  }
}

function graduatedPlan(plan: CurvePlan, { seed }: Identities, createdAtSec: number): LaunchPlan {
  const { id, token } = plan
  const random = createRandom(seed, id, 13)
  const key = { token, eth: nativeEth, fee: 0, tickSpacing: 200, hooks: addressOf(seed, 'launchpad hook') }
  return {
    ...key,
    ...{ id, kind: 'graduated', pool: v4PoolId(key), dex: 'v4', ethIsCurrency0: true, feePips: 0 },
    createdAtSec,
    endsAtSec: Math.min(createdAtSec + poolLifeSec(random), plan.createdAtSec + lifeSecMost),
    quietGapSec: random.logNormal(60, 0.6),
    bursts: [],
    crowd: { fromSec: createdAtSec + 10, trades: random.whole(60, 600), fadeSec: random.logNormal(2400, 0.9) },
    ...{ liquidityPlan: unchangedLiquidity, dumpAtSec: null },
    custody: { kind: 'launchpad', atSec: createdAtSec, parts: [100], burnsOnPull: false, isUnreadable: false },
  }
}

/** Draws the time for which the pool is traded: hours for most pools, days for some pools. */
const poolLifeSec = (random: Random): number =>
  random.chance(0.7) ? random.whole(hourSec, 6 * hourSec) : random.whole(6 * hourSec, 54 * hourSec)
