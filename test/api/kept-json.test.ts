import { expect } from 'chai'
import fc from 'fast-check'
import { jsonOf, keepPresented } from '../../api/kept-json.ts'

type Row = Readonly<{ id: number; text: string }>

/** Values of JSON, and undefined where JSON leaves a field out. */
const values = fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined })

describe('the JSON of an answer', () => {
  const present = keepPresented((row: Row) => ({ ...row, left: undefined, nested: { ids: [row.id, null] } }))

  it('is that of JSON.stringify, wherever its kept rows are', () => {
    const rows = fc.array(fc.record({ id: fc.integer(), text: fc.string({ unit: 'binary' }) }), { maxLength: 5 })
    const bodies = fc.record({ first: values, list: rows, second: values, inner: rows, deep: rows, mixed: values })
    fc.assert(
      fc.property(bodies, ({ first, list, second, inner, deep, mixed }) => {
        const shown = list.map((row) => present(row))
        const body = {
          ...{ first, 'a "key"': shown, 7: second, empty: {}, none: undefined },
          chain: {
            rows: inner.map((row) => present(row)),
            price: 1.5,
            below: { rows: deep.map((row) => present(row)) },
          },
          mixed: [...shown, mixed ?? null],
        }
        for (let time = 0; time < 2; time++) expect(jsonOf(body).toString()).to.equal(JSON.stringify(body))
      }),
    )
    expect(jsonOf({}).toString()).to.equal('{}')
  })

  it('presents a row once for each context', () => {
    const presented: string[] = []
    const presentFor = keepPresented(({ id }: Row, { name }: Readonly<{ name: string }>) => {
      presented.push(`${id} for ${name}`)
      return { id, name }
    })
    const [row, one, other] = [{ id: 1, text: '' }, { name: 'one' }, { name: 'other' }]
    expect(presentFor(row, one)).to.equal(presentFor(row, one))
    expect(presentFor(row, other)).to.deep.equal({ id: 1, name: 'other' })
    expect(presentFor({ ...row }, one)).not.to.equal(presentFor(row, one))
    expect(presented).to.deep.equal(['1 for one', '1 for other', '1 for one'])
  })

  it('writes a kept row once', () => {
    let written = 0
    const row = keepPresented(({ id }: Row) => ({ id, toJSON: () => ({ id, written: ++written }) }))({
      id: 1,
      text: '',
    })
    const texts = [jsonOf({ rows: [row] }), jsonOf({ chain: { rows: [row, row] } })].map(String)
    const json = '{"id":1,"written":1}'
    expect(texts).to.deep.equal([`{"rows":[${json}]}`, `{"chain":{"rows":[${json},${json}]}}`])
  })
})
