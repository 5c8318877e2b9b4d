/** Wrong answers to a Kafka request. */
import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import { metadataBody, versionsBody } from '../../../support/log/broker-double.ts'

type Garbage = (socket: Socket, reply: (body: Buffer) => void) => void

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const chunk = Buffer.alloc(65_536, 1)
const dripMs = 50

const send =
  (data: Buffer): Garbage =>
  (socket) =>
    void socket.write(data)

/** Sends as fast as the client reads, until the connection ends. */
function sendWithoutEnd(socket: Socket, data: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(data));
  }
  socket.on('drain', more)
  more()
}

function drip(socket: Socket, data: Buffer): void {
  let at = 0
  const dripping = setInterval(() => {
    if (socket.destroyed || at >= data.length) clearInterval(dripping)
    else socket.write(data.subarray(at, ++at))
  }, dripMs)
}

const randomBytes = (seed: string, hashes: number): Buffer =>
  Buffer.concat(Array.from({ length: hashes }, (_, at) => hash('sha256', `${seed} ${at}`, 'buffer')))

/** An ApiVersions array that claims this number of entries, but has none. */
const entries =
  (count: string): Garbage =>
  (_, reply) =>
    reply(bytes(`0000${count}00000000`))

export const garbage: Readonly<Record<string, Garbage>> = {
  'a negative length': send(bytes('ffffff0000000000')),
  'a length of 0': send(Buffer.alloc(4)),
  'a length of 3': send(bytes('00000003000000')),
  'a length of 2 GB, and bytes without end': (socket) => {
    socket.write(bytes('7fffffff'))
    sendWithoutEnd(socket, chunk)
  },
  'a length of 30 MB, and bytes without end': (socket) => {
    socket.write(bytes('01e00000'))
    sendWithoutEnd(socket, chunk)
  },
  'answers without end that nobody asked for': (socket) =>
    sendWithoutEnd(socket, bytes('0000000c7ffffff00000000000000000')),
  'random bytes': (socket) => sendWithoutEnd(socket, randomBytes('a stream', 2_048)),
  'random bytes in a frame': (_, reply) => reply(randomBytes('a frame', 16)),
  'an answer over HTTP': send(Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
  'an alert of TLS': send(bytes('15030300020246')),
  '2,147,483,647 entries': entries('7fffffff'),
  '30,000,000 entries': entries('01c9c380'),
  '-2 entries': entries('fffffffe'),
  'an empty answer': (_, reply) => reply(Buffer.alloc(0)),
  'half an answer': (_, reply) => reply(versionsBody.subarray(0, 9)),
  'half a frame, then the end': (socket) => void socket.end(bytes('0000001000000000')),
  'half a frame, then nothing': send(bytes('0000001000000000')),
  'another answer': (_, reply) => reply(metadataBody),
  'a closed connection': (socket) => void socket.end(),
  'a reset connection': (socket) => void socket.resetAndDestroy(),
  nothing: () => {},
  'a byte now and then': (socket) => drip(socket, bytes('0000001000000000'.padEnd(400, '0'))),
}
