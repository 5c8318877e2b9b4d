import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { type SubjectQuestion, selectSubject } from '../../rows-of-subject.ts'
import { selectOne } from '../../select-one.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import { poolProfiles } from '../tables/pool-profiles.ts'
import { pools } from '../tables/pools.ts'
import type { CurveRow, RugCheckRow } from './chain-a-queries.ts'
import { findCurves } from './launch-curves.ts'
import { selectProfiles, type TokenInRows, type TokenPools } from './liquidity.ts'
import { since } from './pools.ts'

/** The data about a token from which its rug check and its verdict are made. */
export type TokenRecords = Readonly<{
  ofPools: TokenPools
  opened: Opened
  /** The newest curve of the token. Null if there is no curve, or if its liquidity has moved to a pool. */
  curve: CurveRow | null
  /** The launch time of the token's first curve. Null if no launch time is known. */
  launchedAtMs: EpochMs | null
}>

/**
 * The number of the token's v3 pools of the last 24 h, and the creation time of its first pool. `firstAtMs`
 * is null if there is no such pool.
 */
type Opened = Readonly<{ v3PoolCount: number; firstAtMs: EpochMs | null }>

/** The tables of `TokenRecords`, with the time spans of the rows. */
export const tokenRecordTables = (cut: StageCut): SubjectQuestion['tables'] => [
  [poolProfiles, since(cut, dayMs)],
  [pools, since(cut, dayMs)],
  [launchCurves, null],
]

/**
 * Collects the data for the rug check and the verdict of a token. `rows` has the rows of the token in
 * `tokenRecordTables`. Returns null if no pool of the token was created in the last 24 h and the token is on no
 * curve. `token` is text from outside.
 */
export async function selectTokenRecords(
  database: Database,
  cut: StageCut,
  { token, rows }: TokenInRows,
): Promise<TokenRecords | null> {
  const [ofPools, opened, curves] = await Promise.all([
    selectProfiles(database, cut, { token, rows }),
    selectOpened(database, cut, { token, rows }),
    findCurves(cut, rows),
  ])
  const isTracked = ofPools.v4PoolCount + opened.v3PoolCount > 0 || curves.curve !== null
  return isTracked ? { ofPools, opened, ...curves } : null
}

/** Returns the rug check of a token. Returns null in the same cases as `selectTokenRecords`. */
export async function selectRugCheck(database: Database, cut: StageCut, token: string): Promise<RugCheckRow | null> {
  const question = { topic: chainAStage.derivedTopic.name, kind: 'token', subjects: [token] } as const
  const rows = await selectSubject(database, { ...question, atMs: cut.atMs, tables: tokenRecordTables(cut) })
  const records = await selectTokenRecords(database, cut, { token, rows })
  if (records === null) return null
  const { profiles, v4PoolCount, classes } = records.ofPools
  return { profiles, v4PoolCount, classes, v3PoolCount: records.opened.v3PoolCount, curve: records.curve }
}

/**
 * The maximum number of pools of a token that are read as rows. If a token has more, ClickHouse counts its
 * pools. Anyone can create many pools of a token.
 */
const readPoolsMax = 100

async function selectOpened(database: Database, cut: StageCut, { token, rows: known }: TokenInRows): Promise<Opened> {
  const isToken = '= {token:String}'
  const { rows, isAll } = await known.of(pools, readPoolsMax)
  if (isAll)
    return {
      v3PoolCount: rows.filter(({ dex }) => dex === 'v3').length,
      firstAtMs: rows.reduce<number | null>(
        (first, { createdAtMs }) => Math.min(first ?? createdAtMs, createdAtMs),
        null,
      ),
    }
  const row = await selectOne<{ v3: string; firstAtMs: string }>(
    database,
    `SELECT countIf(dex = 'v3') AS v3, min(created_at_ms) AS firstAtMs
     FROM ${atCut(pools, cut.atMs, { created_at_ms: since(cut, dayMs) })} WHERE token ${isToken}`,
    { token },
  )
  return { v3PoolCount: Number(row.v3), firstAtMs: Number(row.firstAtMs) || null }
}
