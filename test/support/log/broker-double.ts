/**
 * Runs a TCP server that takes requests as a Kafka broker does. A `BrokerAnswer` decides how each request is
 * answered.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Answers a request. `reply` sends a body as the answer. */
export type BrokerAnswer = (socket: Socket, apiKey: number, reply: (body: Buffer) => void) => void

export type BrokerDouble = Readonly<{ port: number; sockets: ReadonlySet<Socket>; stop: () => Promise<void> }>

const apiVersionsKey = 18
/** The answer to ApiVersions. It lists one API: Metadata up to version 6. */
export const versionsBody = Buffer.from([0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 6])
/** The answer to Metadata. It has no brokers, no cluster id, no controller and no topics. */
export const metadataBody = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])

export const soundAnswer: BrokerAnswer = (_, apiKey, reply) =>
  reply(apiKey === apiVersionsKey ? versionsBody : metadataBody)

/**
 * Starts the server. `onRequest` gets the bytes of each request before the answer, beginning with the API
 * key.
 */
export async function startBrokerDouble(
  answer: BrokerAnswer,
  onRequest: (request: Buffer) => void = () => {},
): Promise<BrokerDouble> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    let rest = Buffer.alloc(0)
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data])
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const request = rest.subarray(4, 4 + rest.readInt32BE(0))
        rest = rest.subarray(4 + rest.readInt32BE(0))
        onRequest(request)
        answer(socket, request.readInt16BE(0), (body) => void socket.write(frameOf(request.subarray(4, 8), body)))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ port: (server.address() as AddressInfo).port, sockets },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function frameOf(correlation: Buffer, body: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length + correlation.length)
  return Buffer.concat([size, correlation, body])
}
