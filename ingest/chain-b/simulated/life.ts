/** Simulates one mint: executes the planned trades on its curve and then in its pool. */
import { forSaleRaw, launchReserves } from '../../../schemas/chain-b/curve.ts'
import { createRandom, type Random } from '../../simulated/random.ts'
import { carryOut } from './carry-out.ts'
import { amountsOfBuy, type Curve, isComplete, openCurve, rawOf } from './curve.ts'
import type { Draft, Transaction } from './draft.ts'
import { createHolders } from './holders.ts'
import type { Identities } from './identities.ts'
import type { MintPlan } from './plan.ts'
import { poolLifeOf } from './pool-life.ts'
import { intentsOf } from './schedule.ts'
import { slotAt } from './slots.ts'
import { type Trading, tradeOnCurve } from './trading.ts'

const supplyRaw = 1_000_000_000_000_000n

/**
 * Yields all transactions of the mint in time order, beginning with the launch. The same plan and seed give
 * the same transactions.
 */
export function* lifeOf(plan: MintPlan, identities: Identities): Generator<Transaction> {
  const curve = openCurve(plan, createHolders())
  const random = createRandom(identities.seed, plan.id, 24)
  const trading: Trading = { curve, identities, random }
  yield { slot: slotAt(plan.launchedAtSec * 1000), drafts: launch(trading) }
  for (const intent of intentsOf(plan, createRandom(identities.seed, plan.id, 25))) {
    const slot = slotAt(intent.atSec * 1000)
    for (const drafts of carryOut(trading, intent)) yield { slot, drafts }
    if (isComplete(curve)) {
      yield* poolLifeOf(trading, slot)
      return
    }
  }
}

/**
 * Returns the facts of the transaction that launches the mint. Most launchers also buy tokens in this
 * transaction.
 */
function launch(trading: Trading): readonly Draft[] {
  const { curve, identities, random } = trading
  const drafts = [launchDraft(curve, identities)]
  if (random.chance(0.65)) drafts.push(firstBuy(trading, random))
  return drafts
}

function firstBuy({ curve, identities }: Trading, random: Random): Draft {
  const { plan } = curve
  const amounts = amountsOfBuy(curve, rawOf(curve, Math.min(2.5, random.logNormal(0.6, 0.8))), true)
  const draft = tradeOnCurve({ curve, identities }, plan.launcher, amounts)
  if (plan.isBurned) curve.holders.keep(plan.launcher)
  return draft
}

function launchDraft({ plan, virtual, quoteMint }: Curve, { walletAt }: Identities): Draft {
  const launcher = walletAt(plan.launcher)
  return {
    type: 'CurveLaunched',
    data: {
      ...{ curve: plan.curve, launcher, creator: launcher, name: plan.name, symbol: plan.symbol, supplyRaw },
      ...{ virtualQuoteRaw: virtual.quoteRaw, virtualTokenRaw: launchReserves.tokenRaw },
      ...{ realQuoteRaw: 0n, realTokenRaw: forSaleRaw, quoteMint, isMayhem: plan.isMayhem },
    },
  }
}
