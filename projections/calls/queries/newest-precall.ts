/**
 * Selects the summary of the trades before the newest call of a token. The API routes for precalls and for
 * the verdict need it.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { byKey, detailsAt, type RowAtCut, selectRowsAt, stampAt } from '../../rows-at-cut.ts'
import type { DetailsOf, Stamp } from '../../select.ts'
import type { precallTablesOf } from '../tables.ts'

type PrecallTables = ReturnType<typeof precallTablesOf>

type Question = Readonly<{
  tables: PrecallTables
  /** Text from outside. */
  token: string
  /** The range of the times of the posts that name the token. */
  posted: Readonly<{ from: number; to: number }>
}>

type Found = Readonly<{
  precall: RowAtCut<PrecallTables['Precall']>
  /** The wallets that bought before the post. Null: they are not known yet. */
  buyers: DetailsOf<PrecallTables['PrecallBuyers']> | null
  buyersStamp: Stamp | null
}>

/**
 * Selects the summary of the trades before the newest call of the token. Returns null if no post in the range
 * names the token.
 */
export async function selectNewestPrecall(
  database: Database,
  atMs: EpochMs,
  { tables: { Precall, PrecallBuyers }, token, posted }: Question,
): Promise<Found | null> {
  const question = {
    atMs,
    conditions: { token: { sql: '= {token:String}' }, posted_at_ms: posted },
    parameters: { token },
  }
  const { rows } = await selectRowsAt(database, Precall, question)
  const [precall] = [...rows].sort((left, right) => right.postedAtMs - left.postedAtMs)
  if (!precall) return null
  const { rows: found } = await selectRowsAt(database, PrecallBuyers, question)
  const buyers = byKey(PrecallBuyers, found)(precall)
  return { precall, buyers: detailsAt(PrecallBuyers, buyers), buyersStamp: stampAt(buyers) }
}
