import { expect } from 'chai'
import { createPauses } from '../../../ingest/node/pauses.ts'

const never = new AbortController().signal
const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe('a pause between two tries', () => {
  it('is shared by all that failed equally often, and its timer ends with the last of them', async () => {
    const signals: AbortSignal[] = []
    const waits: number[] = []
    const pause = createPauses((waitMs, signal) => {
      waits.push(waitMs)
      signals.push(signal)
      return new Promise(() => {})
    })
    const stops = [new AbortController(), new AbortController()]
    const waiting = stops.map(({ signal }) => failureOf(pause(1, 500, signal)))
    expect(waits).to.deep.equal([500])
    for (const [at, stop] of stops.entries()) {
      expect(signals[0]?.aborted, `${at}`).to.equal(false)
      stop.abort(new RangeError('stopped'))
      expect(await waiting[at]).to.be.instanceOf(RangeError)
    }
    expect(signals[0]?.aborted).to.equal(true)
  })

  it('is another one for each number of tries, and once it is over', async () => {
    const waits: number[] = []
    const pause = createPauses(async (waitMs) => void waits.push(waitMs))
    await Promise.all([pause(1, 500, never), pause(2, 900, never)])
    await pause(1, 501, never)
    expect(waits).to.deep.equal([500, 900, 501])
  })
})
