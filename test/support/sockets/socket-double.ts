/**
 * Serves the WebSocket side of a simulated node, on the port of its HTTP side. The test decides what is sent.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** Returns the fields of an answer, without the id. Null: there is no answer. */
type Answerer = (method: string, params: readonly unknown[]) => Promise<object | null>

export type SocketDouble = Readonly<{
  url: string
  /** `opened` returns the number of connections since the start, and `open` the number that are open now. */
  opened(): number
  open(): number
  /** The methods of all requests that came over sockets. */
  calls: string[]
  /** Waits for the first subscriber. */
  subscribed(): Promise<void>
  /**
   * Announces a head with this number, and returns the number of subscribers. A block with this number does
   * not have to exist.
   */
  announce(number: number): number
  /** Sends any text to all subscribers. */
  say(text: string): void
  /** Breaks all connections. */
  drop(): void
  /** Refuses new connections if `isRefused` is true, and accepts them again if it is false. */
  refuse(isRefused: boolean): void
  /** Stops all answers, including the answers to pings. */
  deafen(): void
  stop(): void
}>

type Question = Readonly<{ id: number; method: string; params: readonly unknown[] }>

/** Serves sockets. A request for `eth_subscribe` always succeeds. `answer` answers all other methods. */
export function serveSockets(server: Server, answer: Answerer): SocketDouble {
  const sockets = new WebSocketServer({ server, autoPong: false, verifyClient: () => !isRefused })
  const calls: string[] = []
  const subscribers = new Set<WebSocket>()
  let [opened, isRefused, isDeaf] = [0, false, false]

  const answerTo = async (socket: WebSocket, { id, method, params }: Question) => {
    calls.push(method)
    const isSubscription = method === 'eth_subscribe'
    if (isSubscription) assert.deepEqual(params, ['newHeads'])
    const given = isSubscription ? { result: '0x5b' } : await answer(method, params)
    if (given) socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...given }))
    if (!isSubscription) return
    subscribers.add(socket)
    sockets.emit('subscribed')
  }
  sockets.on('connection', (socket) => {
    opened++
    socket.on('ping', () => isDeaf || socket.pong())
    socket.on('message', (text) => isDeaf || void answerTo(socket, JSON.parse(String(text))))
    socket.on('close', () => subscribers.delete(socket))
  })
  const say = (text: string) => {
    for (const socket of subscribers) socket.send(text)
    return subscribers.size
  }
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened: () => opened,
    open: () => sockets.clients.size,
    calls,
    subscribed: async () => {
      if (subscribers.size === 0) await once(sockets, 'subscribed')
    },
    announce: (number) => say(noticeOf({ number: `0x${number.toString(16)}` })),
    say,
    drop: () => {
      for (const socket of sockets.clients) socket.terminate()
    },
    refuse: (isNow) => {
      isRefused = isNow
    },
    deafen: () => {
      isDeaf = true
    },
    stop: () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

const noticeOf = (result: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x5b', result } })
