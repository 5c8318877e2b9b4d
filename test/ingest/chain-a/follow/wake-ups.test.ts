import { expect } from 'chai'
import { createWakeUps } from '../../../../ingest/chain-a/follow/wake-ups.ts'

const { signal } = new AbortController()

describe('waiting for a block', () => {
  let waits: number[]
  /** Each wait lasts until it is aborted, or the test ends it. */
  let endWait: () => void
  const delay = (ms: number, stop: AbortSignal) => {
    waits.push(ms)
    return new Promise<void>((resolve) => {
      endWait = resolve
      stop.addEventListener('abort', () => resolve())
    })
  }

  beforeEach(() => {
    waits = []
  })

  it('ends when the time is over, or when woken', async () => {
    const wakeUps = createWakeUps({ delay, gapMs: 0 })
    const polled = wakeUps.wait(500, signal)
    endWait()
    await polled
    const woken = wakeUps.wait(500, signal)
    wakeUps.wake()
    await woken
    expect(waits).to.deep.equal([500, 500])
  })

  it('does not begin after a wake-up that came before it, and does the next time', async () => {
    const wakeUps = createWakeUps({ delay, gapMs: 0 })
    wakeUps.wake()
    wakeUps.wake()
    await wakeUps.wait(500, signal)
    expect(waits).to.deep.equal([])
    const next = wakeUps.wait(500, signal)
    endWait()
    await next
    expect(waits).to.deep.equal([500])
  })

  it('ends at once for the first wake-up, and for those behind it only after the gap', async () => {
    const wakeUps = createWakeUps({ delay, gapMs: 60_000 })
    wakeUps.wake()
    await wakeUps.wait(500, signal)
    expect(waits).to.deep.equal([])
    const next = wakeUps.wait(500, signal)
    for (let count = 0; count < 1000; count++) wakeUps.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(waits.map((ms) => Math.ceil(ms / 1000))).to.deep.equal([1, 60])
    endWait()
    await next
  })

  it('ends at once for a wake-up right after a wait whose time was over', async () => {
    const wakeUps = createWakeUps({ delay, gapMs: 60_000 })
    const polled = wakeUps.wait(500, signal)
    endWait()
    await polled
    const woken = wakeUps.wait(500, signal)
    wakeUps.wake()
    await woken
    expect(waits).to.deep.equal([500, 500])
  })

  it('ends when it is told to stop', async () => {
    const stop = new AbortController()
    const waiting = createWakeUps({ delay, gapMs: 0 }).wait(500, stop.signal)
    stop.abort()
    await waiting
  })
})
