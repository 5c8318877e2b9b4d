/** Who can pull the liquidity of a v4 pool, from its facts. */
import type { LiquidityChanged } from '../../../../schemas/chain-a/facts.ts'
import type { OraclePool } from '../../../support/oracle/events.ts'
import type { TokenPool } from './pool.ts'
import type { VerdictRules } from './rules.ts'

type LpClass = 'held' | 'unknown' | 'empty' | 'safe'
type Profile = Readonly<{ class: LpClass; insiderShare: number; checkedAtMs: number }>
type Sums = Record<'insider' | 'unknown' | 'other', bigint>

const gone = new Set(['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'])
const checkedAgeMs = 6 * 3_600_000

/** As it stands at the newest block. */
export function profileAt(its: TokenPool, blockAtMs: number, rules: VerdictRules): Profile {
  const isPast = (fact: Readonly<{ blockAtMs: number }>) => fact.blockAtMs <= blockAtMs
  const [changes, transfers] = [its.changes.filter(isPast), its.transfers.filter(isPast)]
  const sums = sumsOf({ ...its, changes, transfers })
  const total = sums.insider + sums.unknown + sums.other
  const touched = [...changes, ...transfers].map((fact) => fact.blockAtMs)
  return {
    class: classOf(sums, total, rules),
    insiderShare: total === 0n ? 0 : Number(sums.insider) / Number(total),
    checkedAtMs: Math.max(its.pool.createdAtMs, ...touched, lastCheckOf(its.pool, blockAtMs, rules)),
  }
}

/** By liquidity. Who created the pool or sent an add is an insider; what a contract holds itself is another’s. */
function sumsOf({ pool, changes, transfers }: TokenPool): Sums {
  const adders = changes.flatMap(({ liquidityDelta, txSender }) => (liquidityDelta > 0n && txSender ? [txSender] : []))
  const insiders = new Set([pool.creator, ...adders])
  const owners = new Map(transfers.map(({ positionId, to }) => [positionId, to]))
  const holderOf = (nft: LiquidityChanged['positionId']): keyof Sums => {
    const owner = nft === null ? 'a contract' : owners.get(nft)
    if (owner === undefined) return 'unknown'
    return insiders.has(owner) && !gone.has(owner) ? 'insider' : 'other'
  }
  const sums: Sums = { insider: 0n, unknown: 0n, other: 0n }
  for (const { positionId, liquidityDelta } of changes) sums[holderOf(positionId)] += liquidityDelta
  return sums
}

function classOf({ insider, other }: Sums, total: bigint, { heldPercent }: VerdictRules): LpClass {
  if (total === 0n) return 'empty'
  if (100n * insider >= heldPercent * total) return 'held'
  return 2n * other >= total ? 'safe' : 'unknown'
}

/** Every ten minutes of its age under six hours, once block time has passed it. */
function lastCheckOf({ createdAtMs }: OraclePool, blockAtMs: number, { checkEveryMs }: VerdictRules): number {
  let last = createdAtMs
  for (let ageMs = checkEveryMs; ageMs < checkedAgeMs && createdAtMs + ageMs < blockAtMs; ageMs += checkEveryMs)
    last = createdAtMs + ageMs
  return last
}

const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']

export const riskiestOf = (classes: readonly LpClass[]): LpClass | undefined =>
  byRisk.find((risk) => classes.includes(risk))
