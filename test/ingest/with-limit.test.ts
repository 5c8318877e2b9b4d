import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { withLimit } from '../../ingest/with-limit.ts'

const never = new AbortController().signal
const onLimit = () => new TypeError('too late')
const caught = (run: Promise<unknown>) => run.catch((error: unknown) => error)

/** Returns a promise that never resolves. It rejects with the reason of its signal. */
const hanging = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })

describe('a call with a limit', () => {
  it('gives what it gives in time, and leaves nothing behind', async () => {
    const { signal } = new AbortController()
    let its: AbortSignal | undefined
    const run = withLimit({ limitMs: 60_000, signal, onLimit }, async (limited) => {
      its = limited
      expect(getEventListeners(signal, 'abort')).to.have.length(1)
      return 'found'
    })
    expect(await run).to.equal('found')
    expect(getEventListeners(signal, 'abort')).to.have.length(0)
    expect(its?.aborted).to.equal(false)
  })

  it('fails as it fails in time', async () => {
    const failure = new RangeError('refused')
    const run = withLimit({ limitMs: 60_000, signal: never, onLimit }, () => Promise.reject(failure))
    expect(await caught(run)).to.equal(failure)
  })

  it('fails with what the limit says when its time is up', async () => {
    expect(await caught(withLimit({ limitMs: 1, signal: never, onLimit }, hanging)))
      .to.be.an.instanceOf(TypeError)
      .with.property('message', 'too late')
  })

  it('fails with the reason of the outer signal when that aborts, before or meanwhile', async () => {
    const reason = new RangeError('stopping')
    expect(await caught(withLimit({ limitMs: 60_000, signal: AbortSignal.abort(reason), onLimit }, hanging))).to.equal(
      reason,
    )
    const outer = new AbortController()
    const run = withLimit({ limitMs: 60_000, signal: outer.signal, onLimit }, hanging)
    outer.abort(reason)
    expect(await caught(run)).to.equal(reason)
  })

  it('fails as it failed where the outer signal aborts after its time was up', async () => {
    const outer = new AbortController()
    const run = withLimit({ limitMs: 1, signal: outer.signal, onLimit }, async (signal) => {
      await caught(hanging(signal))
      outer.abort()
      throw new RangeError('stopped')
    })
    expect(await caught(run)).to.be.an.instanceOf(RangeError)
  })
})
