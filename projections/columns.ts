/** The columns of a table: what a record puts in each, and what a query gets back. */
import type { TopicName } from '../schemas/topics.ts'
import type { EpochMs, Hex } from '../schemas/units.ts'

/** What stands around a record: its topic, its key on the log, and what the mark before it says it supersedes. */
export type RowContext = Readonly<{ topic: TopicName; logKey: string; supersedesAtMs: EpochMs | null }>

export type Column<Source = never, Value = unknown> = Readonly<{
  /** As ClickHouse writes it. */
  type: string
  /** As an insert takes it. */
  storedOf(source: Source, context: RowContext): unknown
  /** What a query returned, as the value it stands for. */
  read(stored: unknown): Value
}>

export type Columns<Source = never> = Readonly<Record<string, Column<Source>>>

/** Exact integers are read as decimal text: a query decides how they are rounded. Addresses and hashes are text too. */
type ReadValue<Value> = Value extends bigint | Hex ? string : Value

/** Makes a column of a function from the record to the value. */
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

/** A column of a type whose values JSON carries as they are. */
export const plain = <Base>(type: string): ColumnMaker<Base> => makerOf<Base>({ type, store: same, read: same })

export const text = plain<string>('String')
/** Text of few different values. */
export const label = plain<string>('LowCardinality(String)')
export const texts = plain<readonly string[]>('Array(String)')
export const float64 = plain<number>('Float64')
export const int32 = plain<number>('Int32')
export const uint32 = plain<number>('UInt32')
/** A safe integer: instants, block numbers. */
export const int64 = makerOf<number>({ type: 'Int64', store: same, read: Number })
/** An exact on-chain integer. Decimal text on its way: JSON numbers would round it. */
export const bigInteger = makerOf<bigint>({ type: 'Int256', store: String, read: String })
export const flag = makerOf<boolean>({ type: 'UInt8', store: Number, read: Boolean })

export const nullable = <Base>({ storage }: ColumnMaker<Base>): ColumnMaker<Base | null> =>
  makerOf<Base | null>({
    type: `Nullable(${storage.type})`,
    store: (value) => (value === null ? null : storage.store(value)),
    read: (stored) => (stored === null ? null : storage.read(stored)),
  })
