/** The columns of a table: how a column stores a value of a record, and how a query reads the stored value. */
import type { TopicName } from '../schemas/topics.ts'
import type { EpochMs, Hex } from '../schemas/units.ts'

/**
 * The topic of a record, its key in the log, and the instant in the mark before it. `supersedesAtMs` is the instant from which a reorg
 * moved the row. Null: there is no mark, or the row did not move.
 */
export type RowContext = Readonly<{ topic: TopicName; logKey: string; supersedesAtMs: EpochMs | null }>

export type Column<Source = never, Value = unknown> = Readonly<{
  /** The ClickHouse type. */
  type: string
  /** Returns the value of a record in the form for an insert. */
  storedOf(source: Source, context: RowContext): unknown
  /** Converts a value that a query returned to the value of the row. */
  read(stored: unknown): Value
}>

export type Columns<Source = never> = Readonly<Record<string, Column<Source>>>

/** Exact integers are read as decimal text, because only the queries round. Addresses and hashes are read as text too. */
type ReadValue<Value> = Value extends bigint | Hex ? string : Value

/** Makes a column from a function that picks the column's value from a record. */
type ColumnMaker<Base> = {
  <Source, Value extends Base>(pick: (source: Source, context: RowContext) => Value): Column<Source, ReadValue<Value>>
  readonly storage: Storage
}

type Storage = Readonly<{ type: string; store(value: unknown): unknown; read(stored: unknown): unknown }>

const makerOf = <Base>(storage: Storage): ColumnMaker<Base> =>
  Object.assign(
    <Source, Value extends Base>(pick: (source: Source, context: RowContext) => Value) => ({
      type: storage.type,
      storedOf: (source: Source, context: RowContext) => storage.store(pick(source, context)),
      read: storage.read as (stored: unknown) => ReadValue<Value>,
    }),
    { storage },
  )

const same = (value: unknown): unknown => value

/** Makes columns of a type whose values need no conversion to or from JSON. */
export const plain = <Base>(type: string): ColumnMaker<Base> => makerOf<Base>({ type, store: same, read: same })

export const text = plain<string>('String')
/** Text with few different values in a table. */
export const label = plain<string>('LowCardinality(String)')
export const texts = plain<readonly string[]>('Array(String)')
export const float64 = plain<number>('Float64')
export const int32 = plain<number>('Int32')
export const uint32 = plain<number>('UInt32')
/** A safe integer, such as an instant or a block number. */
export const int64 = makerOf<number>({ type: 'Int64', store: same, read: Number })
/** An exact on-chain integer. A JSON number would round it, so it is inserted and read as decimal text. */
export const bigInteger = makerOf<bigint>({ type: 'Int256', store: String, read: String })
export const flag = makerOf<boolean>({ type: 'UInt8', store: Number, read: Boolean })

export const nullable = <Base>({ storage }: ColumnMaker<Base>): ColumnMaker<Base | null> =>
  makerOf<Base | null>({
    type: `Nullable(${storage.type})`,
    store: (value) => (value === null ? null : storage.store(value)),
    read: (stored) => (stored === null ? null : storage.read(stored)),
  })
