/**
 * One WebSocket connection to a node, from its opening to its end. viem's own connection is not used, because
 * it has three faults. It gives up after the first failed reconnection. It does not notice a lost connection.
 * It prints the URL with the key.
 */

import { setInterval } from 'node:timers'
import { RpcRequestError, TimeoutError, WebSocketRequestError } from 'viem'
import { type RawData, WebSocket } from 'ws'
import type { DurationMs } from '../../../../schemas/units.ts'
import { answerBytesMax, type RpcCall } from '../rpc-call.ts'

export type Connection = Readonly<{
  /**
   * Sends a request to the node and resolves with the result. Fails if the node refuses or does not answer in
   * time, or if the connection ends. The errors are the same as over HTTP.
   */
  ask(call: RpcCall, timeoutMs: DurationMs): Promise<unknown>
  /** Resolves when the connection has ended, with the reason for the end. */
  ended: Promise<string>
  /** Ends the connection. `ended` resolves with this reason. */
  close(reason: string): void
}>

export type ConnectionOptions = Readonly<{
  url: string
  openMsMax: DurationMs
  /**
   * If no message arrives for this time, the node is pinged. If no message arrives for the same time again,
   * the connection ends.
   */
  quietMsMax: DurationMs
  /** Called for each notice that the node sends on a subscription. */
  onNotice(): void
}>

/**
 * The maximum number of messages per second that answer no request, such as notices of new blocks. If more
 * arrive, the connection is closed. The fastest chain has ten blocks per second.
 */
const straysMax = 200
const closeMsMax = 1_000
/** The WebSocket close code for a message that is larger than its receiver accepts. */
const tooLargeCode = 1009

type Waiting = Readonly<{ call: RpcCall; resolve(result: unknown): void; reject(error: Error): void }>

/** Opens a connection. Fails if it cannot be opened. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { url, openMsMax } = options
  const settings = { handshakeTimeout: openMsMax, maxPayload: answerBytesMax, perMessageDeflate: false }
  const socket = new WebSocket(url, settings)
  const connection = connectionOf(socket, options)
  await Promise.race([
    new Promise((resolve) => socket.once('open', resolve)),
    connection.ended.then((reason) => Promise.reject(lost(url, reason))),
  ])
  return connection
}

const lost = (url: string, reason: string): Error => new WebSocketRequestError({ url, details: reason })

function connectionOf(socket: WebSocket, { url, quietMsMax, onNotice }: ConnectionOptions): Connection {
  const waiting = new Map<number, Waiting>()
  const isFlood = createFloodGuard()
  let lastId = 0
  let receivedCount = 0
  let why: string | null = null

  const end = (reason: string) => {
    why ??= reason
    socket.terminate()
  }
  const receive = (message: Message | null) => {
    const question = message?.id === null ? undefined : waiting.get(Number(message?.id))
    if (message && question) {
      waiting.delete(Number(message.id))
      settle(question, message, url)
    } else if (isFlood()) end(`the node sent more than ${straysMax} messages a second`)
    else if (message?.isNotice) onNotice()
  }

  socket.on('message', (data) => {
    receivedCount++
    if (why === null) receive(messageIn(data))
  })
  socket.on('pong', () => receivedCount++)
  socket.on('error', (error) => end(error.message || (error as NodeJS.ErrnoException).code || 'the connection failed'))
  const stopWatching = watchSilence(socket, { quietMsMax, receivedCountNow: () => receivedCount, end })
  const ended = new Promise<string>((resolve) =>
    socket.once('close', (code: number) => {
      stopWatching()
      const reason = why ?? `the node closed the connection (${code})`
      for (const { call, reject } of waiting.values()) reject(failureAtEnd(call, { url, code, reason }))
      waiting.clear()
      resolve(reason)
    }),
  )

  return {
    ended,
    ask: (call, timeoutMs) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        const receivedBefore = receivedCount
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new TimeoutError({ body: call, url }))
          if (receivedCount === receivedBefore) end('the node did not answer in time')
        }, timeoutMs)
        const settled = <Value>(then: (value: Value) => void) => {
          return (value: Value) => {
            clearTimeout(timer)
            then(value)
          }
        }
        waiting.set(id, { call, resolve: settled(resolve), reject: settled(reject) })
        // The callback ignores errors of `send`. If the socket is closing, the request fails when the
        // connection ends.
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...call }), () => {})
      }),
    close(reason) {
      why ??= reason
      socket.close()
      setTimeout(() => socket.terminate(), closeMsMax).unref()
    },
  }
}

type Ended = Readonly<{ url: string; code: number; reason: string }>

/**
 * Returns the error of an open request when the connection ends. If the answer to `eth_getLogs` was too large
 * for the connection, a retry would end the connection again. So this error counts as a refusal, and ingest
 * then requests fewer blocks.
 */
function failureAtEnd({ method, params }: RpcCall, { url, code, reason }: Ended): Error {
  const isTooLarge = code === tooLargeCode || reason === 'Max payload size exceeded'
  if (!isTooLarge || method !== 'eth_getLogs') return lost(url, reason)
  const error = { code: -32_000, message: 'the answer is too large for the connection' }
  return new RpcRequestError({ body: { method, params }, error, url })
}

function settle({ call, resolve, reject }: Waiting, message: Message, url: string): void {
  const answer = answerIn(message)
  if ('error' in answer) reject(new RpcRequestError({ body: call, error: answer.error, url }))
  else resolve(answer.result)
}

type Watched = Readonly<{ quietMsMax: DurationMs; receivedCountNow(): number; end(reason: string): void }>

/**
 * Ends the connection if the server sends nothing, even after a ping. Every WebSocket server answers pings. Without an answer the
 * connection is lost, even if it was never closed.
 */
function watchSilence(socket: WebSocket, { quietMsMax, receivedCountNow, end }: Watched): () => void {
  let receivedBefore = -1
  let isAsked = false
  const timer = setInterval(() => {
    const isQuiet = receivedCountNow() === receivedBefore
    receivedBefore = receivedCountNow()
    if (isQuiet && isAsked) end('the node did not answer a ping')
    else if (isQuiet && socket.readyState === WebSocket.OPEN) socket.ping()
    isAsked = isQuiet
  }, quietMsMax)
  return () => clearInterval(timer)
}

function createFloodGuard(): () => boolean {
  let sinceMs = 0
  let count = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs - sinceMs > 1_000) [sinceMs, count] = [nowMs, 0]
    return ++count > straysMax
  }
}

/** A message of the node: the answer to a request, or a notice of a subscription. */
type Message = Readonly<{ id: number | null; isNotice: boolean; result: unknown; error: unknown }>

/** Returns null if the data is no JSON-RPC message. */
function messageIn(data: RawData): Message | null {
  const sent = parsed(data)
  if (typeof sent !== 'object' || sent === null) return null
  const { id, method, result, error } = sent as Record<string, unknown>
  return { id: typeof id === 'number' ? id : null, isNotice: method === 'eth_subscription', result, error }
}

function parsed(data: RawData): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return null
  }
}

type RpcError = Readonly<{ code: number; message: string }>

function answerIn({ result, error }: Message): Readonly<{ result: unknown } | { error: RpcError }> {
  if (error === undefined || error === null) return { result }
  const { code, message } = error as Readonly<Record<string, unknown>>
  return { error: { code: Number(code), message: String(message ?? 'no reason') } }
}
