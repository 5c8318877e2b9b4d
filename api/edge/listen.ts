/** Starts and stops the server. A stop waits for running payments. */
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperationError } from '../../infra/errors.ts'
import type { DurationMs } from '../../schemas/units.ts'
import { type AppDependencies, createApp } from './app.ts'
import { type ConnectionLimits, createBoundedServer } from './connections.ts'

export type RunningApi = Readonly<{ port: number; stop(): Promise<void> }>

type Listen = Readonly<{
  port: number
  host: string
  /**
   * The maximum time that a stop waits for slow clients to read their answers, in ms. After a restart, a
   * buyer can fetch a paid answer again. Default: 3 s.
   */
  drainMs?: DurationMs
}> &
  Omit<ConnectionLimits, 'isBehindProxy'>

/** Starts the server. Fails with `port_in_use` if the port is taken. */
export async function startApi(dependencies: AppDependencies, listening: Listen): Promise<RunningApi> {
  const { port, host, drainMs = 3_000 } = listening
  const stopping = new AbortController()
  const stopped = new AbortController()
  const app = createApp({ ...dependencies, stopping: stopping.signal, stopped: stopped.signal })
  const isBehindProxy = dependencies.trustedProxyCount > 0
  const server = createBoundedServer(app.callback(), { ...listening, isBehindProxy })
  const answers = followAnswers(server)
  await listen(server, { port, host })
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      dependencies.readiness?.drain()
      stopping.abort()
      dependencies.stream?.end('shutdown')
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await dependencies.gate.close()
      await answers.sent(drainMs)
      stopped.abort()
      // Closes all connections, because `server.close` waits for idle connections. A closed server does not
      // end idle connections by its timeouts.
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * Tracks the answers that are being sent. `sent` resolves as soon as all of them have been sent, or after
 * `limitMs`.
 */
function followAnswers(server: Server) {
  const underWay = new Set<ServerResponse>()
  server.on('request', (_, response) => {
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
  })
  return {
    async sent(limitMs: DurationMs): Promise<void> {
      const timeUp = new AbortController()
      const all = [...underWay].map((response) => once(response, 'close'))
      await Promise.race([Promise.all(all), sleep(limitMs, undefined, { signal: timeUp.signal }).catch(() => {})])
      timeUp.abort()
    },
  }
}

function listen(server: Server, { port, host }: Pick<Listen, 'port' | 'host'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const text =
        cause.code === 'EADDRINUSE'
          ? `port ${port} is in use by another program. Stop that program, or set another port (PORT, or --port of a replay)`
          : `the service cannot listen on ${host}:${port} (${cause.code}). Correct HOST and PORT`
      reject(new OperationError('port_in_use', text, { cause }))
    })
    server.listen(port, host, resolve)
  })
}
