/** The WebSocket side of a node double, on the port of its HTTP side. It says to its subscribers what a test wants said. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** What stands in an answer beside its id. Null: no answer. */
type Answerer = (method: string, params: readonly unknown[]) => Promise<object | null>

export type SocketDouble = Readonly<{
  url: string
  /** Connections since the start, and now. */
  opened(): number
  open(): number
  /** The methods asked for over sockets. */
  calls: string[]
  /** Waits until somebody is subscribed. */
  subscribed(): Promise<void>
  /** A head of this number, to so many subscribers. Nothing checks whether there is one. */
  announce(number: number): number
  /** Any text, to all subscribers. */
  say(text: string): void
  /** The connections break. */
  drop(): void
  /** From now on new connections are refused, or accepted again. */
  refuse(isRefused: boolean): void
  /** From now on nothing is answered, not even a ping. */
  deafen(): void
  stop(): void
}>

type Question = Readonly<{ id: number; method: string; params: readonly unknown[] }>

/** `eth_subscribe` is always granted unless the answerer has an answer to it. */
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
