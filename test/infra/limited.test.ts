import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { limited, sleepUntilAborted } from '../../infra/limited.ts'

describe('work with a limit', () => {
  /** What Node keeps for each signal that depends on this one. */
  const dependantsOf = (signal: AbortSignal): number => {
    const key = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals')
    return key === undefined ? 0 : (Reflect.get(signal, key) as Readonly<{ size: number }>).size
  }

  it('ends with each of its sources, after its time, or at once if a source has ended', async () => {
    const sources = [new AbortController(), new AbortController()] as const
    const signals = sources.map(({ signal }) => signal)
    const [byTime, bySource] = [limited(signals, 5), limited(signals)]
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([byTime.signal.aborted, bySource.signal.aborted]).to.deep.equal([true, false])
    sources[1].abort()
    expect(bySource.signal.aborted).to.equal(true)
    expect(limited(signals).signal.aborted).to.equal(true)
    await sleepUntilAborted(60_000, sources[1].signal)
  })

  it('says whether the time limit ended it, and has the reason of the source that ended it', async () => {
    const source = new AbortController()
    const [byTime, bySource] = [limited([source.signal], 5), limited([source.signal], 50)]
    expect(byTime.isOver()).to.equal(false)
    await new Promise((resolve) => byTime.signal.addEventListener('abort', resolve))
    source.abort('stopping')
    await new Promise((resolve) => setTimeout(resolve, 70))
    expect([byTime.isOver(), bySource.isOver(), bySource.signal.reason]).to.deep.equal([true, false, 'stopping'])
    expect(limited([source.signal]).signal.reason).to.equal('stopping')
  })

  it('leaves nothing on its source, and thousands may wait on one source', async () => {
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 2_000 }, () => sleepUntilAborted(1, signal)))
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
    expect(dependantsOf(signal)).to.equal(0)
    const limit = limited([signal], 60_000)
    limit.release()
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })
})
