import { expect } from 'chai'
import { type AskTwice, createAskTwice } from '../../../ingest/node/ask-twice.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'

const never = new AbortController().signal
const hangs = Number.POSITIVE_INFINITY

/** Returns a node whose first answers take the times in `takesMs`. Later answers take `usualMs`. */
function nodeThat(takesMs: readonly number[] = [], usualMs = 100) {
  const time = createVirtualTime(0)
  const asked: { atMs: number; signal: AbortSignal }[] = []
  let isWelcome = true
  const askTwice: AskTwice = createAskTwice({ ...time, timer: time.delay, isWelcome: () => isWelcome })
  const ask = async (signal: AbortSignal) => {
    const number = asked.push({ atMs: time.nowMs(), signal })
    const took = takesMs[number - 1] ?? usualMs
    await (took === hangs ? new Promise(() => {}) : time.delay(took, never))
    return number
  }
  const request = (signal = never, kind = 'getBlock') => askTwice({ kind, ask, signal })
  return {
    ...{ time, asked, request },
    askedAtMs: () => asked.map(({ atMs }) => atMs),
    refuse: () => {
      isWelcome = false
    },
    answer: async (count: number) => {
      for (let each = 0; each < count; each++) await time.run(request())
    },
  }
}

describe('a request that is late', () => {
  it('is asked a second time after three times the usual time, but not before half a second', async () => {
    for (const [usualMs, lateMs] of [
      [100, 500],
      [400, 1200],
    ] as const) {
      const node = nodeThat([...Array<number>(10).fill(usualMs), hangs], usualMs)
      await node.answer(10)
      const sinceMs = node.time.nowMs()
      expect(await node.time.run(node.request())).to.equal(12)
      expect(node.time.nowMs() - sinceMs).to.equal(lateMs + usualMs)
    }
  })

  it('is asked after two seconds while little is known of its kind', async () => {
    const node = nodeThat([100, 100, 100, 100, 100, hangs])
    await node.answer(5)
    const sinceMs = node.time.nowMs()
    await node.time.run(node.request(never, 'getBlock full'))
    expect(node.time.nowMs() - sinceMs).to.equal(2100)
  })

  it('ends with the answer that comes first, also that of the first question', async () => {
    const node = nodeThat([2050, 500])
    expect(await node.time.run(node.request())).to.equal(1)
    expect(node.askedAtMs()).to.deep.equal([0, 2000])
    expect(node.asked.map(({ signal }) => signal.aborted)).to.deep.equal([true, true])
  })

  it('is asked three times at most, each time after a longer wait', async () => {
    const node = nodeThat([60_000, hangs, hangs])
    expect(await node.time.run(node.request())).to.equal(1)
    expect(node.askedAtMs()).to.deep.equal([0, 2000, 6000])
  })

  it('is not asked again of a node that is to be left alone', async () => {
    const node = nodeThat([30_000])
    node.refuse()
    expect(await node.time.run(node.request())).to.equal(1)
    expect(node.asked).to.have.length(1)
  })

  it('costs a node that is slow with everything a few more questions, not as many again', async () => {
    const node = nodeThat([], 5_000)
    const together = 200
    for (let round = 0; round < 5; round++)
      await node.time.run(Promise.all(Array.from({ length: together / 5 }, () => node.request())))
    expect(node.asked.length).to.be.within(together, together * 1.1)
  })

  it('fails as the copy that fails first, and gives up the others', async () => {
    const time = createVirtualTime(0)
    const askTwice = createAskTwice({ ...time, timer: time.delay, isWelcome: () => true })
    const signals: AbortSignal[] = []
    const ask = async (signal: AbortSignal) => {
      if (signals.push(signal) === 1) return await new Promise<never>(() => {})
      throw new RangeError('busy')
    }
    const failure = await time.run(askTwice({ kind: 'a', ask, signal: never }).catch((error: unknown) => error))
    expect(failure).to.be.instanceOf(RangeError)
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true, true])
  })

  it('is given up when it is no longer wanted', async () => {
    const node = nodeThat([hangs, hangs, hangs])
    const stop = new AbortController()
    const failed = node.request(stop.signal).catch((error: unknown) => error)
    await node.time.run(node.time.delay(2500, never))
    stop.abort(new RangeError('stopped'))
    expect(await node.time.run(failed)).to.be.instanceOf(RangeError)
    expect(node.asked.map(({ signal }) => signal.aborted)).to.deep.equal([true, true])
  })
})
