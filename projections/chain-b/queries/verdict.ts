/** Collects all records about a mint of the last 48 h, from all tables, for the rules of its verdict. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { atCut } from '../../at-cut.ts'
import { callTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { type DeskQueries, selectTokenDesk } from '../../desk/queries/desk.ts'
import { detailsOf, rowOf, type Selected, selectOf, stampOf } from '../../select.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import { chainBSafety } from '../tables/chain-b-safety.ts'
import type { VerdictRow } from './chain-b-queries.ts'
import { since } from './since.ts'
import { solOfLamports } from './units.ts'
import type { MintCallersAt } from './verdict-callers.ts'

const { ScannerGrade } = callTablesOf(chainBStage.name)

const isMint = { sql: '= {mint:String}' }
const lookBackMs = callRules.watchMs

type Source = Readonly<{ database: Database; desk: DeskQueries; callersAt: MintCallersAt }>

/** The records about a mint. Null: there are no records. `mint` is text from outside. */
export async function selectVerdict(
  { database, desk: queries, callersAt }: Source,
  cut: StageCut,
  mint: string,
): Promise<VerdictRow | null> {
  const [safety, burst, grade, callers, desk] = await Promise.all([
    selectSafety(database, cut, mint),
    selectNewestBurst(database, cut, mint),
    selectGrade(database, cut, mint),
    callersAt(cut, mint),
    selectTokenDesk(queries, cut, { token: mint, sinceMs: since(cut, lookBackMs).from }),
  ])
  const isSeen =
    [safety, burst, grade, desk.lastTrade].some((part) => part !== null) || callers.count > 0 || desk.shadows.length > 0
  return isSeen ? { mint, safety, burst, grade, callersWin35: callers.win35, ...desk } : null
}

/** The newest rug check, and whether the mint then had a pool according to the log or the provider. */
async function selectSafety(database: Database, cut: StageCut, mint: string): Promise<VerdictRow['safety']> {
  // A rug check has the time of the lookup's clock, which is ahead of the newest slot. So the range ends at the knowledge time.
  const checked = { ...since(cut, lookBackMs), to: cut.atMs }
  const [selected] = await database.query<Selected & { gradAtMs: string }>(
    `SELECT ${selectOf(chainBSafety, 's')}, (
       SELECT min(grad_at_ms) FROM ${atCut(chainBGraduations, cut.atMs, { grad_at_ms: since(cut, lookBackMs), mint: isMint })}
     ) AS gradAtMs
     FROM ${atCut(chainBSafety, cut.atMs, { checked_at_ms: checked, mint: isMint })} AS s
     ORDER BY s.checked_at_ms DESC, s.reason DESC LIMIT 1`,
    { mint },
  )
  if (!selected) return null
  const safety = rowOf(chainBSafety, 's', selected)
  const gradAtMs = Number(selected.gradAtMs)
  return { ...safety, hasPool: safety.hasPool === true || (gradAtMs > 0 && gradAtMs <= safety.checkedAtMs) }
}

async function selectNewestBurst(database: Database, cut: StageCut, mint: string): Promise<VerdictRow['burst']> {
  const keys = { at_ms: since(cut, lookBackMs), mint: isMint }
  const [selected] = await database.query<Selected>(
    `SELECT ${selectOf(chainBBursts, 'b')}, ${selectOf(chainBAnatomies, 'y')}
     FROM ${atCut(chainBBursts, cut.atMs, keys)} AS b
     LEFT JOIN ${atCut(chainBAnatomies, cut.atMs, keys)} AS y ON y.mint = b.mint AND y.at_ms = b.at_ms
     ORDER BY b.at_ms DESC LIMIT 1`,
    { mint },
  )
  if (!selected) return null
  const { atMs, inflowLamports, fillFrom, fillAt } = rowOf(chainBBursts, 'b', selected)
  const anatomy = detailsOf(chainBAnatomies, 'y', selected)
  return {
    ...{ atMs, inflowSol: solOfLamports(inflowLamports), fillFrom, fillAt },
    anatomy: anatomy && { bundledShare: anatomy.bundledShare, holdersTop10: anatomy.holdersTop10 },
  }
}

/** The newest grade, if its last card is at most 48 h old. */
async function selectGrade(database: Database, cut: StageCut, mint: string): Promise<VerdictRow['grade']> {
  const [selected] = await database.query<Selected>(
    `SELECT ${selectOf(ScannerGrade, 'g')} FROM ${atCut(ScannerGrade, cut.atMs, { token: isMint })} AS g
     WHERE g.last_card_at_ms >= ${since(cut, lookBackMs).from} ORDER BY g.graded_since_ms DESC LIMIT 1`,
    { mint },
  )
  if (!selected) return null
  return { ...rowOf(ScannerGrade, 'g', selected), ...stampOf('g', selected) }
}
