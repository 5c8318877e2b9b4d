import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { createChainA } from '../../../api/chain-a/chain.ts'
import { type RunningApi, startApi } from '../../../api/edge/listen.ts'
import { routesOf } from '../../../api/products.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import type { Cuts } from '../../../projections/cuts.ts'
import { createFixedQueries, fixedCut } from '../../support/fixed-queries.ts'
import { type FacilitatorDouble, startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import { createTestClock, memoryLog, openPaidService } from '../../support/payments/paid-service.ts'
import { streamOf } from '../../support/stream.ts'
import { mcpClients } from '../mcp/clients.ts'

describe('the API that stops', () => {
  let double: FacilitatorDouble
  let api: RunningApi
  /** Controls the route `/health`. The route calls `asked` and then waits for `opened`. */
  let gate: { asked: () => void; opened: Promise<void> }
  let gateClosed: Promise<void>
  /** What the stop has done so far. */
  let closing: string[]
  const sockets: Socket[] = []

  const connected = async (said: string): Promise<Socket> => {
    const socket = connect({ port: api.port, host: '127.0.0.1' }).resume()
    sockets.push(socket)
    // An error is allowed here, because the server may end the connection.
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(said)
    return socket
  }
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${api.port}${path}`)).status
  const isRefused = () =>
    connected('').then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    )

  before(async () => {
    double = await startFacilitatorDouble()
  })
  const start = async (drainMs: number) => {
    const clock = createTestClock()
    gate = { asked: () => {}, opened: Promise.resolve() }
    const { queries, cuts } = createFixedQueries()
    const presentation = {
      chainName: 'chainA',
      launchpadKey: 'launchCurve',
      ruleIdSecret: 'a secret of the test',
      callerIdSecret: 'another secret of the test',
    }
    const chains = [createChainA({ queries, presentation })]
    const service = await openPaidService(double, { log: memoryLog(clock), clock })
    let noteClosed = () => {}
    gateClosed = new Promise((resolve) => {
      noteClosed = resolve
    })
    closing = []
    const close = async () => {
      closing.push((await isRefused()) ? 'new clients are refused' : 'a new client is connected')
      await service.gate.close()
      closing.push('the gate is closed')
      noteClosed()
    }
    const stream = { ...streamOf(chains).route, end: () => void closing.push('the streams have ended') }
    const newest: Cuts['newest'] = async (stages) => {
      gate.asked()
      await gate.opened
      return cuts.newest(stages)
    }
    api = await startApi(
      {
        routes: routesOf(chains),
        sources: chains,
        stream,
        cuts: { ...cuts, newest },
        gate: { ...service.gate, close },
        publicBaseUrl: 'https://data.example',
        viewRefreshMs: 0,
        trustedProxyCount: 1,
        nowMs: () => fixedCut.atMs,
        logger: createLogger('test', 'silent'),
      },
      { port: 0, host: '127.0.0.1', drainMs },
    )
  }
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  after(() => double.stop())

  for (const [what, said] of [
    ['is connected and silent', ''],
    ['has said half of what it wants', 'GET / HTTP/1.1\r\nHost: '],
    ['has had its answer and stays', 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ] as const)
    it(`hangs up on who ${what}`, async () => {
      await start(60_000)
      const socket = await connected(said)
      const hungUp = once(socket, 'close')
      // The server accepts connections in order. So it has accepted `socket` before it answers this request.
      expect(await ask('/health')).to.equal(200)
      await api.stop()
      await hungUp
    })

  it('says that it is live and ready', async () => {
    await start(60_000)
    expect(await ask('/livez')).to.equal(200)
    expect(await ask('/readyz')).to.equal(200)
    await api.stop()
  })

  /** An answer that waits for `open`. */
  const waiting = async <Answer>(askFor: () => Promise<Answer>) => {
    let open = () => {}
    gate.opened = new Promise((resolve) => {
      open = resolve
    })
    const asked = new Promise<void>((resolve) => {
      gate.asked = resolve
    })
    const answered = askFor().catch(() => 'hung up on')
    await asked
    return { answered, open }
  }
  const askWaiting = () => waiting(() => ask('/health'))

  it('hangs up on nobody whose answer is on its way', async () => {
    await start(60_000)
    const { answered, open } = await askWaiting()
    const stopped = api.stop()
    setImmediate(open)
    expect(await answered).to.equal(200)
    await stopped
  })

  it('closes the payment gate before it waits for answers, so that it sells nothing meanwhile', async () => {
    await start(60_000)
    const { answered, open } = await askWaiting()
    const stopped = api.stop()
    await gateClosed
    open()
    expect(await answered).to.equal(200)
    await stopped
  })

  it('ends the streams and refuses new clients before it closes the payment gate', async () => {
    await start(60_000)
    await api.stop()
    expect(closing).to.deep.equal(['the streams have ended', 'new clients are refused', 'the gate is closed'])
  })

  it('answers the calls under way over MCP before it closes MCP', async () => {
    await start(60_000)
    const client = await mcpClients.negotiating(new URL(`http://127.0.0.1:${api.port}/mcp`))
    const { answered, open } = await waiting(async () => (await client.callTool({ name: 'service_status' })).isError)
    const stopped = api.stop()
    await gateClosed
    open()
    expect(await answered).to.not.be.oneOf([true, 'hung up on'])
    await stopped
    await client.close()
  })

  it('waits for no answer for ever', async () => {
    await start(1)
    const { answered, open } = await askWaiting()
    await api.stop()
    expect(await answered).to.equal('hung up on')
    open()
  })
})
