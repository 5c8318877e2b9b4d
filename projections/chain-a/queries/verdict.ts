/**
 * Collects the data about a token of chain A from all tables. The verdict about the token is made from this
 * data.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import { type DeskQueries, deskTables, selectTokenDesk } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { byKey, type RowAtCut } from '../../rows-at-cut.ts'
import { selectSubject } from '../../rows-of-subject.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import type { BurstReading } from './bursts.ts'
import type { VerdictRow } from './chain-a-queries.ts'
import type { TokenInRows } from './liquidity.ts'
import { since } from './pools.ts'
import { selectTokenRecords, tokenRecordTables } from './rug-check.ts'
import { findVerdictPrecall, verdictPrecallTables } from './verdict-precall.ts'

const deskSource = { tables: deskTablesOf(chainAStage.name), desk: chainADesk }

type Source = Pick<BurstReading, 'database' | 'burstsInMemory'> & Readonly<{ desk: DeskQueries }>

/**
 * Selects the data for the verdict about a token. Returns null in the same cases as `selectTokenRecords`.
 * `token` is text from outside.
 */
export async function selectVerdict(source: Source, cut: StageCut, token: string): Promise<VerdictRow | null> {
  const { database, desk: queries } = source
  const sinceMs = since(cut, callRules.watchMs).from
  const ofDesk = deskTables(deskSource, { sinceMs, toMs: cut.blockAtMs })
  const rows = await selectSubject(database, {
    ...{ topic: chainAStage.derivedTopic.name, kind: 'token', subjects: [token], atMs: cut.atMs },
    tables: [...tokenRecordTables(cut), [bursts, since(cut, dayMs)], ...verdictPrecallTables(cut), ...ofDesk],
  })
  const records = await selectTokenRecords(database, cut, { token, rows })
  if (records === null) return null
  const [isRugged, precall, desk] = await Promise.all([
    wasRugged(source, cut, { token, rows }),
    findVerdictPrecall(cut, rows),
    selectTokenDesk({ queries, ...deskSource }, cut, { token, sinceMs, rows }),
  ])
  const { ofPools, opened, curve, launchedAtMs } = records
  const births = [opened.firstAtMs, launchedAtMs].filter((atMs) => atMs !== null)
  return {
    ...{ token, classes: ofPools.classes, v4PoolCount: ofPools.v4PoolCount, v3PoolCount: opened.v3PoolCount, curve },
    ...{ insiderShare: ofPools.insiderShare, checkedAtMs: ofPools.checkedAtMs, isRugged },
    ...{ bornAtMs: births.length === 0 ? null : Math.min(...births), precall, ...desk },
  }
}

/** Returns whether the outcome of a burst of the token in the last 24 h has a rug (pulled liquidity). */
async function wasRugged(
  { database, burstsInMemory }: Source,
  cut: StageCut,
  { token, rows }: TokenInRows,
): Promise<boolean> {
  const { rows: fired } = await rows.of(bursts)
  if (fired.length === 0) return false
  const recent = await burstsInMemory(cut, since(cut, dayMs))
  const outcomes =
    recent === null
      ? await selectOutcomes(database, cut, fired)
      : recent.filter(({ burst }) => burst.token === token).map(({ outcome }) => outcome)
  return outcomes.some((outcome) => (outcome?.rugAtSec ?? null) !== null)
}

type Burst = RowAtCut<typeof bursts>

/** Selects the outcome of each of these bursts of the last 24 h, undefined if it has none. */
async function selectOutcomes(
  database: Database,
  cut: StageCut,
  fired: readonly Burst[],
): Promise<readonly (RowAtCut<typeof burstOutcomes> | undefined)[]> {
  const ofPools = await selectSubject(database, {
    ...{ topic: chainAStage.derivedTopic.name, kind: 'pool', subjects: [...new Set(fired.map(({ pool }) => pool))] },
    ...{ atMs: cut.atMs, tables: [[burstOutcomes, since(cut, dayMs)]] },
  })
  return fired.map(byKey(burstOutcomes, (await ofPools.of(burstOutcomes)).rows))
}
