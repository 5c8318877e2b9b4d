/** The owners of a v4 pool's liquidity, from its facts. */
import { checkInstants } from '../../../support/oracle/holdings.ts'
import { oracleRules } from '../../../support/oracle/oracle-rules.ts'
import { type OracleLp, ownershipByFacts } from '../../../support/oracle/ownership.ts'
import type { TokenPool } from './pool.ts'
import type { VerdictRules } from './rules.ts'

type Profile = OracleLp & Readonly<{ checkedAtMs: number }>

/** Returns the profile of the pool (who owns its liquidity) at the newest block. */
export function profileAt({ pool, ...its }: TokenPool, blockAtMs: number, rules: VerdictRules): Profile {
  const isPast = (fact: Readonly<{ blockAtMs: number }>) => fact.blockAtMs <= blockAtMs
  const [changes, transfers] = [its.changes.filter(isPast), its.transfers.filter(isPast)]
  const bent = { ...oracleRules, heldBpsMin: 100n * rules.heldPercent }
  const touched = [...changes, ...transfers].map((fact) => fact.blockAtMs)
  const checked = checkInstants(pool, blockAtMs, rules.checkEveryMs).slice(-1)
  return {
    ...ownershipByFacts(pool.creator, { changes, transfers }, bent),
    checkedAtMs: Math.max(pool.createdAtMs, ...touched, ...checked),
  }
}
