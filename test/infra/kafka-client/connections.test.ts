import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { isOperationError } from '../../../infra/errors.ts'
import { clusterFailure, isUnreachable } from '../../../infra/kafka-client/broker-errors.ts'
import { type Connections, createConnections } from '../../../infra/kafka-client/connections.ts'

/** The answer to ApiVersions: one API, Metadata up to version 6. */
const versionsBody = Buffer.from([0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 6])
/** No brokers, no cluster id, no controller, no topics. */
const metadataBody = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])

describe('connections to a broker', () => {
  let server: Server
  let connections: Connections
  let sockets: Set<Socket>
  let answer: (socket: Socket, apiKey: number, reply: (body: Buffer) => void) => void

  beforeEach(async () => {
    sockets = new Set()
    server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      let rest = Buffer.alloc(0)
      socket.on('data', (data) => {
        rest = Buffer.concat([rest, data])
        while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
          const request = rest.subarray(4, 4 + rest.readInt32BE(0))
          rest = rest.subarray(4 + rest.readInt32BE(0))
          const correlation = request.subarray(4, 8)
          answer(socket, request.readInt16BE(0), (body) => {
            const size = Buffer.alloc(4)
            size.writeInt32BE(body.length + 4)
            socket.write(Buffer.concat([size, correlation, body]))
          })
        }
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const logger = pino({ level: 'silent' })
    connections = createConnections({ clientId: 'test', logger, connectionTimeoutMs: 500, requestTimeoutMs: 500 })
  })
  afterEach(async () => {
    connections.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  const lane = () => {
    const { port } = server.address() as { port: number }
    return connections.lane('test', { host: '127.0.0.1', port })
  }
  const ask = () => lane().use((broker) => broker.metadata([]))
  const sound: typeof answer = (_, apiKey, reply) => reply(apiKey === 18 ? versionsBody : metadataBody)

  it('share one connection for many requests', async () => {
    answer = sound
    await Promise.all([ask(), ask(), ask()])
    await ask()
    expect(sockets.size).to.equal(1)
  })

  it('reconnect after a failure at any point, and settle every request', async () => {
    // Some requests meet a connection that ends, at once or a moment later, and that others share.
    let count = 0
    answer = (socket, apiKey, reply) => {
      if (++count % 5 === 0) socket.destroy()
      else if (count % 7 === 0) socket.end()
      else if (count % 3 === 0) setTimeout(() => sound(socket, apiKey, reply), count % 4)
      else sound(socket, apiKey, reply)
    }
    const asking = Array.from({ length: 8 }, async (_, who) => {
      for (let turn = 0; turn < 60; turn++) {
        await ask().catch((error: unknown) => expect(isUnreachable(error), String(error)).to.equal(true))
        if (turn % 3 === who % 3) await delay(1)
      }
    })
    const outcome = await Promise.race([
      Promise.all(asking).then(() => 'all have an outcome'),
      delay(10_000, 'some hang'),
    ])
    expect(outcome).to.equal('all have an outcome')
    answer = sound
    await ask()
  })

  it('have no timer that keeps the process busy or alive while they are idle', async () => {
    answer = sound
    // Mocha starts the timer of this test meanwhile.
    await new Promise(setImmediate)
    const timerCount = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timerCount()
    await ask()
    await delay(20)
    // The timer of that delay counts until its callback has returned.
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
      answer = sound
      await ask()
    })

  it('fail at an answer without its end, and can be used again', async () => {
    answer = (_, apiKey, reply) => reply(apiKey === 18 ? versionsBody : metadataBody.subarray(0, 9))
    const error = await ask().catch((failure: unknown) => failure)
    expect(isUnreachable(error), String(error)).to.equal(true)
    answer = sound
    await ask()
  })

  it('time out if a broker does not answer, and can be used again', async () => {
    answer = (socket, apiKey, reply) => {
      if (apiKey === 18) sound(socket, apiKey, reply)
    }
    const error = await ask().then(
      () => null,
      (failure: unknown) => failure,
    )
    expect(isUnreachable(error), String(error)).to.equal(true)
    answer = sound
    await ask()
  })
})
