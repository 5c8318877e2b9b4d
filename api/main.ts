/** The program that answers: listens, serves, and stops without cutting a payment short. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OperationError } from '../infra/errors.ts'
import { type AppDependencies, createApp } from './app.ts'

export type RunningApi = Readonly<{ port: number; stop(): Promise<void> }>

type Listen = Readonly<{ port: number; host: string }>

/** Two networks and the extensions of a client fit well; the ledger refuses payments over 12 KB anyway. */
const headerBytesMax = 32_768

/** Fails with `port_in_use` when something listens there already. */
export async function startApi(dependencies: AppDependencies, { port, host }: Listen): Promise<RunningApi> {
  const app = createApp(dependencies)
  const server = createServer({ maxHeaderSize: headerBytesMax }, app.callback())
  await listen(server, { port, host })
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await dependencies.gate.close()
      server.closeIdleConnections()
      await closed
    },
  }
}

function listen(server: Server, { port, host }: Listen): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const text =
        cause.code === 'EADDRINUSE'
          ? `port ${port} is in use; set PORT to another one`
          : `cannot listen on ${host}:${port}`
      reject(new OperationError('port_in_use', text, { cause }))
    })
    server.listen(port, host, resolve)
  })
}
