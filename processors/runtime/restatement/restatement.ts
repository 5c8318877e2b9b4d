/**
 * Computes the difference between the rows that were published before a reorg and the rows that result from
 * the valid facts.
 */
import type { MarkRecord, Stage, StageRecord } from '../../../schemas/stage.ts'
import type { DerivedOutput, RowVersion, RowVersions } from './row-versions.ts'

/**
 * Rows by id. The base is the point from which the valid facts are processed again.
 * - `published`: the rows published after the base.
 * - `folded`: the rows that result from the valid facts after the base.
 * - `earlier`: the rows published before the base, which the reorg has not changed.
 */
export type Compared = Readonly<{ published: RowVersions; folded: RowVersions; earlier: RowVersions }>

/**
 * A row before (`was`) and after (`is`) the reorg. A value is null if the row does not exist. `wasFor` is the
 * `supersedesAtMs` in the last `Restated` mark of the row. This mark stays valid until the row is withdrawn.
 */
type Change = Readonly<{
  row: RowVersion
  was: StageRecord | null
  wasFor: number | null
  is: StageRecord | null
}>

/**
 * Returns the rows that are only in `published` or only in `folded`. The caller must look up their versions
 * from before the base.
 */
export function rowsToLookUp({ published, folded }: Omit<Compared, 'earlier'>): RowVersion[] {
  const isMissingIn =
    (rows: RowVersions) =>
    ([id]: [string, RowVersion]) =>
      !rows.has(id)
  return [...[...published].filter(isMissingIn(folded)), ...[...folded].filter(isMissingIn(published))].map(
    ([, row]) => row,
  )
}

/**
 * Returns the records to publish: first the withdrawn rows, then the new and changed rows. Both lists are
 * sorted by token, type, name and time. The order in which rows are emitted depends on the point at which
 * processing began, but the published bytes must not.
 */
export function restatementOf(
  stage: Stage,
  compared: Compared,
  bytesOf: (record: StageRecord) => Buffer,
): DerivedOutput[] {
  const changes = changesOf(compared).sort((left, right) => compareRows(stage, left.row, right.row))
  const withdrawn = changes.filter(({ is }) => is === null)
  const supersede = supersederOf(stage, withdrawn)
  const versions = changes.flatMap(({ row, was, wasFor, is }): DerivedOutput[] => {
    if (is === null || (was !== null && bytesOf(was).equals(bytesOf(is)))) return []
    const supersedesAtMs = was === null ? supersede(row) : wasFor
    const version: DerivedOutput = { token: row.token, record: is }
    if (was === null && supersedesAtMs === null) return [version]
    return [markOf(row, { type: 'Restated', data: { ...row.key, supersedesAtMs } }), version]
  })
  return [...withdrawn.map(({ row }) => markOf(row, { type: 'Withdrawn', data: row.key })), ...versions]
}

const markOf = ({ token }: RowVersion, record: MarkRecord): DerivedOutput => ({ token, record })

/** Returns for each row the versions before and after the reorg. Rows that exist in neither are left out. */
function changesOf({ published, folded, earlier }: Compared): Change[] {
  const lastIn = (rows: RowVersions, id: string) => rows.get(id) ?? earlier.get(id)
  const changes: Change[] = []
  for (const [id, row] of new Map([...published, ...folded])) {
    const { record: was = null, supersedesAtMs: wasFor = null } = lastIn(published, id) ?? {}
    const is = lastIn(folded, id)?.record ?? null
    if (was !== null || is !== null) changes.push({ row, was, wasFor, is })
  }
  return changes
}

/**
 * Returns a function that finds the withdrawn row that a new row replaces. This is the next withdrawn row
 * with the same type and name. The function returns the time of that row. It returns null if there is none,
 * or if rows of this type cannot replace others (`movableTypes`).
 */
function supersederOf(stage: Stage, withdrawn: readonly Change[]): (row: RowVersion) => number | null {
  const nameOf = ({ token, key }: RowVersion) => `${token} ${key.recordType} ${stage.rowNameOf(key)}`
  const isMovable = ({ key }: RowVersion) => stage.movableTypes.includes(key.recordType)
  const free = new Map<string, number[]>()
  for (const { row } of withdrawn)
    if (isMovable(row)) free.set(nameOf(row), [...(free.get(nameOf(row)) ?? []), row.key.atMs])
  return (row) => (isMovable(row) && free.get(nameOf(row))?.shift()) || null
}

function compareRows(stage: Stage, left: RowVersion, right: RowVersion): number {
  return (
    compareText(left.token, right.token) ||
    compareText(left.key.recordType, right.key.recordType) ||
    compareText(stage.rowNameOf(left.key), stage.rowNameOf(right.key)) ||
    left.key.atMs - right.key.atMs
  )
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
