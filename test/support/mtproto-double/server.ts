/**
 * Runs a server of the chat platform on this machine, with real sockets, frames and encryption. The client's
 * session already has the key, so there is no key exchange. There are no salts that expire and no other data
 * centres.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { writeStringSession } from '@mtcute/core/utils.js'
import { decrypt, encrypt } from './cipher.ts'
import { decode, encode, int64, type TlObject } from './tl.ts'

/** An answer to a call, or the failure of a call. Undefined: the server does not answer. */
export type Answer = TlObject | Readonly<{ fails: number; text: string }> | undefined

export type MtprotoServer = Readonly<{
  /**
   * Returns a session whose key the server knows. If `isSignedIn` is false, nobody has signed in with the
   * session.
   */
  session(isSignedIn?: boolean): string
  /** All calls so far. */
  calls: readonly TlObject[]
  push(updates: TlObject): void
  /** Closes all connections. Clients may connect again. */
  drop(): void
  /** Refuses new connections until the function is called with false. */
  refuse(isRefusing: boolean): void
  stop(): Promise<void>
}>

const ids = {
  container: 0x73f1f8dc,
  gzip: 0x3072cfa1,
  result: 0xf35c6d01,
} as const

export async function startMtprotoServer(answer: (call: TlObject) => Answer): Promise<MtprotoServer> {
  const authKey = randomBytes(256)
  const calls: TlObject[] = []
  const clients = new Set<Client>()
  let isRefusing = false
  const server = createServer((socket) => {
    if (isRefusing) {
      socket.destroy()
      return
    }
    const client = serve(socket, authKey, (call) => {
      calls.push(call)
      return answer(call)
    })
    clients.add(client)
    socket.on('close', () => clients.delete(client))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const drop = () => {
    for (const { socket } of clients) socket.destroy()
  }
  return {
    session(isSignedIn = true) {
      const dc = { id: 2, ipAddress: '127.0.0.1', port, testMode: false }
      const self = { userId: 7, isBot: false, isPremium: false, usernames: [] }
      return writeStringSession({
        ...{ version: 3, primaryDcs: { main: dc, media: dc }, authKey },
        ...(isSignedIn && { self }),
      })
    },
    calls,
    push(updates) {
      for (const client of clients) client.push(updates)
    },
    drop,
    refuse(refusing) {
      isRefusing = refusing
    },
    async stop() {
      drop()
      server.close()
      await once(server, 'close')
    },
  }
}

type Client = Readonly<{ socket: Socket; push(updates: TlObject): void }>

function serve(socket: Socket, authKey: Buffer, answer: (call: TlObject) => Answer): Client {
  let received = Buffer.alloc(0)
  let isTagged = false
  let head: Readonly<{ salt: Buffer; session: Buffer }> | null = null
  let lastId = 0n
  let contentCount = 0

  const send = (body: Buffer, isAnswer: boolean) => {
    if (head === null || socket.destroyed) return
    const nowId = (BigInt(Date.now()) << 32n) / 1000n
    lastId = ((nowId > lastId ? nowId : lastId + 4n) / 4n) * 4n + (isAnswer ? 1n : 3n)
    const sequence = Buffer.alloc(8)
    sequence.writeUInt32LE(2 * contentCount++ + 1)
    sequence.writeUInt32LE(body.length, 4)
    const packet = encrypt(authKey, Buffer.concat([head.salt, head.session, int64(lastId), sequence, body]))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(packet.length)
    socket.write(Buffer.concat([length, packet]))
  }

  const reply = (messageId: Buffer, given: Answer) => {
    if (given === undefined) return
    const result = 'fails' in given ? { _: 'mt_rpc_error', errorCode: given.fails, errorMessage: given.text } : given
    const id = Buffer.alloc(4)
    id.writeUInt32LE(ids.result)
    send(Buffer.concat([id, messageId, encode(result as TlObject)]), true)
  }

  const take = (messageId: Buffer, body: Buffer): void => {
    const id = body.readUInt32LE(0)
    if (id === ids.container) takeAll(body)
    else takeOne(messageId, decode(id === ids.gzip ? unpacked(body) : body))
  }
  const takeOne = (messageId: Buffer, object: TlObject | null) => {
    if (object === null) return
    if (object._ === 'mt_ping' || object._ === 'mt_ping_delay_disconnect')
      send(encode({ _: 'mt_pong', msgId: messageId.readBigInt64LE(), pingId: object.pingId }), true)
    else if (!object._.startsWith('mt_')) reply(messageId, answer(callIn(object)))
  }
  const takeAll = (body: Buffer) => {
    let at = 8
    for (let left = body.readUInt32LE(4); left > 0; left--) {
      const length = body.readUInt32LE(at + 12)
      take(body.subarray(at, at + 8), body.subarray(at + 16, at + 16 + length))
      at += 16 + length
    }
  }

  const takePacket = (packet: Buffer) => {
    const plain = decrypt(authKey, packet)
    const session = plain.subarray(8, 16)
    const isNew = head === null || !head.session.equals(session)
    head = { salt: Buffer.from(plain.subarray(0, 8)), session: Buffer.from(session) }
    const messageId = plain.subarray(16, 24)
    if (isNew) {
      const told = { firstMsgId: messageId.readBigInt64LE(), uniqueId: 1n, serverSalt: head.salt.readBigInt64LE() }
      send(encode({ _: 'mt_new_session_created', ...told }), false)
    }
    take(messageId, plain.subarray(32, 32 + plain.readUInt32LE(28)))
  }

  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes])
    if (!isTagged && received.length >= 4) {
      isTagged = true
      received = received.subarray(4)
    }
    while (isTagged && received.length >= 4 && received.length >= 4 + received.readUInt32LE(0)) {
      const end = 4 + received.readUInt32LE(0)
      takePacket(received.subarray(4, end))
      received = received.subarray(end)
    }
  })
  return { socket, push: (updates) => send(encode(updates), false) }
}

/**
 * Returns the unpacked body of a compressed message. The body begins with 4 bytes for the constructor's id.
 * Then come the packed bytes in TL's encoding.
 */
function unpacked(body: Buffer): Buffer {
  const isLong = body[4] === 254
  const length = isLong ? body.readUIntLE(5, 3) : (body[4] ?? 0)
  const from = isLong ? 8 : 5
  return gunzipSync(body.subarray(from, from + length))
}

const wrappers: readonly string[] = ['invokeWithLayer', 'initConnection', 'invokeWithoutUpdates', 'invokeAfterMsg']

/** The call without its wrappers. */
const callIn = (object: TlObject): TlObject => (wrappers.includes(object._) ? callIn(object.query as TlObject) : object)
