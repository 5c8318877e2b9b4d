import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import { askAgain, type RetryOptions } from '../../../ingest/node/ask-again.ts'
import { unreachable } from '../../../ingest/node/unreachable.ts'

const busy = (retryAfterMs?: number) => unreachable('the node is busy', 'busy', retryAfterMs)
const slow = () => unreachable('no answer in time', 'timeout')

/**
 * Asks a node that first fails with these errors and then answers. Returns the result or the error, and the
 * waits in milliseconds.
 */
async function asked(failures: readonly Error[], options: Partial<RetryOptions> = {}) {
  const [left, waits, noted] = [[...failures], [] as number[], [] as string[]]
  const { signal } = new AbortController()
  const ask = async () => {
    const failure = left.shift()
    if (failure) throw failure
    return 'the answer'
  }
  const result = await askAgain(ask, {
    ...{ signal, triesMax: 9, mayPass: () => true },
    pause: async (tryCount, waitMs, waitSignal) => {
      expect([tryCount, waitSignal === signal]).to.deep.equal([waits.length + 1, true])
      waits.push(waitMs)
    },
    onFailure: ({ message }, tryCount) => noted.push(`${tryCount} ${message}`),
    ...options,
  }).catch((error: unknown) => error)
  return { result, waits, noted }
}

describe('a failed request to a node', () => {
  it('is not repeated after an answer', async () => {
    expect(await asked([])).to.deep.equal({ result: 'the answer', waits: [], noted: [] })
  })

  it('is repeated after waits that double, less up to a half at random', async () => {
    const { result, waits, noted } = await asked([busy(), busy(), busy(), busy()])
    expect(result).to.equal('the answer')
    for (const [index, waitMs] of waits.entries()) expect(waitMs).to.be.within(50 * 2 ** index, 100 * 2 ** index)
    expect(noted).to.deep.equal([1, 2, 3, 4].map((tryCount) => `${tryCount} the node is busy`))
  })

  it('waits as long as the node asks for, but no shorter than usual', async () => {
    expect((await asked([busy(5_000)])).waits).to.deep.equal([5_000])
    expect((await asked([busy(1)])).waits[0]).to.be.at.least(50)
  })

  it('is given up after the greatest number of tries', async () => {
    const failures = [busy(), busy(), busy()]
    const { result, waits } = await asked(failures, { triesMax: 3 })
    expect([result, waits.length]).to.deep.equal([failures[2], 2])
    expect((await asked(failures, { triesMax: 4 })).result).to.equal('the answer')
  })

  it('is given up after three timeouts, whatever else fails between them', async () => {
    const last = slow()
    expect((await asked([slow(), busy(), slow(), busy(), last])).result).to.equal(last)
    expect((await asked([slow(), busy(), slow(), busy()])).result).to.equal('the answer')
  })

  it('is given up if it cannot pass, with all failures so far and the last', async () => {
    const [first, second] = [busy(), slow()]
    const seen: (readonly unknown[])[] = []
    const mayPass: RetryOptions['mayPass'] = (failures, last) => {
      seen.push([...failures, last])
      return failures.length < 2
    }
    expect((await asked([first, second], { mayPass })).result).to.equal(second)
    expect(seen).to.deep.equal([
      [first, first],
      [first, second, second],
    ])
  })

  it('is not repeated after a bug of ours', async () => {
    const bug = new TypeError('a bug')
    expect(await asked([bug])).to.deep.equal({ result: bug, waits: [], noted: [] })
  })

  it('ends when the wait ends with an error', async () => {
    const stopped = new OperationError('node_unreachable', 'stopped')
    const pause = () => Promise.reject(stopped)
    expect((await asked([busy()], { pause })).result).to.equal(stopped)
  })
})
