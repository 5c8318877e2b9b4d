/** A proxy in front of a server. It appends the address of the client to the `X-Forwarded-For` header. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const port = Number(process.argv[2])

const server = createServer((asked, answer) => {
  const { method, url: path, headers, socket } = asked
  const told = [headers['x-forwarded-for'], socket.remoteAddress].filter((each) => each !== undefined)
  const forwarded = { ...headers, 'x-forwarded-for': told.join(', '), connection: 'close' }
  const onward = request({ host: '127.0.0.1', port, method, path, agent: false, headers: forwarded }, (response) => {
    const { connection: _, ...told } = response.headers
    answer.writeHead(response.statusCode ?? 502, told)
    response.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => answer.writableFinished || onward.destroy())
  asked.pipe(onward)
})
// The proxy keeps idle client connections open for a minute. So it never closes a connection just when a
// request arrives on it.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`LISTENING ${(server.address() as AddressInfo).port}`))
