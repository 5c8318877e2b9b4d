/**
 * Finds the summary of the trades before the newest call of a token. The API routes for precalls and for
 * the verdict need it.
 */
import { byKey, detailsAt, type RowAtCut, stampAt } from '../../rows-at-cut.ts'
import type { SubjectQuestion, SubjectRows } from '../../rows-of-subject.ts'
import type { DetailsOf, Stamp } from '../../select.ts'
import type { precallTablesOf } from '../tables.ts'

type PrecallTables = ReturnType<typeof precallTablesOf>

type Found = Readonly<{
  precall: RowAtCut<PrecallTables['Precall']>
  /** The wallets that bought before the post. Null: they are not known yet. */
  buyers: DetailsOf<PrecallTables['PrecallBuyers']> | null
  buyersStamp: Stamp | null
}>

/** The tables of precalls, with the range of the times of the posts that name the token. */
export const precallTablesIn = (
  { Precall, PrecallBuyers }: PrecallTables,
  posted: Readonly<{ from: number; to: number }>,
): SubjectQuestion['tables'] => [
  [Precall, posted],
  [PrecallBuyers, posted],
]

/**
 * Returns the summary of the trades before the newest call of the token. `known` has the rows of the token in
 * the range of `precallTablesIn`. Returns null if no post in the range names the token.
 */
export async function findNewestPrecall(
  known: SubjectRows,
  { Precall, PrecallBuyers }: PrecallTables,
): Promise<Found | null> {
  const { rows } = await known.of(Precall)
  const [precall] = [...rows].sort((left, right) => right.postedAtMs - left.postedAtMs)
  if (!precall) return null
  const { rows: found } = await known.of(PrecallBuyers)
  const buyers = byKey(PrecallBuyers, found)(precall)
  return { precall, buyers: detailsAt(PrecallBuyers, buyers), buyersStamp: stampAt(buyers) }
}
