/**
 * Column definitions of tables. A column says how the value of a record is stored, and how a stored value is
 * read.
 */
import type { TopicName } from '../schemas/topics.ts'
import type { EpochMs, Hex } from '../schemas/units.ts'

/**
 * Where a record comes from: its topic, its key in the log, and the time in the reorg mark before the record.
 * A reorg mark says that the next record replaces a row. `supersedesAtMs` is the time of that row before a
 * reorg moved it. `supersedesAtMs` is null if there is no mark, or if the row did not move.
 */
export type RowContext = Readonly<{ topic: TopicName; logKey: string; supersedesAtMs: EpochMs | null }>

export type Column<Source = never, Value = unknown> = Readonly<{
  /** The ClickHouse type. */
  type: string
  /** Returns the value of a record in the form that an insert needs. */
  storedOf(source: Source, context: RowContext): unknown
  /** Converts a stored value, as a query returns it, to the value in the row. */
  read(stored: unknown): Value
}>

export type Columns<Source = never> = Readonly<Record<string, Column<Source>>>

/**
 * Exact integers are read as decimal text, because only the queries may round. Addresses and hashes are also
 * read as text.
 */
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
/** A text column with few different values. */
export const label = plain<string>('LowCardinality(String)')
export const texts = plain<readonly string[]>('Array(String)')
export const float64 = plain<number>('Float64')
export const int32 = plain<number>('Int32')
export const uint32 = plain<number>('UInt32')
/** A column of safe integers, such as times or block numbers. */
export const int64 = makerOf<number>({ type: 'Int64', store: same, read: Number })
/**
 * A column of exact on-chain integers. A JSON number would round them, so they are inserted and read as
 * decimal text.
 */
export const bigInteger = makerOf<bigint>({ type: 'Int256', store: String, read: String })
export const flag = makerOf<boolean>({ type: 'UInt8', store: Number, read: Boolean })

export const nullable = <Base>({ storage }: ColumnMaker<Base>): ColumnMaker<Base | null> =>
  makerOf<Base | null>({
    type: `Nullable(${storage.type})`,
    store: (value) => (value === null ? null : storage.store(value)),
    read: (stored) => (stored === null ? null : storage.read(stored)),
  })
