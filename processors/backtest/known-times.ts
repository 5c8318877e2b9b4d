/**
 * Collects the times at which the service knew the signals of a stage. A signal that it knew late, for example
 * after it had been down, has a return that nobody could have got.
 */
import type { RowKey, Stage, StageRecord } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { DerivedOutput } from '../runtime/restatement/row-versions.ts'
import type { ComparedKind } from '../signals.ts'

type Known = Readonly<{ token: string; type: string; name: string; atMs: EpochMs }>

/**
 * The earliest known time of each row and of each fact that tells of a signal. A reorg replaces facts, and the
 * new ones are known later. All runs of a backtest share one object, because the service knew a recorded signal
 * before the reorg.
 */
export class KnownTimes {
  readonly #stage: Stage
  readonly #factRows: ReadonlyMap<string, NonNullable<ComparedKind['knownBy']['factRow']>>
  readonly #times = new Map<string, EpochMs>()
  /** The facts after the last tick. The next tick tells when they became known. */
  #openIds: string[] = []

  constructor(stage: Stage, kinds: readonly ComparedKind[]) {
    this.#stage = stage
    this.#factRows = new Map(kinds.flatMap(({ knownBy: { type, factRow } }) => (factRow ? [[type, factRow]] : [])))
  }

  /** Notes a version of a row. `record` must not be a mark. */
  takeRow({ token, record }: DerivedOutput, knownAtMs: EpochMs): void {
    const key = this.#stage.rowKeyOf(record)
    this.#note(idOf({ token, type: record.type, name: this.#stage.rowNameOf(key), atMs: key.atMs }), knownAtMs)
  }

  takeFact(token: string, { type, data }: StageRecord): void {
    const factRow = this.#factRows.get(type)
    if (factRow) this.#openIds.push(idOf({ token, type, ...factRow(data as never) }))
  }

  takeFactTick(knownAtMs: EpochMs): void {
    for (const id of this.#openIds) this.#note(id, knownAtMs)
    this.#openIds = []
  }

  /** Returns when the service knew the signal with this row key. Null: the log does not tell. */
  knownAtMsOf({ knownBy }: ComparedKind, { token, key }: Readonly<{ token: string; key: RowKey }>): EpochMs | null {
    const id = idOf({ token, type: knownBy.type, name: this.#stage.rowNameOf(key), atMs: key.atMs })
    return this.#times.get(id) ?? null
  }

  #note(id: string, knownAtMs: EpochMs): void {
    this.#times.set(id, Math.min(knownAtMs, this.#times.get(id) ?? knownAtMs))
  }
}

const idOf = ({ token, type, name, atMs }: Known): string => `${token} ${type} ${name} ${atMs}`
