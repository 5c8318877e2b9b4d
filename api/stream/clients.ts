/**
 * The clients of the stream. Limits their number per pass, per address and in total, and disconnects slow
 * clients.
 */

import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'
import type { Pass } from './passes.ts'

/** The connection of one client, as the stream uses it. */
export type Outlet = Readonly<{
  send(bytes: Buffer): void
  /** Returns the number of bytes that were sent and that the operating system has not taken yet. */
  waitingBytes(): number
  /** Sends the last bytes and ends the connection. */
  finish(bytes: Buffer): void
  /** Ends the connection at once. */
  destroy(): void
  onceClosed(listener: () => void): void
}>

export type ByeReason = 'expired' | 'replaced' | 'too_slow' | 'shutdown' | 'failed'

export type Clients = Readonly<{
  /** Returns the reason why there is no room for another client, or null if there is room. */
  refusalOf(pass: Pass, address: string): Refusal | null
  /** Adds a client and sends the first bytes to the client. May be called only if `refusalOf` returned null. */
  add(client: NewClient, first: Buffer): void
  /**
   * Adds a client like `add`, but the client first gets only what is sent through the returned value. The client counts
   * toward the limits, and can be disconnected like any other client.
   */
  addBehind(client: NewClient, first: Buffer): ClientBehind
  /** Sends the same bytes to all clients. */
  send(bytes: Buffer): void
  end(reason: ByeReason): void
  /** The number of clients to which `send` sends. */
  count(): number
  /** The number of connections that the service ended, by reason. */
  closedCounts(): Readonly<Record<ByeReason, number>>
}>

type NewClient = Readonly<{ pass: Pass; address: string; outlet: Outlet }>

/** A client that gets earlier events again before it gets new ones. */
export type ClientBehind = Pick<Outlet, 'send' | 'waitingBytes'> &
  Readonly<{
    /** From now on, what is sent to all clients is kept for this client. If it becomes too much, the client is too slow. */
    hold(): void
    /** Sends what was kept. From now on, the client gets what is sent to all clients. */
    release(): void
    end(reason: ByeReason): void
    /** Aborts when the client leaves or is disconnected. */
    signal: AbortSignal
  }>

export const connectionsOfPassMax = 2 as const
/**
 * A connection of at least this age gives its place to a new connection of its pass, in ms. Otherwise, a client whose
 * network went away without a word could not come back: the operating system notices this only after a quarter of an hour.
 */
const replaceableAfterMs = 60_000
const connectionsOfAddressMax = 100
/** The maximum number of stream connections. The server accepts 3,000 connections, and the tape takes at most 1,000. */
const connectionsMax = 1_500
/** The maximum number of bytes that may wait in this process for a client. The operating system buffers further megabytes. */
const waitingBytesMax = 256 * 1024
/** The time that a client has to read its last bytes before its connection is destroyed, in ms. */
const finishMs = 5_000

type Options = Readonly<{
  /** Returns the last event of a connection. */
  byeOf(reason: ByeReason): Buffer
  nowMs: () => EpochMs
  limits?: Partial<Readonly<{ ofPass: number; ofAddress: number; all: number }>>
  /** Runs the work after the delay. The returned function cancels it. Default: a timer that does not keep the process alive. */
  later?: (work: () => void, delayMs: DurationMs) => () => void
}>

type Client = Readonly<{
  outlet: Outlet
  passId: string
  enteredAtMs: EpochMs
  /** Gives the place of the pass back, if this was not done before. */
  leavePass: () => void
  cancelExpiry: () => void
  left: AbortController
}>

export function createClients({ byeOf, nowMs, limits = {}, later = timer }: Options): Clients {
  const { ofPass = connectionsOfPassMax, ofAddress = connectionsOfAddressMax, all = connectionsMax } = limits
  /**
   * The clients to which events are sent. A client that is being closed is not in this set, but counts toward
   * the limits until it disconnects.
   */
  const reading = new Set<Client>()
  const behind = new Set<Client>()
  const places = { pass: createPlaces(), address: createPlaces() }
  const closed = { expired: 0, replaced: 0, too_slow: 0, shutdown: 0, failed: 0 }
  let taken = 0

  const dismiss = (client: Client, reason: ByeReason) => {
    if (!reading.delete(client) && !behind.delete(client)) return
    closed[reason] += 1
    client.cancelExpiry()
    client.left.abort()
    const cancel = later(client.outlet.destroy, finishMs)
    client.outlet.onceClosed(cancel)
    client.outlet.finish(byeOf(reason))
    // A dead connection closes late, and its place is needed now.
    if (reason === 'replaced') client.leavePass()
  }
  const isFull = (passId: string) => places.pass.count(passId) >= ofPass
  const replaceableOf = (passId: string) =>
    oldestOf([...reading, ...behind], { passId, untilMs: nowMs() - replaceableAfterMs })
  const enter = ({ pass, address, outlet }: NewClient, set: Set<Client>): Client => {
    const replaced = isFull(pass.id) ? replaceableOf(pass.id) : null
    if (replaced !== null) dismiss(replaced, 'replaced')
    const [leavePass, leaveAddress] = [once(places.pass.take(pass.id)), places.address.take(address)]
    taken += 1
    const cancelExpiry = later(() => dismiss(client, 'expired'), pass.expiresAtMs - nowMs())
    const [passId, enteredAtMs, left] = [pass.id, nowMs(), new AbortController()]
    const client: Client = { outlet, passId, enteredAtMs, leavePass, cancelExpiry, left }
    set.add(client)
    outlet.onceClosed(() => {
      reading.delete(client)
      behind.delete(client)
      cancelExpiry()
      client.left.abort()
      taken -= 1
      leavePass()
      leaveAddress()
    })
    return client
  }
  return {
    refusalOf({ id }, address) {
      if (isFull(id) && replaceableOf(id) === null) return tooManyOfPass
      if (places.address.count(address) >= ofAddress) return tooManyOfAddress
      return taken >= all ? tooMany : null
    },
    add(newClient, first) {
      enter(newClient, reading)
      newClient.outlet.send(first)
    },
    addBehind(newClient, first) {
      const gate = createGate(newClient.outlet)
      const client = enter({ ...newClient, outlet: gate.outlet }, behind)
      gate.outlet.send(first)
      return {
        send(bytes) {
          if (!client.left.signal.aborted) newClient.outlet.send(bytes)
        },
        waitingBytes: newClient.outlet.waitingBytes,
        hold() {
          if (!behind.delete(client)) return
          gate.hold()
          reading.add(client)
        },
        release: gate.release,
        end: (reason) => dismiss(client, reason),
        signal: client.left.signal,
      }
    },
    send(bytes) {
      for (const client of reading)
        if (client.outlet.waitingBytes() > waitingBytesMax) dismiss(client, 'too_slow')
        else client.outlet.send(bytes)
    },
    end(reason) {
      for (const client of [...reading, ...behind]) dismiss(client, reason)
    },
    count: () => reading.size,
    closedCounts: () => closed,
  }
}

/** Returns the oldest connection of the pass if it was opened at `untilMs` or earlier, and otherwise null. */
function oldestOf(
  clients: readonly Client[],
  { passId, untilMs }: Readonly<{ passId: string; untilMs: EpochMs }>,
): Client | null {
  let oldest: Client | null = null
  for (const client of clients) {
    if (client.passId !== passId || client.enteredAtMs > untilMs) continue
    if (oldest === null || client.enteredAtMs < oldest.enteredAtMs) oldest = client
  }
  return oldest
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

/** Keeps the bytes that are sent while the gate is held. They count as waiting. */
function createGate(outlet: Outlet) {
  let kept: Buffer[] | null = null
  let keptBytes = 0
  return {
    outlet: {
      ...outlet,
      send(bytes: Buffer) {
        if (kept === null) return outlet.send(bytes)
        kept.push(bytes)
        keptBytes += bytes.length
      },
      waitingBytes: () => outlet.waitingBytes() + keptBytes,
    },
    hold() {
      kept ??= []
    },
    release() {
      for (const bytes of kept ?? []) outlet.send(bytes)
      kept = null
      keptBytes = 0
    },
  }
}

/** Counts what each pass or address has open. */
export function createPlaces() {
  const counts = new Map<string, number>()
  return {
    count: (name: string) => counts.get(name) ?? 0,
    /** Counts one more connection. Returns a function that must be called when this connection closes. */
    take(name: string): () => void {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return () => {
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
  }
}

const timer: NonNullable<Options['later']> = (work, delayMs) => {
  const timeout = setTimeout(work, Math.max(0, delayMs)).unref()
  return () => clearTimeout(timeout)
}

const retryAfterSec = 5
const tooManyOfPass: Refusal = refuse(
  'too_many_connections',
  `this pass already has ${connectionsOfPassMax} connections, which is the limit. Close one of them, or try again: a connection that is open for ${replaceableAfterMs / 1000} s gives its place to a new one`,
  retryAfterSec,
)
const tooManyOfAddress: Refusal = refuse(
  'too_many_connections',
  `your address already has ${connectionsOfAddressMax} connections to the stream, which is the limit. Close one of them`,
  retryAfterSec,
)
const tooMany: Refusal = refuse(
  'too_many_connections',
  'the stream already has the maximum number of connections. Try again in some seconds',
  retryAfterSec,
)
