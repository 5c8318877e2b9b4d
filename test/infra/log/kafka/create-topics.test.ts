import { createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { isUnreachable } from '../../../../infra/kafka-client/broker-errors.ts'
import { createTopics } from '../../../../infra/log/kafka/create-topics.ts'
import { topics } from '../../../../schemas/topics.ts'
import { createManualTimers } from './manual-timers.ts'

const stepMs = 20

describe('the creation of topics', () => {
  let server: Server
  let sockets: Socket[]
  let answer: (socket: Socket) => void

  beforeEach(async () => {
    sockets = []
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}))
      answer(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  /** Returns how long the creation of topics is tried, in milliseconds of a clock that the test moves. */
  const tryCreation = async () => {
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : expect.fail('it listens on a port')
    const timers = createManualTimers()
    try {
      const options = { brokers: [`127.0.0.1:${port}`], clientId: 'c', topicPrefix: '', replicationFactor: -1 }
      let failure: unknown
      createTopics({ ...options, topicTable: topics }).catch((error) => {
        failure = error
      })
      let tookMs = 0
      for (; failure === undefined; tookMs += stepMs) {
        await new Promise(setImmediate)
        timers.move(stepMs)
      }
      return { failure, tookMs, tries: sockets.length }
    } finally {
      timers.restore()
    }
  }

  it('fails after four tries if the broker closes each connection', async () => {
    answer = (socket) => socket.destroy()
    const { failure, tookMs, tries } = await tryCreation()
    expect(isUnreachable(failure), String(failure)).to.equal(true)
    expect(tries).to.equal(4)
    expect(tookMs).to.be.below(10_000)
  })

  it('waits ten seconds for each answer of a broker that says nothing', async () => {
    answer = (socket) => void socket.resume()
    const { failure, tookMs, tries } = await tryCreation()
    expect(isUnreachable(failure), String(failure)).to.equal(true)
    expect(tookMs / tries).to.be.within(10_000, 13_000)
  })
})
