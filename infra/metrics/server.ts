/** The port for operators: `/metrics`, `/livez` and `/readyz`. It listens on the loopback address only. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Readiness } from '../program.ts'
import type { Logger } from '../telemetry.ts'

export type MetricsServer = Readonly<{ close(): Promise<void> }>

type Served = Readonly<{
  /** The text of all metrics. Concurrent scrapes share one call. */
  text: () => Promise<string>
  readiness: () => Promise<Readiness>
  logger: Pick<Logger, 'info' | 'warn'>
}>

const host = '127.0.0.1'
/** The content type of the text format of Prometheus. */
const textFormat = 'text/plain; version=0.0.4; charset=utf-8'
/** The maximum number of open connections. A Prometheus and some probes need one each. */
const connectionsMax = 32

/** Returns null if the server cannot listen. Then it logs a warning, and the service continues without metrics. */
export async function serveMetrics(port: number, served: Served): Promise<MetricsServer | null> {
  const { logger } = served
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, listenerOf(served))
  server.maxConnections = connectionsMax
  try {
    await listen(server, port)
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is in use by another program' : 'cannot be used'
    logger.warn(
      { err: error },
      `port ${port} for metrics ${reason}. The service runs without metrics. Set METRICS_PORT to a free port, or to 0 to switch metrics off`,
    )
    return null
  }
  logger.info(`metrics on http://${host}:${port}/metrics`)
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

function listenerOf({ text, readiness, logger }: Served): RequestListener {
  let scrape: Promise<string> | null = null
  const scraped = (): Promise<string> => {
    scrape ??= text().finally(() => {
      scrape = null
    })
    return scrape
  }
  const answerOf = async (path: string | undefined): Promise<Answer> => {
    if (path === '/metrics') return { status: 200, type: textFormat, body: await scraped() }
    if (path === '/livez') return probeAnswer('ok')
    if (path === '/readyz') return probeAnswer(await readiness())
    return { status: 404, type: 'text/plain', body: 'The paths are /metrics, /livez and /readyz\n' }
  }
  return (request, response) => {
    const send = ({ status, type, body }: Answer) =>
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    answerOf(request.url?.split('?')[0]).then(send, (error) => {
      logger.warn({ err: error }, 'the metrics could not be read')
      send({ status: 500, type: 'text/plain', body: 'The metrics could not be read\n' })
    })
  }
}

type Answer = Readonly<{ status: number; type: string; body: string }>

const probeAnswer = (status: Readiness): Answer => ({
  status: status === 'ok' ? 200 : 503,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({ status }),
})
