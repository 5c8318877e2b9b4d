import { OperationError } from '../../../infra/errors.ts'
import type { Address, BlockNumber, TokenRaw } from '../../../schemas/units.ts'
import type { HolderReader } from '../lookups/holders.ts'
import type { Draft } from './draft.ts'
import { type Identities, idOfMint, incinerator } from './identities.ts'
import { lifeOf } from './life.ts'
import { type Market, type MintPlan, planOf } from './plan.ts'
import { unsoldRaw } from './pool.ts'

/** The number of accounts in a node's answer. */
const accountCount = 20

/** Creates the reader of a mint's largest token accounts at the end of a slot. The accounts are computed from the mint's plan. */
export function createHolderReader(market: Market, identities: Identities): HolderReader {
  return async ({ mint, slot }) => {
    const id = idOfMint(market.seed, mint)
    const plan = id === null ? null : planOf(market, id)
    if (plan === null || plan.isUnreadable)
      throw new OperationError('node_refused', 'the node knows no token accounts of this mint')
    return [...balancesAt(plan, identities, slot)]
      .map(([owner, tokenRaw]) => ({ owner, tokenRaw }))
      .sort((left, right) => (left.tokenRaw < right.tokenRaw ? 1 : left.tokenRaw > right.tokenRaw ? -1 : 0))
      .slice(0, accountCount)
  }
}

type Balances = Map<Address, TokenRaw>

function balancesAt(plan: MintPlan, identities: Identities, slot: BlockNumber): Balances {
  const balances: Balances = new Map()
  for (const transaction of lifeOf(plan, identities)) {
    if (transaction.slot > slot) break
    for (const draft of transaction.drafts) follow(balances, plan, draft)
  }
  const launcher = identities.walletAt(plan.launcher)
  const first = balances.get(launcher)
  if (plan.isBurned && first !== undefined) {
    balances.delete(launcher)
    balances.set(incinerator, first)
  }
  for (const [owner, tokenRaw] of balances) if (tokenRaw === 0n) balances.delete(owner)
  return balances
}

/**
 * Applies a simulated event to the balances. Until the migration, the curve also holds the tokens for its
 * pool.
 */
function follow(balances: Balances, { curve, pool }: MintPlan, { type, data }: Draft): void {
  if (type === 'CurveLaunched') balances.set(curve, data.supplyRaw)
  if (type === 'CurveTraded') balances.set(curve, data.realTokenRaw + unsoldRaw)
  if (type === 'PoolTraded') balances.set(data.isBeforeMigration ? curve : pool, data.poolTokenRaw)
  if (type === 'CurveMigrated') {
    balances.delete(curve)
    balances.set(pool, data.poolTokenRaw)
  }
  if (type === 'CurveTraded' || type === 'PoolTraded')
    balances.set(data.trader, (balances.get(data.trader) ?? 0n) + data.tokenRaw)
}
