/** A Koa route in a process of its own that sends so many bytes to anybody: what the service is measured beside. */
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
