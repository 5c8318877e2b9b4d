import { limited } from '../../../../infra/limited.ts'
import type { Logger } from '../../../../infra/telemetry.ts'
import type { DurationMs } from '../../../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../../../delay.ts'
import type { NodeSocket } from './node-socket.ts'

/** The announcements of new blocks by nodes. Only their arrival counts, because the content may be old, wrong or made up. */
export type Heads = Readonly<{
  /** Calls `onHead` for each announcement of a new block until the signal aborts. Never rejects. */
  listen(onHead: () => void, signal: AbortSignal): Promise<void>
  /**
   * Call this when ingest has read new blocks by polling. If the subscribed socket has announced no block for
   * `silenceMsMax` before that, the socket is opened again.
   */
  found(): void
}>

export type HeadsOptions = Readonly<{
  /** The sockets in order of preference. Only one socket at a time has a subscription to new blocks. */
  sockets: readonly NodeSocket[]
  logger?: Pick<Logger, 'warn' | 'info' | 'debug'> | undefined
  delay?: Delay | undefined
  /**
   * If ingest finds new blocks although the socket has announced none for this time, the socket is opened
   * again. Default 30 s.
   */
  silenceMsMax?: DurationMs
}>

const waitMsFirst = 500
const waitMsMax = 30_000
/**
 * The minimum duration of a good subscription, in ms. A shorter subscription counts as a failure, and each
 * further failure in a row makes the next wait longer.
 */
const lastingMs = 10_000

/**
 * Listens for announcements of new blocks on one socket. When the subscription ends, the function waits and
 * then subscribes at the next socket. The waits grow with the failures.
 */
export function createHeads({ sockets, logger, delay = realDelay, silenceMsMax = 30_000 }: HeadsOptions): Heads {
  let foundMs = 0
  let heardMs = 0

  const session = async (socket: NodeSocket, onHead: () => void, signal: AbortSignal): Promise<string> => {
    const listening = limited([signal])
    let isSilent = false
    heardMs = performance.now()
    const watch = setInterval(() => {
      if (foundMs - heardMs <= silenceMsMax) return
      isSilent = true
      listening.abort()
    }, silenceMsMax / 4)
    let isFirst = true
    const noteHead = () => {
      heardMs = performance.now()
      if (isFirst) logger?.info({ host: socket.host }, 'the node announces new blocks over its socket')
      isFirst = false
      onHead()
    }
    try {
      return await socket.subscribe(noteHead, listening.signal)
    } catch (error) {
      return isSilent ? 'the node announced none of the new blocks' : (error as Error).message
    } finally {
      clearInterval(watch)
      listening.release()
    }
  }

  return {
    found: () => {
      foundMs = performance.now()
    },
    async listen(onHead, signal) {
      let failureCount = 0
      for (let turn = 0; !signal.aborted; turn++) {
        const socket = sockets[turn % sockets.length]
        if (!socket) return
        const startedMs = performance.now()
        const reason = await session(socket, onHead, signal)
        if (signal.aborted) return
        failureCount = performance.now() - startedMs < lastingMs ? failureCount + 1 : 1
        const waitMs = Math.min(waitMsMax, waitMsFirst * 2 ** Math.min(10, failureCount - 1))
        // Only the first failure in a row is a warning, because repeated warnings would fill the program's log.
        const level = failureCount === 1 ? 'warn' : 'debug'
        const what = { host: socket.host, reason, waitMs }
        logger?.[level](what, 'the socket of the node was lost. Ingest polls the blocks until the socket is open again')
        await delay(waitMs, signal)
      }
    },
  }
}
