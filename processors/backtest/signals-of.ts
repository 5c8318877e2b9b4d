/**
 * Finds the signals among the rows of a run. Adds to each signal its outcome and the results of its lookups.
 * Also adds the names of the lookups that have no result.
 */
import type { Stage, StageRecord } from '../../schemas/stage.ts'
import { type RowVersions, rowId } from '../runtime/restatement/row-versions.ts'
import type { ComparedKind, Signal } from '../signals.ts'
import type { KnownTimes } from './known-times.ts'
import type { KnownRange } from './read-known.ts'

/**
 * Returns the derived record types that these kinds of signals need: those of the signals, the records by which
 * the service knows them, their outcomes and the results of their lookups.
 */
export const typesOf = (kinds: readonly ComparedKind[]): ReadonlySet<string> =>
  new Set(
    kinds.flatMap(({ signal, knownBy, outcome, lookups }) => [
      signal,
      ...(knownBy.factRow === null ? [knownBy.type] : []),
      ...(outcome === null ? [] : [outcome]),
      ...lookups.map(({ record }) => record),
    ]),
  )

type Wanted = Readonly<{ kinds: readonly ComparedKind[]; range: KnownRange; known: KnownTimes }>

/** Returns the signals that fired in the range, in order of time. */
export function signalsOf(stage: Stage, rows: RowVersions, { kinds, range, known }: Wanted): readonly Signal[] {
  const signals: Signal[] = []
  for (const { token, key, record } of rows.values()) {
    const kind = record && kinds.find(({ signal }) => signal === record.type)
    if (!kind || key.atMs < range.fromMs || key.atMs >= range.toMs) continue
    const found = (recordType: string): StageRecord['data'] | null =>
      rows.get(rowId(stage, { token, key: { ...key, recordType } }))?.record?.data ?? null
    const answers = kind.lookups.map((lookup) => ({ lookup, answer: found(lookup.record) }))
    const outcome = kind.outcome === null ? record.data : found(kind.outcome)
    signals.push({
      id: `${kind.name} ${token} ${stage.rowNameOf(key)} ${key.atMs}`,
      ...{ kind: kind.name, group: kind.groupOf(record.data), token, atMs: key.atMs },
      knownAtMs: known.knownAtMsOf(kind, { token, key }),
      source: `${token} ${stage.rowNameOf(key)}`,
      returns: outcome && returnsOf(kind, outcome),
      lacks: answers.flatMap(({ lookup, answer }) =>
        answer === null || lookup.isEmpty(answer as never) ? [lookup.name] : [],
      ),
      values: Object.fromEntries(
        answers.flatMap(({ lookup, answer }) =>
          Object.entries(lookup.fields).map(([name, { of }]) => [name, answer && of(answer as never)]),
        ),
      ),
    })
  }
  return signals.sort((left, right) => left.atMs - right.atMs || (left.id < right.id ? -1 : 1))
}

const returnsOf = ({ returns }: ComparedKind, outcome: object): Readonly<Record<string, number | null>> =>
  Object.fromEntries(returns.map(({ name, of }) => [name, of(outcome as never)]))
