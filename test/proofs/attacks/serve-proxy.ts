/** A proxy in front of a server: it says whence each request comes, behind whatever the client said of that. */
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
// A client never sends on a connection that was idle for so long and is just being closed.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`LISTENING ${(server.address() as AddressInfo).port}`))
