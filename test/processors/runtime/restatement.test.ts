import { expect } from 'chai'
import { restatementOf, rowsToLookUp } from '../../../processors/runtime/restatement.ts'
import { addVersion, type DerivedOutput, type RowVersion } from '../../../processors/runtime/row-versions.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'

const token = '0xaa'
const opened = (createdAtMs: number, px: number | null = null): DerivedOutput => ({
  token,
  record: { type: 'PoolOpened', data: { pool: '0xbb', dex: 'v4', createdBlock: 1, createdAtMs, px } },
})
const withdrawn = (atMs: number): DerivedOutput => ({
  token,
  record: { type: 'Withdrawn', data: { recordType: 'PoolOpened', pool: '0xbb', tier: null, atMs } },
})
const restated = (atMs: number): DerivedOutput => ({
  token,
  record: {
    type: 'Restated',
    data: { recordType: 'PoolOpened', pool: '0xbb', tier: null, atMs, supersedesAtMs: null },
  },
})

const rowsOf = (...outputs: readonly DerivedOutput[]) => {
  const rows = new Map<string, RowVersion>()
  for (const output of outputs) addVersion(rows, output)
  return rows
}
const bytesOf = (record: ChainADerived) => Buffer.from(JSON.stringify(record))
type Sides = Readonly<{ published?: DerivedOutput[]; folded?: DerivedOutput[]; earlier?: DerivedOutput[] }>
const restate = ({ published = [], folded = [], earlier = [] }: Sides) =>
  restatementOf({ published: rowsOf(...published), folded: rowsOf(...folded), earlier: rowsOf(...earlier) }, bytesOf)

describe('a restatement', () => {
  it('is empty where the last versions are equal, however many came before', () => {
    expect(restate({ published: [opened(1), opened(1, 2)], folded: [opened(1, 2)] })).to.deep.equal([])
    expect(restate({ published: [opened(1), withdrawn(1)] })).to.deep.equal([])
  })

  it('marks what was published with other bytes, and not what is new', () => {
    expect(restate({ published: [opened(1)], folded: [opened(1, 2)] })).to.deep.equal([restated(1), opened(1, 2)])
    expect(restate({ folded: [opened(1)] })).to.deep.equal([opened(1)])
    expect(restate({ published: [opened(1), withdrawn(1)], folded: [opened(1)] })).to.deep.equal([opened(1)])
  })

  it('withdraws what is nowhere now, and goes back to the earlier version of what is', () => {
    expect(restate({ published: [opened(1)] })).to.deep.equal([withdrawn(1)])
    expect(restate({ published: [opened(1, 2)], earlier: [opened(1)] })).to.deep.equal([restated(1), opened(1)])
  })

  it('holds what is folded against the earlier version where none was published since', () => {
    expect(restate({ folded: [opened(1)], earlier: [opened(1)] })).to.deep.equal([])
    expect(restate({ folded: [opened(1, 2)], earlier: [opened(1)] })).to.deep.equal([restated(1), opened(1, 2)])
  })

  it('asks for the earlier version of the rows that one side alone has', () => {
    const rows = rowsToLookUp({ published: rowsOf(opened(1), opened(2)), folded: rowsOf(opened(2), opened(3)) })
    expect(rows.map(({ key }) => key.atMs)).to.deep.equal([1, 3])
  })

  it('comes in one order, whatever the order on the log', () => {
    const sides = { published: [opened(4), opened(3)], folded: [opened(2), opened(1)] }
    expect(restate(sides)).to.deep.equal([withdrawn(3), withdrawn(4), opened(1), opened(2)])
  })
})
