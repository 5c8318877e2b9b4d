import { expect } from 'chai'
import { checkView, type View } from '../../../../infra/codec/avro/check-view.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { chainAViews } from '../../../../processors/chain-a/views/views.ts'
import { chainBViews } from '../../../../processors/chain-b/views/views.ts'
import type { AvroField, AvroRecord } from '../../../../schemas/avro.ts'
import { curveTraded as chainACurveTraded, swap } from '../../../../schemas/chain-a/facts.ts'
import { curveTraded as chainBCurveTraded, poolTraded } from '../../../../schemas/chain-b/facts.ts'
import { topics } from '../../../../schemas/topics.ts'

const views: readonly Readonly<{ chain: string; schema: AvroRecord; View: View }>[] = [
  { chain: 'A', schema: swap, View: chainAViews.Swap },
  { chain: 'A', schema: chainACurveTraded, View: chainAViews.CurveTraded },
  { chain: 'B', schema: chainBCurveTraded, View: chainBViews.CurveTraded },
  { chain: 'B', schema: poolTraded, View: chainBViews.PoolTraded },
]

/** The schema with other fields. */
const withFields = (schema: AvroRecord, fields: readonly AvroField[]): AvroRecord => ({ ...schema, fields })

/** Returns the fields with two of them swapped. */
function swapped(fields: readonly AvroField[], one: number, other: number): readonly AvroField[] {
  const found = [...fields]
  found[one] = fields[other] as AvroField
  found[other] = fields[one] as AvroField
  return found
}

for (const { chain, schema, View } of views) {
  const { name, fields } = schema
  const isRefused = (changed: readonly AvroField[]) => {
    expect(() => checkView(View, withFields(schema, changed)), changed.map((field) => field.name).join(' ')).to.throw(
      `the view of ${name} misreads `,
    )
  }

  describe(`the view of ${name} of chain ${chain}`, () => {
    it('reads its schema', () => {
      checkView(View, schema)
    })

    it('is refused where any two fields change places', () => {
      for (let one = 0; one < fields.length; one++)
        for (let other = one + 1; other < fields.length; other++) isRefused(swapped(fields, one, other))
    })

    it('is refused where a field is gone or new, wherever it is', () => {
      const types: readonly AvroField['type'][] = [
        'long',
        'boolean',
        (swap.fields[0] as AvroField).type,
        ['null', 'long'],
      ]
      for (let at = 0; at <= fields.length; at++) {
        if (at < fields.length) isRefused(fields.toSpliced(at, 1))
        for (const type of types) isRefused(fields.toSpliced(at, 0, { name: 'added', type }))
      }
    })

    it('is refused where a field became nullable, or is so no more', () => {
      for (const [at, field] of fields.entries()) {
        const type = Array.isArray(field.type) ? field.type[1] : ['null', field.type]
        isRefused(fields.with(at, { ...field, type }))
      }
    })
  })
}

describe('a codec', () => {
  it('is refused with a view that does not read its schema', async () => {
    const topic = { ...topics['chain-a-facts'], schemas: { Swap: withFields(swap, swapped(swap.fields, 1, 2)) } }
    const failure = await createSchemaCodec(topic, createMemoryRegistry(), chainAViews).catch(String)
    expect(failure).to.match(/the view of Swap misreads/)
  })

  it('is refused with a view of a field that no view can read', () => {
    expect(() => checkView(chainAViews.Swap, withFields(swap, [{ name: 'text', type: 'string' }]))).to.throw(
      'views do not support a field of type "string"',
    )
  })
})
