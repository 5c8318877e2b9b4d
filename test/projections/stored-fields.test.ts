/**
 * Tests that the rows hold all data of the records. Every column has a value, and every field of a record
 * changes the row.
 */
import { expect } from 'chai'
import type { RowContext } from '../../projections/columns.ts'
import { projections } from '../../projections/projections.ts'
import type { AvroRecord, AvroSchema } from '../../schemas/avro.ts'

const context: RowContext = { topic: 'chain-a-derived', logKey: 'token', supersedesAtMs: 1 }

/** A value of the schema without nulls. Another seed gives another value at each leaf. */
function filledOf(schema: AvroSchema, seed: number): unknown {
  if (typeof schema === 'string') {
    if (schema === 'string') return `text ${seed}`
    if (schema === 'boolean') return seed % 2 === 1
    return schema === 'double' ? seed + 0.5 : seed
  }
  if (Array.isArray(schema)) return filledOf((schema as readonly AvroSchema[])[1] as AvroSchema, seed)
  if (!('type' in schema)) return expect.fail(`unknown schema ${JSON.stringify(schema)}`)
  if (schema.type === 'array') return [filledOf(schema.items as AvroSchema, seed)]
  if (schema.type === 'enum') return schema.symbols[seed % schema.symbols.length]
  if (schema.type === 'record') return recordOf(schema, seed)
  return 'precision' in schema ? BigInt(seed) : `0x${seed.toString(16).padStart(64, '0')}`
}

const recordOf = ({ fields }: AvroRecord, seed: number): Record<string, unknown> =>
  Object.fromEntries(fields.map(({ name, type }, index) => [name, filledOf(type, seed + 2 * index)]))

/**
 * The fields that have no column, by stage and record type. Other parts of the service read these fields from
 * the log.
 */
const notStored: Readonly<Record<string, readonly string[]>> = {
  ...{ 'chain-a TradeGap': ['failure'], 'chain-b TradeGap': ['failure'] },
  ...{ 'chain-a Call': ['isFirst'], 'chain-b Call': ['isFirst'] },
  ...{ 'chain-a CallScored': ['market', 'anchorPx'], 'chain-b CallScored': ['market', 'anchorPx'] },
  'chain-a Precall': ['market'],
}

describe('the row of a record', () => {
  for (const { stage, rowOf } of projections)
    for (const [type, schema] of Object.entries(stage.derivedTopic.schemas ?? {})) {
      const recordWith = (fields: object) =>
        rowOf({ type, data: { ...recordOf(schema as AvroRecord, 1001), ...fields } } as never, context)
      if (recordWith({}) === null) continue
      it(`has every field of ${stage.name}'s ${type}`, () => {
        const row = recordWith({})
        const names = Object.keys(row?.table.columns ?? {})
        const empty = names.filter((_, index) => row?.values[index] === undefined || row?.values[index] === null)
        expect(empty, 'columns without a value').to.deep.equal([])
        const unchanged = (schema as AvroRecord).fields.flatMap(({ name, type: fieldType }, index) => {
          const changed = recordWith({ [name]: filledOf(fieldType, 1001 + 2 * index + 1) })
          return JSON.stringify(changed?.values, plain) === JSON.stringify(row?.values, plain) ? [name] : []
        })
        expect(unchanged, 'fields that change no column').to.deep.equal(notStored[`${stage.name} ${type}`] ?? [])
      })
    }
})

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)
