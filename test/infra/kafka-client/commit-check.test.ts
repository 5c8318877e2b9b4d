import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import { CommitCheck } from '../../../infra/kafka-client/commit-check.ts'

type Topics = readonly Readonly<{ topic: string; partitions: readonly number[] }>[]
const afterMs = 15
const p = (...partitions: readonly number[]): Topics => [{ topic: 'a', partitions }]

/**
 * Returns a check whose searches for open partitions give these results, one after the other, and then find
 * none.
 */
function script(results: readonly (Topics | Error)[]) {
  const left = [...results]
  const [looks, opened]: [Topics[], Topics[]] = [[], []]
  const check = new CommitCheck({
    async findOpen(topics, patienceMs) {
      expect(patienceMs).to.equal(afterMs)
      looks.push(topics as Topics)
      const next = left.shift() ?? []
      if (next instanceof Error) throw next
      return next as never
    },
    afterMs,
    onOpen: (topics) => void opened.push(topics as Topics),
  })
  const note = (topics: Topics) => check.note(topics as never)
  /** Waits until the check has looked this many times. A check that looks no more fails by the time of the test. */
  const looked = async (count: number) => {
    while (looks.length < count) await sleep(1)
    await sleep(0)
  }
  return { check, note, looks, opened, looked, wait: () => sleep(4 * afterMs) }
}

describe('the check of commits', () => {
  it('looks one time, after a while, for all partitions noted until then', async () => {
    const { check, note, looks, opened, looked } = script([])
    note([{ topic: 'a', partitions: [0, 1] }])
    note([
      { topic: 'a', partitions: [1, 2] },
      { topic: 'b', partitions: [7] },
    ])
    expect(looks).to.deep.equal([])
    await looked(1)
    expect(looks).to.deep.equal([[{ topic: 'a', partitions: [0, 1, 2] }, ...[{ topic: 'b', partitions: [7] }]]])
    expect(opened).to.deep.equal([])
    note(p(3))
    await looked(2)
    expect(looks.slice(1)).to.deep.equal([p(3)])
    check.stop()
  })

  it('names open partitions, and looks at these again until none is open', async () => {
    const { check, note, looks, opened, looked, wait } = script([p(1), p(1), []])
    note(p(0, 1))
    await looked(3)
    await wait()
    expect(looks).to.deep.equal([p(0, 1), p(1), p(1)])
    expect(opened).to.deep.equal([p(1), p(1)])
    check.stop()
  })

  it('looks at the same partitions again after the brokers were away', async () => {
    const { check, note, looks, opened, looked } = script([new OperationError('log_unavailable', 'away'), p(2)])
    note(p(2))
    await looked(2)
    expect(looks.slice(0, 2)).to.deep.equal([p(2), p(2)])
    expect(opened).to.deep.equal([p(2)])
    check.stop()
  })

  for (const error of [new OperationError('log_failed', 'for good'), new TypeError('a mistake')])
    it(`leaves a failure to the next append: ${error.message}`, async () => {
      const { check, note, looks, opened, looked, wait } = script([error])
      note(p(2))
      await looked(1)
      await wait()
      expect([looks, opened]).to.deep.equal([[p(2)], []])
      check.stop()
    })

  it('looks no more once it is stopped, and names nothing that it finds then', async () => {
    const { check, note, looks, wait } = script([])
    note(p(0))
    check.stop()
    note(p(1))
    await wait()
    expect(looks).to.deep.equal([])

    let end = (_: Topics) => {}
    const opened: unknown[] = []
    const late = new CommitCheck({
      findOpen: () => new Promise((resolve) => (end = resolve as never)),
      afterMs,
      onOpen: (topics) => void opened.push(topics),
    })
    late.note(p(0) as never)
    await wait()
    late.stop()
    end(p(0))
    await wait()
    expect(opened).to.deep.equal([])
  })
})
