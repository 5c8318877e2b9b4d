/** JSON-RPC over WebSocket. The socket opens on demand, pauses after a failure, and closes when it is not used. */
import { WebSocketRequestError } from 'viem'
import { hostOf } from '../../../../infra/http-url.ts'
import type { DurationMs } from '../../../../schemas/units.ts'
import { createRedactor } from '../../../redact.ts'
import { untilAborted } from '../../../until-aborted.ts'
import { toOperationError } from '../failures.ts'
import type { RpcCall } from '../rpc-call.ts'
import { type Connection, openConnection } from './connection.ts'

export type NodeSocket = Readonly<{
  host: string
  request(call: RpcCall, timeoutMs: DurationMs): Promise<unknown>
  /**
   * Calls `onHead` for each new block that the node announces. Resolves when the connection ends, with the
   * reason for the end. Fails as `Node.request` does if the connection cannot be opened or the node refuses
   * the subscription.
   */
  subscribe(onHead: () => void, signal: AbortSignal): Promise<string>
  /**
   * Checks that the node accepts a subscription. The command `doctor` uses this check. Fails as `subscribe`
   * does.
   */
  trySubscription(signal: AbortSignal): Promise<void>
}>

export type SocketOptions = Readonly<{
  url: string
  openMsMax?: DurationMs
  quietMsMax?: DurationMs
  /** The time after which an unused socket closes, so that the program can exit. Default 1 s. */
  idleMs?: DurationMs
  /**
   * The pause before a new connection after a failure. The pause doubles after each further failure, up to 10
   * s. Default 250 ms.
   */
  restMs?: DurationMs
}>

const waitMsMax = 10_000
/**
 * The minimum duration of a good connection, in ms. A shorter connection counts as a failure, because some
 * nodes accept every connection and close it immediately.
 */
const lastingMs = 10_000

export function createNodeSocket(options: SocketOptions): NodeSocket {
  const { url, openMsMax = 10_000, quietMsMax = 15_000, idleMs = 1_000, restMs = 250 } = options
  const redact = createRedactor([url])
  const listeners = new Set<() => void>()
  const onNotice = () => {
    for (const listener of listeners) listener()
  }
  const reconnectWait = createReconnectWait(url, restMs)
  let current: Promise<Connection> | null = null
  let users = 0
  let closing: NodeJS.Timeout | undefined

  const open = (): Promise<Connection> => {
    if (current) return current
    reconnectWait.check()
    const opened = openConnection({ url, openMsMax, quietMsMax, onNotice })
    const openedMs = performance.now()
    const forget = () => {
      // A connection that we closed is no longer `current`, and does not count as a failure of the node.
      if (current === opened) reconnectWait.ended(performance.now() - openedMs)
      drop(opened)
    }
    opened.then(({ ended }) => ended.then(forget), forget)
    current = opened
    return opened
  }
  const drop = (opened: Promise<Connection> | null) => {
    if (current === opened) current = null
  }
  const close = (opened: Promise<Connection> | null, reason: string) => {
    drop(opened)
    opened?.then(
      (connection) => connection.close(reason),
      () => {},
    )
  }
  const use = async <Result>(work: (opened: Promise<Connection>) => Promise<Result>): Promise<Result> => {
    clearTimeout(closing)
    users++
    try {
      return await work(open())
    } finally {
      if (--users === 0) closing = setTimeout(() => close(current, 'the connection was not used'), idleMs)
    }
  }

  const subscribed = async <Result>(signal: AbortSignal, work: (connection: Connection) => Promise<Result>) =>
    await use(async (opened) => {
      try {
        const connection = await untilAborted(opened, signal)
        await untilAborted(connection.ask(newHeads, openMsMax), signal)
        return await work(connection)
      } catch (error) {
        signal.throwIfAborted()
        throw toOperationError(error, { method: newHeads.method, redact })
      } finally {
        // Closes the connection, so that another server of the same host name can serve the next
        // subscription.
        close(opened, 'the subscription ended')
      }
    })

  return {
    host: hostOf(url),
    request: (call, timeoutMs) => use(async (opened) => (await opened).ask(call, timeoutMs)),
    async subscribe(onHead, signal) {
      listeners.add(onHead)
      try {
        return await subscribed(signal, ({ ended }) => untilAborted(ended, signal))
      } finally {
        listeners.delete(onHead)
      }
    },
    trySubscription: (signal) => subscribed(signal, async () => undefined),
  }
}

const newHeads = { method: 'eth_subscribe', params: ['newHeads'] }

type ReconnectWait = Readonly<{
  /** Throws during the pause. */
  check(): void
  ended(afterMs: DurationMs): void
}>

/** Enforces a pause after each lost connection. The pause doubles while connections fail to open or end within 10 s. */
function createReconnectWait(url: string, waitMsFirst: DurationMs): ReconnectWait {
  let failureCount = 0
  let untilMs = 0
  return {
    check() {
      if (performance.now() < untilMs)
        throw new WebSocketRequestError({
          url,
          details: 'the socket closed a moment ago. It opens again after a pause',
        })
    },
    ended(afterMs) {
      failureCount = afterMs < lastingMs ? failureCount + 1 : 1
      untilMs = performance.now() + Math.min(waitMsMax, waitMsFirst * 2 ** Math.min(10, failureCount - 1))
    },
  }
}
