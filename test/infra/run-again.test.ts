import { expect } from 'chai'
import { OperationError } from '../../infra/errors.ts'
import { type RunAgainOptions, runAgain } from '../../infra/run-again.ts'

const away = () => new OperationError('database_failed', 'it is away', { context: { isRetryable: true } })
const broken = () => new OperationError('determinism_broken', 'it is wrong')

function createWorld() {
  const clock = { atMs: 0 }
  const pauses: number[] = []
  const stop = new AbortController()
  const options: RunAgainOptions = {
    name: 'the work',
    signal: stop.signal,
    nowMs: () => clock.atMs,
    logger: { warn: () => {} },
    delay: async (durationMs) => {
      pauses.push(durationMs)
      clock.atMs += durationMs
    },
  }
  return { clock, pauses, stop, options }
}

describe('work that can be restarted', () => {
  it('is restarted with growing pauses while its failure passes', async () => {
    const { pauses, options } = createWorld()
    let count = 0
    await runAgain(async () => {
      if (++count <= 9) throw away()
    }, options)
    expect(pauses).to.deep.equal([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
  })

  it('ends with a failure that does not pass', async () => {
    const { pauses, options } = createWorld()
    const error = await runAgain(() => Promise.reject(broken()), options).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'determinism_broken')
    expect(pauses).to.deep.equal([])
  })

  it('counts failures from one after it has run for a minute', async () => {
    const { clock, pauses, options } = createWorld()
    let count = 0
    await runAgain(async () => {
      if (++count === 3) clock.atMs += 60_000
      if (count <= 4) throw away()
    }, options)
    expect(pauses).to.deep.equal([250, 500, 250, 500])
  })

  it('ends when it is stopped, also during a pause', async () => {
    const { stop, options } = createWorld()
    const delay = async () => stop.abort()
    await runAgain(() => Promise.reject(away()), { ...options, delay })
  })

  it('throws a failure that does not pass even if it is stopped', async () => {
    const { stop, options } = createWorld()
    const work = async () => {
      stop.abort()
      throw broken()
    }
    const error = await runAgain(work, options).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'determinism_broken')
  })
})
