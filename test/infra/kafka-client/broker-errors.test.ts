import { expect } from 'chai'
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import {
  answerOf,
  clusterFailure,
  isPassing,
  isUnreachable,
  tryAgain,
} from '../../../infra/kafka-client/broker-errors.ts'
import { expectFailure } from '../../contracts/log-contract.ts'

const answered = (type: string) =>
  Object.assign(new Error(`the broker says ${type}`), { name: 'KafkaJSProtocolError', type })
const unreachable = Object.assign(new Error('hung up'), { name: 'KafkaJSConnectionClosedError', broker: 'one:9092' })
const ours = new OperationError('log_unavailable', 'the broker no longer knows the writer w', {
  cause: answered('INVALID_TXN_STATE'),
})
const bug = new TypeError('x is not a function')

describe('the failure of a request to the cluster', () => {
  const table: readonly (readonly [what: string, cause: unknown, code: string | null, message: string])[] = [
    [
      'an answer that passes',
      answered('NOT_CONTROLLER'),
      'log_unavailable',
      'asking failed: the broker answered NOT_CONTROLLER',
    ],
    [
      'an answer that stays',
      answered('TOPIC_AUTHORIZATION_FAILED'),
      'log_failed',
      'asking failed: the broker answered TOPIC_AUTHORIZATION_FAILED',
    ],
    [
      'an answer inside other errors',
      new Error('outer', { cause: new Error('inner', { cause: answered('NOT_CONTROLLER') }) }),
      'log_unavailable',
      'asking failed: the broker answered NOT_CONTROLLER',
    ],
    [
      'no answer',
      unreachable,
      'log_unavailable',
      'asking failed: no broker answers (one:9092: hung up). Check the brokers and KAFKA_BROKERS',
    ],
  ]
  for (const [what, cause, code, message] of table)
    it(`after ${what} is ${code}, and keeps its cause`, () => {
      const failure = clusterFailure('asking', cause)
      expect(failure).to.be.instanceOf(OperationError).and.include({ code, message, cause })
    })

  for (const [what, cause] of [
    ['of the program, whatever the broker answered before it', ours],
    ['of a bug', bug],
    ['that is no error', 'nonsense'],
  ] as const)
    it(`is left as it is: one ${what}`, () => {
      expect(clusterFailure('asking', cause)).to.equal(cause)
    })

  it('tells what a broker answered, and whether it may pass', () => {
    const told = [answered('NOT_CONTROLLER'), answered('INVALID_TXN_STATE'), unreachable, ours, bug].map((error) => [
      ...[answerOf(error), isUnreachable(error), isPassing(error)],
    ])
    expect(told).to.deep.equal([
      ['NOT_CONTROLLER', false, true],
      ['INVALID_TXN_STATE', false, false],
      [null, true, true],
      ['INVALID_TXN_STATE', false, false],
      [null, false, false],
    ])
  })
})

describe('a request that is tried again', () => {
  /** Returns an attempt that fails with these errors, one after another, and then succeeds. */
  const failing = (...errors: readonly unknown[]) => {
    const left = [...errors]
    const tries = { count: 0 }
    const attempt = async () => {
      tries.count += 1
      if (left.length > 0) throw left.shift()
      return 'done'
    }
    return { attempt, tries }
  }

  it('succeeds after failures that pass, each of which is told before the next try', async () => {
    const told: unknown[] = []
    const errors = [unreachable, answered('NOT_CONTROLLER')]
    const { attempt, tries } = failing(...errors)
    expect(await tryAgain(attempt, { doing: 'asking', beforeRetry: (error) => told.push(error) })).to.equal('done')
    expect([tries.count, told]).to.deep.equal([3, errors])
  })

  for (const [error, code] of [
    [answered('TOPIC_AUTHORIZATION_FAILED'), 'log_failed'],
    [ours, 'log_unavailable'],
  ] as const)
    it(`fails at once with ${code} after a failure that stays`, async () => {
      const { attempt, tries } = failing(error)
      await expectFailure(tryAgain(attempt, { doing: 'asking' }), code)
      expect(tries.count).to.equal(1)
    })

  it('fails when its time is over, or as the caller decides', async () => {
    const { attempt, tries } = failing(unreachable, unreachable)
    await expectFailure(tryAgain(attempt, { doing: 'asking', patienceMs: 0 }), 'log_unavailable')
    await expectFailure(tryAgain(attempt, { doing: 'asking', mayRetry: () => false }), 'log_unavailable')
    expect(tries.count).to.equal(2)
  })

  it('fails soon after its signal aborts, also during a pause', async () => {
    const stop = new AbortController()
    const tries = { count: 0 }
    const attempt = async () => {
      tries.count += 1
      if (tries.count === 3) setImmediate(() => stop.abort())
      throw unreachable
    }
    const failure = await tryAgain(attempt, { doing: 'asking', signal: stop.signal }).catch((error) => error)
    expect(isOperationError(failure, 'log_unavailable')).to.equal(true)
    expect(tries.count).to.be.within(3, 5)
  })
})
