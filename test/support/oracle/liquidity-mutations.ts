/**
 * Lists changed rules about liquidity, with one deliberate error each. With each error, the results for the
 * scripted liquidity transactions must change.
 */

import type { OracleRules } from './oracle-rules.ts'
import { oracleRules } from './oracle-rules.ts'

const bent = (name: string, shownBy: string, change: Partial<OracleRules>) => ({
  name,
  shownBy,
  rules: { ...oracleRules, ...change },
})

export const liquidityMutations = [
  bent('shares of the ETH', 'far away', { sharesBy: 'eth' }),
  bent('insiders without who added', 'adder holds', { addersAreInsiders: false }),
  bent('held above a half only', 'exactly half', { heldMustExceedHalf: true }),
  bent('a dead address that is a wallet', 'sent to the dead address', { deadBurns: false }),
  bent('pokes as adds', 'poked', { pokesAreAdds: true }),
  bent('ownership of the block before', 'gone with the signal', { lpBlockOffset: -1 }),
  bent('a rug at 79 %', '79 % removed', { rugRatioMax: 0.21 }),
  bent('a rug above 80 % only', 'exactly 80 % removed', { rugRatioMax: 0.2 - 1e-9 }),
  bent('a rug by liquidity', 'pulled far away', { rugBy: 'liquidity' }),
  bent('a rug by single removals', 'moved in one transaction', { rugIgnoresAdds: true }),
  bent('a rug within 29 min', 'pulled at the last moment', { scoredAfterMs: 29 * 60_000 }),
]
