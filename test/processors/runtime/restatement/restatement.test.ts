import { expect } from 'chai'
import { restatementOf, rowsToLookUp } from '../../../../processors/runtime/restatement/restatement.ts'
import {
  addVersion,
  type DerivedOutput,
  type RowVersion,
} from '../../../../processors/runtime/restatement/row-versions.ts'
import type { StageRecord } from '../../../../schemas/stage.ts'
import { toyStage } from '../../../replay/toy/toy-records.ts'

const token = 'ada'
const said = (asOfMs: number, amount = 0n): DerivedOutput => ({
  token,
  record: { type: 'Balance', data: { asOfMs, amount, payments: 1 } },
})
const reminded = (dueAtMs: number, number: number | null = 1): DerivedOutput => ({
  token,
  record: { type: 'Reminder', data: { number, dueAtMs } },
})
type Key = Readonly<{ recordType: string; number: number | null; atMs: number }>
const balanceKey = (atMs: number): Key => ({ recordType: 'Balance', number: null, atMs })
const reminderKey = (atMs: number, number = 1): Key => ({ recordType: 'Reminder', number, atMs })
const withdrawn = (data: Key): DerivedOutput => ({ token, record: { type: 'Withdrawn', data } })
const restated = (key: Key, supersedesAtMs: number | null = null): DerivedOutput => ({
  token,
  record: { type: 'Restated', data: { ...key, supersedesAtMs } },
})

const rowsOf = (...outputs: readonly DerivedOutput[]) => {
  const rows = new Map<string, RowVersion>()
  for (const output of outputs) addVersion(toyStage, rows, output)
  return rows
}
const bytesOf = ({ data }: StageRecord) => Buffer.from(Object.values(data).join())
type Sides = Readonly<{ published?: DerivedOutput[]; folded?: DerivedOutput[]; earlier?: DerivedOutput[] }>
const restate = ({ published = [], folded = [], earlier = [] }: Sides) => {
  const compared = { published: rowsOf(...published), folded: rowsOf(...folded), earlier: rowsOf(...earlier) }
  return restatementOf(toyStage, compared, bytesOf)
}

describe('a restatement', () => {
  it('is empty where the last versions are equal, however many came before', () => {
    expect(restate({ published: [said(1), said(1, 2n)], folded: [said(1, 2n)] })).to.deep.equal([])
    expect(restate({ published: [said(1), withdrawn(balanceKey(1))] })).to.deep.equal([])
  })

  it('marks what was published with other bytes, and not what is new', () => {
    expect(restate({ published: [said(1)], folded: [said(1, 2n)] })).to.deep.equal([
      restated(balanceKey(1)),
      said(1, 2n),
    ])
    expect(restate({ folded: [said(1)] })).to.deep.equal([said(1)])
    expect(restate({ published: [said(1), withdrawn(balanceKey(1))], folded: [said(1)] })).to.deep.equal([said(1)])
  })

  it('withdraws what is nowhere now, and goes back to the earlier version of what is', () => {
    expect(restate({ published: [said(1)] })).to.deep.equal([withdrawn(balanceKey(1))])
    expect(restate({ published: [said(1, 2n)], earlier: [said(1)] })).to.deep.equal([restated(balanceKey(1)), said(1)])
  })

  it('holds what is folded against the earlier version where none was published since', () => {
    expect(restate({ folded: [said(1)], earlier: [said(1)] })).to.deep.equal([])
    expect(restate({ folded: [said(1, 2n)], earlier: [said(1)] })).to.deep.equal([restated(balanceKey(1)), said(1, 2n)])
  })

  it('asks for the earlier version of the rows that one side alone has', () => {
    const rows = rowsToLookUp({ published: rowsOf(said(1), said(2)), folded: rowsOf(said(2), said(3)) })
    expect(rows.map(({ key }) => key.atMs)).to.deep.equal([1, 3])
  })

  it('comes in one order, whatever the order on the log', () => {
    const sides = { published: [said(4), said(3)], folded: [said(2), said(1)] }
    expect(restate(sides)).to.deep.equal([withdrawn(balanceKey(3)), withdrawn(balanceKey(4)), said(1), said(2)])
  })

  it('comes by token, type, name and instant', () => {
    // For each pair of neighbours, one sort key decides the order. The keys after it would give the opposite
    // order.
    const bob = { ...said(1), token: 'bob' }
    const inOrder = [said(9), reminded(8, null), reminded(9), reminded(7, 2), bob]
    expect(restate({ folded: [...inOrder].reverse() })).to.deep.equal(inOrder)
    expect(restate({ folded: [...inOrder.slice(2), ...inOrder.slice(0, 2)] })).to.deep.equal(inOrder)
  })

  it('says of a row that may move which withdrawn one of its name it supersedes, and of no other row', () => {
    const moved = { published: [reminded(3), reminded(4, 2), said(3)], folded: [reminded(5), said(5)] }
    expect(restate(moved)).to.deep.equal([
      withdrawn(balanceKey(3)),
      withdrawn(reminderKey(3)),
      withdrawn(reminderKey(4, 2)),
      said(5),
      restated(reminderKey(5), 3),
      reminded(5),
    ])
  })

  it('tells the rows of two tokens apart that have one name and instant', () => {
    const ofBob = (output: DerivedOutput) => ({ ...output, token: 'bob' })
    expect(restate({ published: [said(1), ofBob(said(1))], folded: [said(1, 2n), ofBob(said(1, 3n))] })).to.deep.equal([
      restated(balanceKey(1)),
      said(1, 2n),
      ofBob(restated(balanceKey(1))),
      ofBob(said(1, 3n)),
    ])
  })

  it('goes on naming the row that a moved one superseded', () => {
    const published = [restated(reminderKey(5), 3), reminded(5)]
    const changed = { token, record: { type: 'Reminder', data: { number: 1, dueAtMs: 5, more: 1 } } }
    expect(restate({ published, folded: [changed] })).to.deep.equal([restated(reminderKey(5), 3), changed])
  })
})
