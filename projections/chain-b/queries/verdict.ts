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
import { type DeskQueries, deskTables, selectTokenDesk } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { byKey, compareText } from '../../rows-at-cut.ts'
import { type SubjectQuestion, type SubjectRows, selectSubject } from '../../rows-of-subject.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import { chainBSafety } from '../tables/chain-b-safety.ts'
import type { VerdictRow } from './chain-b-queries.ts'
import { since } from './since.ts'
import { solOfLamports } from './units.ts'
import { callersTables, type MintCallersAt } from './verdict-callers.ts'

const { ScannerGrade } = callTablesOf(chainBStage.name)

const deskSource = { tables: deskTablesOf(chainBStage.name), desk: chainBDesk }

const lookBackMs = callRules.watchMs

type Source = Readonly<{ database: Database; desk: DeskQueries; callersAt: MintCallersAt }>

/** Returns the data for the verdict about a mint, or null if there is none. `mint` is text from outside. */
export async function selectVerdict(
  { database, desk: queries, callersAt }: Source,
  cut: StageCut,
  mint: string,
): Promise<VerdictRow | null> {
  const { from: sinceMs, to: toMs } = since(cut, lookBackMs)
  const rows = await selectSubject(database, {
    ...{ topic: chainBStage.derivedTopic.name, kind: 'token', subjects: [mint], atMs: cut.atMs },
    tables: [...verdictTables(cut), ...callersTables(cut), ...deskTables(deskSource, { sinceMs, toMs })],
  })
  const [safety, burst, grade, callers, desk] = await Promise.all([
    findSafety(rows),
    findNewestBurst(rows),
    findGrade(cut, rows),
    callersAt(cut, rows),
    selectTokenDesk({ queries, ...deskSource }, cut, { token: mint, sinceMs, rows }),
  ])
  const isSeen =
    [safety, burst, grade, desk.lastTrade].some((part) => part !== null) || callers.count > 0 || desk.shadows.length > 0
  return isSeen ? { mint, safety, burst, grade, callersWin35: callers.win35, ...desk } : null
}

const verdictTables = (cut: StageCut): SubjectQuestion['tables'] => [
  // The time of a rug check comes from the clock of the program that made the lookup. This clock is ahead of
  // the newest slot. So the range ends at `cut.atMs`, not at the newest block time.
  [chainBSafety, { ...since(cut, lookBackMs), to: cut.atMs }],
  [chainBGraduations, since(cut, lookBackMs)],
  [chainBBursts, since(cut, lookBackMs)],
  [chainBAnatomies, since(cut, lookBackMs)],
  [ScannerGrade, null],
]

/**
 * Finds the newest rug check of the mint. `hasPool` is true if the log or the provider of the check showed a
 * pool at that time.
 */
async function findSafety(known: SubjectRows): Promise<VerdictRow['safety']> {
  const { rows } = await known.of(chainBSafety)
  const [newest] = [...rows].sort((l, r) => r.checkedAtMs - l.checkedAtMs || compareText(r.reason, l.reason))
  if (!newest) return null
  const { knownAtMs: _, publishedAtMs: __, ...safety } = newest
  return { ...safety, hasPool: safety.hasPool === true || (await hadPool(known, safety)) }
}

/** Returns whether the log shows that the curve of the mint graduated (got a pool) at or before the check. */
async function hadPool(known: SubjectRows, { checkedAtMs }: Readonly<{ checkedAtMs: EpochMs }>): Promise<boolean> {
  const { rows } = await known.of(chainBGraduations)
  return rows.some(({ gradAtMs }) => gradAtMs <= checkedAtMs)
}

async function findNewestBurst(known: SubjectRows): Promise<VerdictRow['burst']> {
  const { rows } = await known.of(chainBBursts)
  const [newest] = [...rows].sort((left, right) => right.atMs - left.atMs)
  if (!newest) return null
  const { rows: anatomies } = await known.of(chainBAnatomies)
  const { atMs, inflowLamports, fillFrom, fillAt } = newest
  const anatomy = byKey(chainBAnatomies, anatomies)(newest)
  return {
    ...{ atMs, inflowSol: solOfLamports(inflowLamports), fillFrom, fillAt },
    anatomy: anatomy ? { bundledShare: anatomy.bundledShare, holdersTop10: anatomy.holdersTop10 } : null,
  }
}

/** Returns the newest grade of the mint, if the last scanner card for this grade is at most 48 h old. */
async function findGrade(cut: StageCut, known: SubjectRows): Promise<VerdictRow['grade']> {
  const { rows } = await known.of(ScannerGrade)
  const { from } = since(cut, lookBackMs)
  const [newest] = rows
    .filter(({ lastCardAtMs }) => lastCardAtMs >= from)
    .sort((left, right) => right.gradedSinceMs - left.gradedSinceMs)
  return newest ?? null
}
