import { expect } from 'chai'
import { CommitBuffer } from '../../../processors/runtime/commit-buffer.ts'

const recordsOf = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({
    type: 'Reminder',
    record: { topic: 'derived', partition: 0, key: 'ada', value: Buffer.alloc(bytes) },
  }))

describe('what is collected for an append', () => {
  const mebibyte = 1024 * 1024
  const cases: [string, ReturnType<typeof recordsOf>, boolean][] = [
    ['nothing', [], false],
    ['9,999 records', recordsOf(9_999, 1), false],
    ['10,000 records', recordsOf(10_000, 1), true],
    ['four mebibytes less a byte', [...recordsOf(3, mebibyte), ...recordsOf(1, mebibyte - 1)], false],
    ['four mebibytes', recordsOf(4, mebibyte), true],
  ]
  for (const [what, records, isFull] of cases)
    it(`${isFull ? 'is due' : 'waits for more'} at ${what}`, () => {
      const buffer = new CommitBuffer()
      buffer.add(records)
      expect(buffer.isFull).to.equal(isFull)
    })

  it('may have records without a value', () => {
    const buffer = new CommitBuffer()
    const removal = { type: 'Reminder', record: { topic: 'derived', partition: 0, key: 'ada', value: null } }
    buffer.add(Array.from({ length: 9_999 }, () => removal))
    expect(buffer.isFull).to.equal(false)
    buffer.add([removal])
    expect(buffer.isFull).to.equal(true)
  })

  it('is taken once, and counted anew behind that', () => {
    const buffer = new CommitBuffer()
    for (const bytes of [mebibyte, 1]) {
      const records = recordsOf(4, bytes)
      buffer.add(records)
      expect(buffer.take()).to.deep.equal(records.map(({ record }) => record))
      expect(buffer.isFull).to.equal(false)
    }
    expect(buffer.take()).to.deep.equal([])
  })
})
