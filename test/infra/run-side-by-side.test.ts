import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { OperationError } from '../../infra/errors.ts'
import { type Part, runSideBySide } from '../../infra/run-side-by-side.ts'

const corrupt = () => new OperationError('record_corrupt', 'a fact cannot be read')

function createWorld() {
  const stop = new AbortController()
  const logged: string[] = []
  const pauses: number[] = []
  const options = {
    ...{ stop, signal: stop.signal },
    logger: { error: (...words: readonly unknown[]) => void logged.push(String(words[1])) },
    delay: async (durationMs: number) => {
      pauses.push(durationMs)
      await nextTurn()
    },
  }
  /** Runs until it is stopped. */
  const steady = (name: string): Part => ({
    name,
    run: () => new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true })),
  })
  /** Returns a part that fails `count` times, and then runs until it is stopped. */
  const failing = (name: string, count: number, failure: () => Error = corrupt) => {
    let tries = 0
    const run = async () => {
      if (++tries <= count) throw failure()
      await steady(name).run()
    }
    return { name, run, tries: () => tries }
  }
  const failureOf = (parts: readonly Part[], more = {}) =>
    runSideBySide(parts, { ...options, ...more }).then(
      () => null,
      (error: unknown) => error,
    )
  return { stop, logged, pauses, options, steady, failing, failureOf }
}

describe('chains that run side by side', () => {
  it('run on while one of them fails at every try, which is started again each minute', async () => {
    const { stop, logged, pauses, steady, failing, failureOf } = createWorld()
    const broken = failing('chain B', Number.POSITIVE_INFINITY)
    const running = failureOf([steady('chain A'), broken])
    while (broken.tries() < 4) await nextTurn()
    stop.abort()
    expect(await running).to.equal(null)
    expect(pauses.slice(0, 3)).to.deep.equal([60_000, 60_000, 60_000])
    expect(logged[0]).to.equal('chain B failed. It starts again in 60 s. The other parts continue')
  })

  it('all run again when what was wrong is mended', async () => {
    const { stop, logged, steady, failing, failureOf } = createWorld()
    const mended = failing('chain B', 2)
    const running = failureOf([steady('chain A'), mended])
    while (mended.tries() < 3) await nextTurn()
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect(mended.tries()).to.equal(3)
    stop.abort()
    expect(await running).to.equal(null)
    expect(logged).to.have.length(2)
  })

  it('end with the failure of the only one', async () => {
    const { stop, logged, failing, failureOf } = createWorld()
    expect(await failureOf([failing('chain A', 1)])).to.have.property('code', 'record_corrupt')
    expect(stop.signal.aborted).to.equal(true)
    expect(logged).to.deep.equal([])
  })

  it('end when no other one is left that runs', async () => {
    const { stop, failing, failureOf } = createWorld()
    const full = () => new OperationError('log_failed', 'the disk is full')
    expect(await failureOf([failing('chain A', 9, full), failing('chain B', 9, full)])).to.have.property(
      'code',
      'log_failed',
    )
    expect(stop.signal.aborted).to.equal(true)
  })

  it('end with a failure of what they share', async () => {
    const { steady, failing, failureOf } = createWorld()
    const away = () => new OperationError('log_unavailable', 'the broker is away')
    const concernsAll = (error: unknown) => error instanceof OperationError && error.code === 'log_unavailable'
    const failure = await failureOf([steady('chain A'), failing('chain B', 1, away)], { concernsAll })
    expect(failure).to.have.property('code', 'log_unavailable')
  })

  it('do not start one again that another process has fenced', async () => {
    const { stop, pauses, logged, steady, failing, failureOf } = createWorld()
    const fenced = failing('chain B', 9, () => new OperationError('writer_fenced', 'another ingest started'))
    const running = failureOf([steady('chain A'), fenced])
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    stop.abort()
    expect(await running).to.equal(null)
    expect([fenced.tries(), pauses, logged]).to.deep.equal([
      ...[1, []],
      ['chain B failed. It stays stopped. The other parts continue'],
    ])
  })

  it('throw a failure that comes while they are stopped', async () => {
    const { stop, steady, failureOf } = createWorld()
    const late: Part = {
      name: 'chain B',
      run: async () => {
        await steady('chain B').run()
        throw corrupt()
      },
    }
    const running = failureOf([steady('chain A'), late])
    stop.abort()
    expect(await running).to.have.property('code', 'record_corrupt')
  })
})
