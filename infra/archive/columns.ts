/**
 * The columns of a topic's files, and the row of a record. Every file of a topic has the same columns: those of every
 * record, then the fields of all record types of the topic, and in archives the exact bytes of the record.
 */
import type { AvroSchema } from '../../schemas/avro.ts'
import type { Topic } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Cell, ColumnKind, ColumnShape, Row } from './parquet-file.ts'

export const forms = ['archive', 'public'] as const
/** `archive`: for the owner only, with the exact bytes. `public`: may be shared. */
export type Form = (typeof forms)[number]

/** A record of the log with everything that a row contains. */
export type FiledRecord = Readonly<{
  topic: string
  partition: number
  offset: number
  key: string
  type: string
  /** The event time, or null if the record has none. */
  eventAt: EpochMs | null
  knownAt: EpochMs
  publishedAt: EpochMs
  data: object
  value: Uint8Array
}>

/** The first columns of each file. The fields of the record follow. Vendors of market data use the same three names of times. */
const headColumns: readonly ColumnShape[] = [
  { name: 'ts_event', kind: 'instant' },
  { name: 'ts_recv', kind: 'instant' },
  { name: 'ts_published', kind: 'instant' },
  { name: 'topic', kind: 'text' },
  { name: 'partition', kind: 'integer' },
  { name: 'offset', kind: 'integer' },
  { name: 'type', kind: 'text' },
  { name: 'key', kind: 'text' },
]
const valueColumn: ColumnShape = { name: 'value', kind: 'bytes' }

/** The form of a field's value in a column. An amount also has a column with its nearest double. */
type FieldForm = 'text' | 'integer' | 'real' | 'truth' | 'amount' | 'json'

const kindOf = (form: FieldForm): ColumnKind => (form === 'amount' || form === 'json' ? 'text' : form)
const doubleOf = (name: string): string => `${name}_double`

export type TopicColumns = Readonly<{ columns: readonly ColumnShape[]; rowOf(record: FiledRecord): Row }>

export function columnsOf({ schemas }: Topic, form: Form): TopicColumns {
  const fields = fieldsOf(schemas ?? {})
  const columns = [
    ...headColumns,
    ...[...fields].flatMap(([name, its]): ColumnShape[] => [
      { name, kind: kindOf(its) },
      ...(its === 'amount' ? [{ name: doubleOf(name), kind: 'real' } as const] : []),
    ]),
    ...(form === 'archive' ? [valueColumn] : []),
  ]
  const types = new Map(Object.entries(schemas ?? {}).map(([type, schema]) => [type, inColumnOrder(schema, fields)]))
  return {
    columns,
    rowOf(record) {
      const row: Record<string, Cell> = headOf(record)
      const data = record.data as Readonly<Record<string, unknown>>
      for (const [name, its] of types.get(record.type) ?? []) {
        const value = data[name]
        if (value === null || value === undefined) continue
        row[name] = cellOf(value, its)
        if (its === 'amount') row[doubleOf(name)] = Number(value)
      }
      if (form === 'archive') row.value = record.value
      return row
    },
  }
}

type Schemas = NonNullable<Topic['schemas']>

/** The fields of all record types, in the order of their first type. If two types give a name other forms, it is JSON. */
function fieldsOf(schemas: Schemas): ReadonlyMap<string, FieldForm> {
  const fields = new Map<string, FieldForm>()
  for (const { fields: own } of Object.values(schemas))
    for (const { name, type } of own) {
      const form = formOf(type)
      fields.set(name, (fields.get(name) ?? form) === form ? form : 'json')
    }
  return fields
}

const inColumnOrder = ({ fields: own }: Schemas[string], fields: ReadonlyMap<string, FieldForm>) => {
  const names = new Set(own.map(({ name }) => name))
  return [...fields].filter(([name]) => names.has(name))
}

function formOf(schema: AvroSchema): FieldForm {
  if (Array.isArray(schema)) return formOf(schema[1] as AvroSchema)
  if (typeof schema === 'string') return primitiveForms[schema] ?? 'json'
  const { type, logicalType } = schema as Readonly<{ type: string; logicalType?: string }>
  if (logicalType === 'decimal') return 'amount'
  return logicalType === 'hex' || type === 'enum' ? 'text' : 'json'
}

const primitiveForms: Readonly<Record<string, FieldForm>> = {
  string: 'text',
  int: 'integer',
  long: 'integer',
  double: 'real',
  boolean: 'truth',
}

function headOf({ eventAt, knownAt, publishedAt, ...record }: FiledRecord): Record<string, Cell> {
  const { topic, partition, offset, type, key } = record
  return {
    ...(eventAt === null ? {} : { ts_event: nanoseconds(eventAt) }),
    ...{ ts_recv: nanoseconds(knownAt), ts_published: nanoseconds(publishedAt) },
    ...{ topic, partition: BigInt(partition), offset: BigInt(offset), type, key },
  }
}

const nanoseconds = (atMs: EpochMs): bigint => BigInt(Math.trunc(atMs)) * 1_000_000n

function cellOf(value: unknown, form: FieldForm): Cell {
  switch (form) {
    case 'integer':
      return BigInt(value as number)
    case 'amount':
      return String(value)
    case 'json':
      return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
    default:
      return value as Cell
  }
}
