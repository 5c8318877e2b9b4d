/**
 * Derives the records of chain B once more, from the rules in words, by brute force over the whole log. It shares no code
 * with the rules. Questions of holders are left out: their revision is a digest of the service's own.
 */
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import { anatomyOf, findBursts } from './bursts.ts'
import { graduationOf, postsOf } from './graduations.ts'
import { type Life, type LogRecord, livesIn } from './lives.ts'
import type { OracleRules } from './oracle-rules.ts'
import { outcomeOf } from './outcomes.ts'

export type OracleRow = Readonly<{ token: string; record: ChainBDerived }>

export const recount = (log: readonly LogRecord[], rules: OracleRules): readonly OracleRow[] =>
  livesIn(log, rules).flatMap((life) => recordsOf(life, rules).map((record) => ({ token: life.mint, record })))

function recordsOf(life: Life, rules: OracleRules): readonly ChainBDerived[] {
  const bursts = findBursts(life, rules)
  const records: ChainBDerived[] = [openedOf(life)]
  for (const its of bursts) {
    records.push({ type: 'Burst', data: its.burst }, safetyAskedAt(life, its.burst.atMs, 'burst'))
    const anatomy = anatomyOf(life, its, rules)
    if (anatomy !== null) records.push({ type: 'BurstAnatomy', data: anatomy })
    const outcome = outcomeOf(life, its, rules)
    if (outcome !== null) records.push({ type: 'BurstOutcome', data: outcome })
  }
  const graduation = graduationOf(life, bursts, rules)
  if (graduation !== null) records.push({ type: 'Graduation', data: graduation })
  const posts = postsOf(life, rules)
  records.push(...posts.map((data): ChainBDerived => ({ type: 'GraduationPost', data })))
  const [opening] = posts
  if (opening !== undefined) records.push(safetyAskedAt(life, opening.anchorAtMs, 'graduation'))
  const { closedAtMs } = life
  const openedAtMs = life.opening.data.blockAtMs
  if (closedAtMs !== null) records.push({ type: 'MintClosed', data: { openedAtMs, closedAtMs } })
  return records
}

const safetyAskedAt = ({ mint }: Life, atMs: number, reason: 'burst' | 'graduation'): ChainBDerived => ({
  type: 'SafetyAsked',
  data: { questionId: `${mint}:${atMs}:${reason}`, revision: 0, atMs, reason },
})

function openedOf({ opening, launchAtMs }: Life): ChainBDerived {
  const { curve, creator, quoteMint, isMayhem, blockAtMs: openedAtMs, blockNumber } = opening.data
  const isLaunch = opening.type === 'CurveLaunched'
  const launchSlot = isLaunch ? blockNumber : opening.data.launchSlot
  const names = isLaunch
    ? { launcher: opening.data.launcher, name: opening.data.name, symbol: opening.data.symbol }
    : { launcher: null, name: null, symbol: null }
  return {
    type: 'MintOpened',
    data: { openedAtMs, curve, creator, quoteMint, isMayhem, launchSlot, launchAtMs, ...names },
  }
}
