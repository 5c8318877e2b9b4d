import { expect } from 'chai'
import { createPacedReads } from '../../../api/stream/paced-reads.ts'
import { packRecords, RecordBatch } from '../../../infra/log/record-batch.ts'
import { createDeferred } from '../../support/log/kafka-double/deferred.ts'

const pageOf = (valueBytes: number) => [
  new RecordBatch({
    bytes: packRecords([{ key: '', value: Buffer.alloc(valueBytes - 6) }]),
    ...{ count: 1, firstOffset: 0, timestampMs: 0 },
  }),
]

describe('the reads of all catch-ups', () => {
  it('run one after the other, and read at most 32 KB a millisecond', async () => {
    const pauses: number[] = []
    const pause = createDeferred()
    const { take } = createPacedReads(async (durationMs) => {
      pauses.push(durationMs)
      await pause.promise
    })
    const begun: string[] = []
    const read = (name: string, bytes: number) =>
      take(async () => {
        begun.push(name)
        return pageOf(bytes)
      })
    const [first, second] = [read('first', 256 * 1024), read('second', 100)]
    expect((await first)[0]?.bytes.length).to.equal(256 * 1024)
    expect([begun, pauses]).to.deep.equal([['first'], [8]])
    pause.resolve()
    await second
    expect(begun).to.deep.equal(['first', 'second'])
  })

  it('of few bytes add up to a pause: each counts as at least 4 KB', async () => {
    const pauses: number[] = []
    const { take } = createPacedReads(async (durationMs) => void pauses.push(durationMs))
    for (let count = 1; count <= 17; count++) await take(async () => [])
    expect(pauses).to.deep.equal([1, 1])
  })

  it('go on after a read that failed', async () => {
    const { take } = createPacedReads(async () => {})
    const failed = take(() => Promise.reject(new RangeError('damaged')))
    const next = take(async () => pageOf(10))
    expect(await failed.catch((error: Error) => error.message)).to.equal('damaged')
    expect(await next).to.have.length(1)
  })
})
