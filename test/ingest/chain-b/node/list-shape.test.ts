import { expect } from 'chai'
import { z } from 'zod'
import { listOf, recordOf } from '../../../../ingest/chain-b/node/list-shape.ts'

describe('the shape of somebody else’s', () => {
  const issuesOf = (shape: z.ZodType, value: unknown) =>
    (shape.safeParse(value).error?.issues ?? []).map(({ path }) => path.join('.'))
  const entry = z.object({ name: z.string().transform((name) => name.length) })

  it('list is read entry by entry, and ends at the first that is wrong', () => {
    expect(listOf(entry).parse([{ name: 'ab' }, { name: '', other: 1 }])).to.deep.equal([{ name: 2 }, { name: 0 }])
    expect(issuesOf(listOf(entry), [{ name: 'ab' }, { name: 1 }, 2, 3])).to.deep.equal(['1.name'])
    expect(issuesOf(z.object({ list: listOf(entry) }), { list: [1, 1] })).to.deep.equal(['list.0'])
  })

  it('record is too', () => {
    expect(recordOf(entry).parse({ a: { name: 'ab' } })).to.deep.equal({ a: { name: 2 } })
    expect(issuesOf(recordOf(entry), { a: { name: 'ab' }, b: 1, c: 1 })).to.deep.equal(['b'])
  })

  it('list or record is nothing else', () => {
    for (const value of [null, undefined, 'text', 1, {}]) expect(issuesOf(listOf(entry), value)).to.deep.equal([''])
    for (const value of [null, undefined, 'text', 1, []]) expect(issuesOf(recordOf(entry), value)).to.deep.equal([''])
  })
})
