import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text as textOfStream } from 'node:stream/consumers'
import { expect } from 'chai'
import { type MetricsServer, serveMetrics } from '../../../infra/metrics/server.ts'
import { freePorts } from '../../../infra/ports.ts'
import type { Readiness } from '../../../infra/program.ts'

describe('the port for metrics', () => {
  const lines: string[] = []
  const log = (first: unknown, text?: string) => void lines.push(text ?? String(first))
  const logger = { info: log, warn: log }
  let port: number
  let server: MetricsServer | null
  let text: () => Promise<string>
  let readiness: Readiness

  beforeEach(async () => {
    lines.length = 0
    text = async () => 'launch_data_ready 1\n'
    readiness = 'ok'
    ;[port = 0] = await freePorts(1)
    server = await serveMetrics(port, { text: () => text(), readiness: async () => readiness, logger })
  })
  afterEach(() => server?.close())

  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
  }

  it('serves the text of all metrics', async () => {
    expect(await ask('/metrics')).to.deep.equal({
      ...{ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: 'launch_data_ready 1\n' },
    })
  })

  it('is always live, and ready only while the service can serve', async () => {
    for (const [state, status] of [
      ['warming_up', 503],
      ['ok', 200],
      ['draining', 503],
    ] as const) {
      readiness = state
      expect(await ask('/readyz')).to.include({ status, body: JSON.stringify({ status: state }) })
      expect(await ask('/livez')).to.include({ status: 200, body: '{"status":"ok"}' })
    }
  })

  it('answers 404 for other paths and 500 if the metrics cannot be read', async () => {
    expect((await ask('/')).status).to.equal(404)
    text = () => Promise.reject(new RangeError('a secret'))
    const { status, body } = await ask('/metrics')
    expect(status).to.equal(500)
    expect(body).to.not.contain('secret')
    expect(lines).to.include('the metrics could not be read')
  })

  it('reads the metrics one time for all scrapes at the same time', async () => {
    let reads = 0
    let release: (text: string) => void = () => {}
    const isRead = new Promise<void>((resolve) => {
      text = () => {
        reads += 1
        resolve()
        return new Promise((done) => {
          release = done
        })
      }
    })
    // Both requests are in one packet, so both have arrived when the first one is read.
    const socket = connect(port, '127.0.0.1')
    const head = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n'
    socket.write(`${head}\r\n${head}Connection: close\r\n\r\n`)
    await isRead
    release('once\n')
    expect((await textOfStream(socket)).split('once\n')).to.have.lengthOf(3)
    expect(reads).to.equal(1)
  })

  it('cannot be reached from another machine', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const outer = addresses.find(({ internal, family }) => !internal && family === 'IPv4')
    if (outer === undefined) return
    const reached = await fetch(`http://${outer.address}:${port}/livez`).then(
      () => true,
      () => false,
    )
    expect(reached).to.equal(false)
  })

  it('logs a warning and stays closed if another program has the port', async () => {
    const [taken = 0] = await freePorts(1)
    const other = createServer().listen(taken, '127.0.0.1')
    await once(other, 'listening')
    expect(await serveMetrics(taken, { text, readiness: async () => 'ok', logger })).to.equal(null)
    expect(lines.at(-1)).to.match(/is in use by another program.*METRICS_PORT/)
    other.close()
    await once(other, 'close')
  })
})
