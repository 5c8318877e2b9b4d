/** Sends frames to one client as fast as the client takes them, and counts and hashes them. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DurationMs } from '../../schemas/units.ts'
import type { ClientBehind } from './clients.ts'

export type Pacing = Readonly<{
  /** Returns the time since any fixed instant. Default: the time since the start of the process. */
  monotonicMs?: () => DurationMs
  /** Waits for this duration, or until the signal aborts. Default: a wait by the wall clock. */
  delay?: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>
}>

export type PacedSender = Readonly<{
  /** Sends the frame of an event, at the latest with the next `flush`. Waits while too much is not taken yet. */
  add(frame: string): Promise<void>
  /** Sends the frame at once. It is not counted. */
  addUncounted(frame: Buffer): void
  flush(): Promise<void>
  /** Returns for how long nothing was sent, and whether a frame waits for `flush`. */
  idle(): Readonly<{ sinceMs: DurationMs; isEmpty: boolean }>
  count(): number
  /** Returns the hash of all counted frames. May be called one time. */
  hash(): string
}>

/**
 * The number of bytes that are sent together. More is sent only when less than this waits for the client. So a slow
 * client makes the service hold little memory.
 */
const sendBytesMax = 64 * 1024
/** The time that a client has to take the waiting bytes, in ms. */
const takeMsMax = 10_000
const pollMs = 20

export function createPacedSender(client: ClientBehind, pacing: Pacing): PacedSender {
  const { monotonicMs = monotonic, delay = realDelay } = pacing
  const { signal } = client
  const hash = createHash('sha256')
  let count = 0
  let text = ''
  let sentAtMs = monotonicMs()

  const flush = async () => {
    if (text === '') return
    client.send(Buffer.from(text))
    text = ''
    const untilMs = monotonicMs() + takeMsMax
    while (!signal.aborted && client.waitingBytes() > sendBytesMax) {
      if (monotonicMs() >= untilMs) client.end('too_slow')
      else await delay(pollMs, signal)
    }
    sentAtMs = monotonicMs()
  }
  return {
    async add(frame) {
      hash.update(hashedPartOf(frame))
      count += 1
      text += frame
      if (text.length >= sendBytesMax) await flush()
    },
    addUncounted(frame) {
      client.send(frame)
      sentAtMs = monotonicMs()
    },
    flush,
    idle: () => ({ sinceMs: monotonicMs() - sentAtMs, isEmpty: text === '' }),
    count: () => count,
    hash: () => hash.digest('hex'),
  }
}

/** Returns the lines of a frame with the id and the data. The first line has the name of the event, and the last line is empty. */
const hashedPartOf = (frame: string): string => frame.slice(frame.indexOf('\n') + 1, -1)

export const monotonic = (): DurationMs => performance.now()

export const realDelay = async (durationMs: DurationMs, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {})
}
