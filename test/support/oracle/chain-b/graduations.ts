/** Graduations by brute force: each point of the path looks for the last trade before it anew. */
import { curveFill } from '../../../../schemas/chain-b/curve.ts'
import type { Graduation, GraduationPost } from '../../../../schemas/chain-b/derived.ts'
import type { OracleBurst } from './bursts.ts'
import { type Life, tradesOf } from './lives.ts'
import type { OracleRules } from './oracle-rules.ts'

const minuteMs = 60_000

export function graduationOf(life: Life, bursts: readonly OracleBurst[], rules: OracleRules): Graduation | null {
  const { completed, launchAtMs, opening } = life
  if (completed === null) return null
  const { atMs: gradAtMs, slot } = completed
  const path: Graduation['path'][number][] = []
  for (let minute = rules.pathMinutes; minute > 0; minute--) {
    const instantMs = gradAtMs - minute * minuteMs
    if (instantMs < opening.data.blockAtMs) continue
    const last = tradesOf(life).findLast(({ blockAtMs }) => blockAtMs <= instantMs)
    const atStart = opening.type === 'CurveFound' ? curveFill(opening.data.realTokenRaw) : 0
    path.push({ beforeSec: minute * 60, fill: last === undefined ? atStart : curveFill(last.realTokenRaw) })
  }
  path.push({ beforeSec: 0, fill: 1 })
  const newest = bursts.findLast(({ burst }) => burst.atMs < gradAtMs)?.burst
  const burst = newest ? { atMs: newest.atMs, inflowLamports: newest.inflowLamports, fillAt: newest.fillAt } : null
  return { gradAtMs, slot, launchAtMs, path, burst }
}

/** All its versions, in order. */
export function postsOf(life: Life, rules: OracleRules): readonly GraduationPost[] {
  const { completed, facts } = life
  const at = facts.findIndex(({ type }) => type === 'CurveMigrated')
  const migrated = facts[at]
  if (completed === null || migrated?.type !== 'CurveMigrated') return []
  const anchorAtMs = migrated.data.blockAtMs
  const priceOf = (reserves: Readonly<{ poolQuoteRaw: bigint; poolTokenRaw: bigint }>) =>
    Number(reserves.poolQuoteRaw) / Number(reserves.poolTokenRaw)
  const returns = rules.postMinutes.map((minutes) => {
    const dueMs = anchorAtMs + minutes * minuteMs
    const last = facts
      .slice(at + 1)
      .flatMap((fact) => (fact.type === 'PoolTraded' && !fact.data.isBeforeMigration ? [fact.data] : []))
      .findLast(({ blockAtMs }) => blockAtMs <= dueMs)
    return dueMs < life.untilMs ? priceOf(last ?? migrated.data) / priceOf(migrated.data) - 1 : null
  })
  const versions: GraduationPost[] = []
  for (let known = 0; known <= returns.length; known++) {
    if (known > 0 && returns[known - 1] === null) break
    const [ret1 = null, ret5 = null, ret15 = null] = returns.slice(0, known)
    versions.push({ gradAtMs: completed.atMs, anchorAtMs, ret1, ret5, ret15 })
  }
  return versions
}
