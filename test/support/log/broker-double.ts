/** A TCP server that takes requests as a Kafka broker does. Its `BrokerAnswer` decides each answer. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** `reply` sends a body as the answer to the request. */
export type BrokerAnswer = (socket: Socket, apiKey: number, reply: (body: Buffer) => void) => void

export type BrokerDouble = Readonly<{ port: number; sockets: ReadonlySet<Socket>; stop: () => Promise<void> }>

const apiVersionsKey = 18
/** The answer to ApiVersions: one API, Metadata up to version 6. */
export const versionsBody = Buffer.from([0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 6])
/** No brokers, no cluster id, no controller, no topics. */
export const metadataBody = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])

export const soundAnswer: BrokerAnswer = (_, apiKey, reply) =>
  reply(apiKey === apiVersionsKey ? versionsBody : metadataBody)

/** `onRequest` gets each request before it is answered, from its API key on. */
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
