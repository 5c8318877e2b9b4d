import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { type AppDependencies, createApp } from '../../../api/edge/app.ts'
import { createFailureLog } from '../../../api/http/failure-log.ts'
import { createFailureReport, guarded } from '../../../api/http/middleware.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createFixedQueries } from '../../support/fixed-queries.ts'

describe('what a request can make the service log', () => {
  const linesOf = () => {
    const lines: string[] = []
    return { lines, logger: createLogger('test', 'trace', { write: (line) => void lines.push(line) }) }
  }
  const listen = async (app: Koa) => {
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, port: (server.address() as AddressInfo).port }
  }

  it('is twenty failures a second at most, while every request fails', async () => {
    const { lines, logger } = linesOf()
    const app = new Koa()
      .use(guarded(createFailureReport(createFailureLog(logger)), 'https://data.example'))
      .use(() => Promise.reject(new RangeError('down')))
    const { server, port } = await listen(app)
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => (await fetch(`http://127.0.0.1:${port}/`)).status),
    )
    server.close()
    server.closeAllConnections()
    expect(new Set(statuses)).to.deep.equal(new Set([500]))
    // On a slow machine the requests take two seconds or more, so there can be more log lines.
    expect(lines.length).to.be.within(20, 60)
  })

  it('is twenty failures a second at most, while every response fails', () => {
    const { lines, logger } = linesOf()
    const { cuts } = createFixedQueries()
    const app = createApp({
      ...{ routes: [], cuts, gate: {} as PaymentGate, logger, sources: [{ stage: chainAStage }] },
      ...{ publicBaseUrl: 'https://data.example', viewRefreshMs: 0, trustedProxyCount: 0, nowMs: () => 0 },
    } as unknown as AppDependencies)
    for (let time = 0; time < 984; time++) app.emit('error', new RangeError('sent twice'))
    expect(lines.length).to.be.within(20, 60)
  })

  const ends: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['hangs up', (socket) => socket.resetAndDestroy()],
    ['says what is not HTTP', (socket) => socket.write('NONSENSE\r\n\r\n')],
  ]
  for (const [what, end] of ends)
    it(`is nothing for a client that ${what} while its answer is made`, async () => {
      const { lines, logger } = linesOf()
      const { cuts } = createFixedQueries()
      const waiting = new EventEmitter()
      const newest: typeof cuts.newest = async (stages) => {
        waiting.emit('asked')
        await once(waiting, 'open')
        return cuts.newest(stages)
      }
      const app = createApp({
        ...{
          routes: [],
          cuts: { ...cuts, newest },
          gate: {} as PaymentGate,
          logger,
          sources: [{ stage: chainAStage }],
        },
        ...{ publicBaseUrl: 'https://data.example', viewRefreshMs: 0, trustedProxyCount: 0, nowMs: () => 0 },
      } as unknown as AppDependencies)
      const failed = once(app, 'error')
      const { server, port } = await listen(app)
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      const asked = once(waiting, 'asked')
      socket.write('GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n')
      await asked
      end(socket)
      await failed
      waiting.emit('open')
      server.close()
      socket.destroy()
      expect(lines).to.deep.equal([])
    })
})
