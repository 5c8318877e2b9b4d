import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { isOperationError } from '../../../infra/errors.ts'
import { clusterFailure, isUnreachable } from '../../../infra/kafka-client/broker-errors.ts'
import { type Connections, createConnections } from '../../../infra/kafka-client/connections.ts'
import {
  type BrokerAnswer,
  type BrokerDouble,
  metadataBody,
  soundAnswer,
  startBrokerDouble,
  versionsBody,
} from '../../support/log/broker-double.ts'

describe('connections to a broker', () => {
  let broker: BrokerDouble
  let connections: Connections
  let answer: BrokerAnswer

  beforeEach(async () => {
    broker = await startBrokerDouble((...request) => answer(...request))
    const logger = pino({ level: 'silent' })
    connections = createConnections({ clientId: 'test', logger, connectionTimeoutMs: 500, requestTimeoutMs: 500 })
  })
  afterEach(async () => {
    connections.close()
    await broker.stop()
  })

  const lane = () => connections.to('test', { host: '127.0.0.1', port: broker.port })
  const ask = () => lane().use((broker) => broker.metadata([]))

  it('share one connection for many requests', async () => {
    answer = soundAnswer
    await Promise.all([ask(), ask(), ask()])
    await ask()
    expect(broker.sockets.size).to.equal(1)
  })

  it('reconnect after a failure at any point, and settle every request', async () => {
    // Some requests use a connection that ends, at once or a moment later. Other requests share that
    // connection.
    let count = 0
    answer = (socket, apiKey, reply) => {
      if (++count % 5 === 0) socket.destroy()
      else if (count % 7 === 0) socket.end()
      else if (count % 3 === 0) setTimeout(() => soundAnswer(socket, apiKey, reply), count % 4)
      else soundAnswer(socket, apiKey, reply)
    }
    const asking = Array.from({ length: 8 }, async (_, who) => {
      for (let turn = 0; turn < 60; turn++) {
        await ask().catch((error: unknown) => expect(isUnreachable(error), String(error)).to.equal(true))
        if (turn % 3 === who % 3) await delay(1)
      }
    })
    // If a request hangs, the test exceeds its time limit.
    await Promise.all(asking)
    answer = soundAnswer
    await ask()
  })

  it('do not run a request whose connection was closed before its turn, and can be used again', async () => {
    answer = soundAnswer
    await ask()
    const asking = [ask(), lane().use(() => expect.fail('it runs on a closed connection'))]
    connections.drop('test')
    for (const each of asking) {
      const error = await each.catch((failure: unknown) => failure)
      expect(isUnreachable(error), String(error)).to.equal(true)
      expect(error).to.include({ message: 'the connection was closed', broker: `127.0.0.1:${broker.port}` })
    }
    await ask()
  })

  it('have no timer that keeps the process busy or alive while they are idle', async () => {
    answer = soundAnswer
    // Mocha starts the timer of this test here, so that it is counted below.
    await new Promise(setImmediate)
    const timerCount = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timerCount()
    await ask()
    await delay(20)
    // The timer of `delay` counts until its callback has returned.
    await new Promise(setImmediate)
    expect(timerCount()).to.equal(before)
  })

  const garbage: Readonly<Record<string, Buffer>> = {
    'a negative length': Buffer.from('ffffff0000000000', 'hex'),
    'a length of none': Buffer.alloc(8),
    'a length of 2 GB': Buffer.from('7fffffff00000000', 'hex'),
    'an answer over HTTP': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'more entries than bytes': Buffer.from('0000000e00000000' + '00007fffffff00000000', 'hex'),
  }
  for (const [name, bytes] of Object.entries(garbage))
    it(`fail with the broker's name at ${name}, and can be used again`, async () => {
      answer = (socket) => void socket.write(bytes)
      const error = await ask().then(
        () => null,
        (failure: unknown) => failure,
      )
      expect(isUnreachable(error), String(error)).to.equal(true)
      const failure = clusterFailure('asking', error)
      expect(isOperationError(failure, 'log_unavailable') && failure.message).to.match(/127\.0\.0\.1:\d+: .*answer/)
      answer = soundAnswer
      await ask()
    })

  it('fail at an answer without its end, and can be used again', async () => {
    answer = (_, apiKey, reply) => reply(apiKey === 18 ? versionsBody : metadataBody.subarray(0, 9))
    const error = await ask().catch((failure: unknown) => failure)
    expect(isUnreachable(error), String(error)).to.equal(true)
    answer = soundAnswer
    await ask()
  })

  it('time out if a broker does not answer, and can be used again', async () => {
    answer = (socket, apiKey, reply) => {
      if (apiKey === 18) soundAnswer(socket, apiKey, reply)
    }
    const error = await ask().then(
      () => null,
      (failure: unknown) => failure,
    )
    expect(isUnreachable(error), String(error)).to.equal(true)
    answer = soundAnswer
    await ask()
  })
})
