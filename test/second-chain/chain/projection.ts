/**
 * Defines the table and the queries of the second chain. In the service, this code would be in
 * `projections/<chain>/`.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { atCut } from '../../../projections/at-cut.ts'
import { bigInteger, int64, nullable, text } from '../../../projections/columns.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projectionOf } from '../../../projections/projection.ts'
import { type RowOf, rowOf, type Selected, selectOf } from '../../../projections/select.ts'
import { versionTable } from '../../../projections/table.ts'
import { createTracked, identifiersIn, type Tracked } from '../../../projections/tracked.ts'
import type { RowKey } from '../../../schemas/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { type Rush, type SecondTypes, secondStage } from './schemas.ts'

const rushes = versionTable<Rush>()({
  name: 'second_rushes',
  naturalKey: ['mint', 'at_ms'],
  order: ['mint', 'at_ms'],
  partition: { column: 'at_ms', everyMs: dayMs },
  columns: {
    mint: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    slot: int64(({ slot }) => slot),
    creator: text(({ creator }) => creator),
    lamports: bigInteger(({ lamports }) => lamports),
    supersedes_at_ms: nullable(int64)((_, { supersedesAtMs }) => supersedesAtMs),
  },
  withdrawn: ({ atMs }: RowKey, mint) => ({ mint, at_ms: atMs }),
})

export const secondProjection = projectionOf<SecondTypes>({
  stage: secondStage,
  migrations: [new URL('./migrations/', import.meta.url)],
  tables: { Rush: rushes },
})

export type RushRow = RowOf<typeof rushes>

export type SecondQueries = Readonly<{
  mints: Tracked
  /** Null: the mint has no rush. */
  rushOf(cut: StageCut, mint: string): Promise<RushRow | null>
  /** Returns the rushes of the last `durationMs` before the cut's newest slot, the newest first. */
  rushesOfLast(cut: StageCut, durationMs: number): Promise<readonly RushRow[]>
}>

/** `database`: a reader. */
export function createSecondQueries(database: Database): SecondQueries {
  const select = async (source: string, parameters: Readonly<Record<string, string>> = {}) => {
    const sql = `SELECT ${selectOf(rushes, 'r')} FROM ${source} AS r ORDER BY r.at_ms DESC, r.mint`
    const rows = await database.query<Selected>(sql, parameters)
    return rows.map((selected) => rowOf(rushes, 'r', selected))
  }
  return {
    mints: createTracked(database, [identifiersIn(rushes, 'mint', null)]),
    rushOf: async ({ atMs }, mint) =>
      (await select(atCut(rushes, atMs, { mint: { sql: '= {mint:String}' } }), { mint }))[0] ?? null,
    rushesOfLast: ({ atMs, blockAtMs }, durationMs) =>
      select(atCut(rushes, atMs, { at_ms: { from: blockAtMs - durationMs + 1, to: blockAtMs } })),
  }
}
