/**
 * Simulates a provider of safety reports (rug checks). The report on a mint is drawn from the seed, and is
 * the same at any time.
 */
import { hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Address } from '../../../schemas/units.ts'
import { createRandom } from '../../simulated/random.ts'
import type { SafetyProvider, SafetyReport } from '../lookups/safety.ts'
import { idOfMint } from './identities.ts'
import { type Market, planOf } from './plan.ts'

/** The report on a mint that the provider has not examined. */
const nothing: SafetyReport = {
  ...{ score: null, isRugged: null, mintAuthority: null, freezeAuthority: null, lpLockedShare: null },
  ...{ topHolderShare: null, hasPool: null, risks: [] },
}

export const createSimulatedRugCheck = (market: Market): SafetyProvider => ({
  name: 'simulated',
  isTimeless: true,
  async check(mint) {
    const hex = hexOfBase58(mint, 32)
    const id = hex && idOfMint(market.seed, hex)
    const plan = id === null ? null : planOf(market, id)
    if (id === null || plan === null) throw new OperationError('provider_failed', 'no such mint')
    return createRandom(market.seed, id, 73).chance(0.04) ? nothing : drawReport(market.seed, id, hex)
  },
})

function drawReport(seed: number, id: number, mint: Address | null): SafetyReport {
  const random = createRandom(seed, id, 71)
  const rare = createRandom(seed, id, 72)
  const topHolderShare = random.unit() * 0.4
  const isRisky = topHolderShare > 0.25
  return {
    score: Math.round(random.unit() * 100),
    isRugged: rare.chance(0.03),
    mintAuthority: rare.chance(0.04) ? mint : null,
    freezeAuthority: random.chance(0.05) ? mint : null,
    lpLockedShare: rare.chance(0.6) ? 1 : random.unit() * 0.9,
    topHolderShare,
    hasPool: null,
    risks: isRisky ? [{ name: 'Single holder ownership', level: 'danger' }] : [],
  }
}
