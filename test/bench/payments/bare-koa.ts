/**
 * A Koa route in a separate process that sends a fixed number of bytes to every client. The service is
 * compared with this route.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'

const body = Buffer.from(
  JSON.stringify({ pad: 'x'.repeat(Math.max(0, Number(process.argv[2]) - '{"pad":""}'.length)) }),
)
const app = new Koa().use((ctx) => {
  ctx.type = 'application/json'
  ctx.body = body
})
const server = createServer(app.callback()).listen(0, '127.0.0.1', () => {
  console.log(`LISTENING ${(server.address() as AddressInfo).port}`)
})
