/**
 * Collects the data of the last 48 h about a mint from all tables. The verdict about the mint is made from
 * this data.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBDesk } from '../../../schemas/chain-b/desk.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { callTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { type DeskQueries, deskProbes, selectTokenDesk } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { byKey, compareText, selectRowsAt, selectSeen } from '../../rows-at-cut.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import { chainBSafety } from '../tables/chain-b-safety.ts'
import type { VerdictRow } from './chain-b-queries.ts'
import { since } from './since.ts'
import { solOfLamports } from './units.ts'
import type { MintCallersAt } from './verdict-callers.ts'

const { ScannerGrade } = callTablesOf(chainBStage.name)

const deskSource = { tables: deskTablesOf(chainBStage.name), desk: chainBDesk }

const isMint = { sql: '= {mint:String}' }
const lookBackMs = callRules.watchMs

type Source = Readonly<{ database: Database; desk: DeskQueries; callersAt: MintCallersAt }>

/** Returns the data for the verdict about a mint, or null if there is none. `mint` is text from outside. */
export async function selectVerdict(
  { database, desk: queries, callersAt }: Source,
  cut: StageCut,
  mint: string,
): Promise<VerdictRow | null> {
  const { from: sinceMs, to: toMs } = since(cut, lookBackMs)
  const [safety, burst, grade, callers, seen] = await Promise.all([
    selectSafety(database, cut, mint),
    selectNewestBurst(database, cut, mint),
    selectGrade(database, cut, mint),
    callersAt(cut, mint),
    selectSeen(database, deskProbes(deskSource, { sinceMs, toMs, token: 'mint' }), { mint }),
  ])
  const desk = await selectTokenDesk(queries, cut, { token: mint, sinceMs, seen })
  const isSeen =
    [safety, burst, grade, desk.lastTrade].some((part) => part !== null) || callers.count > 0 || desk.shadows.length > 0
  return isSeen ? { mint, safety, burst, grade, callersWin35: callers.win35, ...desk } : null
}

/**
 * Selects the newest rug check of the mint. `hasPool` is true if the log or the provider of the check showed
 * a pool at that time.
 */
async function selectSafety(database: Database, cut: StageCut, mint: string): Promise<VerdictRow['safety']> {
  // The time of a rug check comes from the clock of the program that made the lookup. This clock is ahead of
  // the newest slot. So the range ends at `cut.atMs`, not at the newest block time.
  const checked = { ...since(cut, lookBackMs), to: cut.atMs }
  const { rows } = await selectRowsAt(database, chainBSafety, {
    atMs: cut.atMs,
    conditions: { checked_at_ms: checked, mint: isMint },
    parameters: { mint },
  })
  const [newest] = [...rows].sort((l, r) => r.checkedAtMs - l.checkedAtMs || compareText(r.reason, l.reason))
  if (!newest) return null
  const { knownAtMs: _, publishedAtMs: __, ...safety } = newest
  return { ...safety, hasPool: safety.hasPool === true || (await hadPool(database, cut, safety)) }
}

/** Returns whether the log shows that the curve of the mint graduated (got a pool) at or before the check. */
async function hadPool(
  database: Database,
  cut: StageCut,
  { mint, checkedAtMs }: Readonly<{ mint: string; checkedAtMs: EpochMs }>,
): Promise<boolean> {
  const { rows } = await selectRowsAt(database, chainBGraduations, {
    atMs: cut.atMs,
    conditions: { grad_at_ms: since(cut, lookBackMs), mint: isMint },
    parameters: { mint },
  })
  return rows.some(({ gradAtMs }) => gradAtMs <= checkedAtMs)
}

async function selectNewestBurst(database: Database, cut: StageCut, mint: string): Promise<VerdictRow['burst']> {
  const question = { atMs: cut.atMs, conditions: { at_ms: since(cut, lookBackMs), mint: isMint }, parameters: { mint } }
  const { rows } = await selectRowsAt(database, chainBBursts, question)
  const [newest] = [...rows].sort((left, right) => right.atMs - left.atMs)
  if (!newest) return null
  const { rows: anatomies } = await selectRowsAt(database, chainBAnatomies, question)
  const { atMs, inflowLamports, fillFrom, fillAt } = newest
  const anatomy = byKey(chainBAnatomies, anatomies)(newest)
  return {
    ...{ atMs, inflowSol: solOfLamports(inflowLamports), fillFrom, fillAt },
    anatomy: anatomy ? { bundledShare: anatomy.bundledShare, holdersTop10: anatomy.holdersTop10 } : null,
  }
}

/** Returns the newest grade of the mint, if the last scanner card for this grade is at most 48 h old. */
async function selectGrade(database: Database, cut: StageCut, mint: string): Promise<VerdictRow['grade']> {
  const { rows } = await selectRowsAt(database, ScannerGrade, {
    atMs: cut.atMs,
    conditions: { token: { sql: '= {mint:String}' } },
    parameters: { mint },
  })
  const { from } = since(cut, lookBackMs)
  const [newest] = rows
    .filter(({ lastCardAtMs }) => lastCardAtMs >= from)
    .sort((left, right) => right.gradedSinceMs - left.gradedSinceMs)
  return newest ?? null
}
