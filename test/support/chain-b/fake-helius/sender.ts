/** Sends transactions to subscribers, and loses, repeats, reorders and delays some of them. */
import type { WebSocket } from 'ws'
import { shuffled } from '../../../../ingest/simulated/random.ts'
import { wireOf } from './answers.ts'
import type { FakeBlock, FakeChain } from './chain.ts'
import { toBase64 } from './encode-facts.ts'
import type { Faults } from './faults.ts'

type Sender = Readonly<{
  accept(socket: WebSocket): void
  announce(blocks: readonly FakeBlock[]): void
  sentCount(): number
}>
type Filter = Readonly<{ accountInclude: readonly string[] }>
type Subscriber = Readonly<{ socket: WebSocket; id: number; filter: Filter }>

export function createSender({ chain, faults }: Readonly<{ chain: FakeChain; faults: Faults }>): Sender {
  const subscribers = new Set<Subscriber>()
  let ids = 0
  let sent = 0

  const subscribe = (
    socket: WebSocket,
    request: Readonly<{ id: unknown; method: string; params: readonly unknown[] }>,
  ) => {
    if (request.method !== 'transactionSubscribe' || faults.draw('unanswered', 0.2)) return
    const subscriber = { socket, id: ++ids, filter: request.params[0] as Filter }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: subscriber.id }))
    // The client reads these frames together with the reply. It is not subscribed yet, so it loses the
    // frames.
    const frames = framesOf(chain.blocks().slice(-2), subscriber)
    if (frames.length > 0 && faults.draw('lostWithReply', 0.7)) for (const frame of frames) socket.send(frame)
    subscribers.add(subscriber)
    socket.on('close', () => subscribers.delete(subscriber))
  }

  const sendAll = ({ socket }: Subscriber, frames: readonly string[]) => {
    for (const frame of faults.draw('reordered', 0.1) ? shuffled(frames, faults.random) : frames) {
      if (faults.draw('closed', 0.05)) return void socket.terminate()
      sendOne(socket, frame, faults)
      sent++
    }
  }

  return {
    sentCount: () => sent,
    accept: (socket) => {
      socket.on('error', () => {})
      socket.on('message', (text) => subscribe(socket, JSON.parse(String(text))))
    },
    announce(blocks) {
      for (const subscriber of subscribers) sendAll(subscriber, framesOf(blocks, subscriber))
    },
  }
}

function sendOne(socket: WebSocket, frame: string, faults: Faults): void {
  if (faults.draw('lostFrames', 0.08)) return
  if (faults.draw('garbled', 0.02)) socket.send(frame.slice(0, frame.length / 2))
  else if (faults.draw('delayed', 0.1)) setTimeout(() => socket.send(frame), faults.random.whole(1, 20))
  else socket.send(frame)
  if (faults.draw('repeated', 0.1)) socket.send(frame)
}

const framesOf = (blocks: readonly FakeBlock[], { id, filter }: Subscriber): readonly string[] =>
  blocks.flatMap((block) =>
    block.transactions.flatMap((transaction, index) => {
      const { isFailed, names } = transaction.scripted
      if (isFailed || !names.some((name) => filter.accountInclude.includes(name))) return []
      const wire = wireOf({ block, index, transaction })
      const sent = { transaction: toBase64(wire), meta: wire.meta, version: 'legacy' }
      const result = { transaction: sent, signature: transaction.signature, slot: block.slot, transactionIndex: index }
      return [
        JSON.stringify({ jsonrpc: '2.0', method: 'transactionNotification', params: { subscription: id, result } }),
      ]
    }),
  )
