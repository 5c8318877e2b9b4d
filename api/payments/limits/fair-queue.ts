/**
 * A fair queue for payments that wait for a scarce resource. Addresses take turns. Within an address, the
 * payer with the fewest recent turns goes first. If payers have equal turns, the newest payment goes first.
 * With the oldest first, a sudden crowd would make every later payment wait up to its time limit.
 */

import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'

/** `isFirst`: the payment goes before the payments of its address that do not have this flag. */
export type Wish = Readonly<{ isGone: () => boolean; isFirst?: boolean }>

export type FairQueue<Place> = Readonly<{
  /**
   * Returns a place (the permission to use the resource) when it is this payment's turn. Returns null if the
   * queue was full, the wait was too long, or the client has disconnected.
   */
  take: (client: Client, wish: Wish) => Promise<Place | null>
  /** Must be called for an honest payer, so that the payer's last turn does not count. */
  giveBack: (client: Client) => void
  /** Must be called when the resource may be free again. Lets waiting payments use it. */
  advance: () => void
}>

export type Clock = Readonly<{ nowMs: () => EpochMs; sleep: (durationMs: DurationMs) => Promise<void> }>

export type FairQueueOptions<Place> = Clock &
  Readonly<{
    /** Whether the resource can take another payment now. */
    isOpen: () => boolean
    /** Reserves the resource for a payment of this address, or returns null if the payment must wait. */
    place: (address: string) => Place | null
    waitMsMax: DurationMs
  }>

type Waiting<Place> = Of &
  Readonly<{
    isGone: () => boolean
    untilMs: EpochMs
    end: (place: Place | null) => void
  }>

/**
 * `ofOneMax`: the maximum number of waiting payments of one address, equal to the maximum number of its
 * connections. `waitingMax`: the maximum for all addresses together.
 */
const ofOneMax = 256
const waitingMax = 1_024
/** The interval, in ms, at which the queue checks whether a waiting payment can use the resource. */
const lookEveryMs = 20

export function createFairQueue<Place>(options: FairQueueOptions<Place>): FairQueue<Place> {
  const { nowMs, sleep, isOpen, place, waitMsMax } = options
  const turns = createRecentCounts({ generationMs: 30_000, nowMs })
  /** Queues by address. The address that is served next comes first. Each queue is in the order of arrival. */
  const lines = new Map<string, Waiting<Place>[]>()
  let waitingCount = 0
  let isWatched = false

  const turnsOf = ({ client, isFirst }: Of) => (isFirst ? 0 : notFirst) + turns.count(keyOf(client))
  const remove = (waiting: Waiting<Place>, found: Place | null) => {
    const { address } = waiting.client
    const line = (lines.get(address) ?? []).filter((other) => other !== waiting)
    if (found !== null || line.length === 0) lines.delete(address)
    if (line.length > 0) lines.set(address, line)
    waitingCount -= 1
    waiting.end(found)
  }
  const dropOverdue = () => {
    for (const waiting of [...lines.values()].flat())
      if (nowMs() >= waiting.untilMs || waiting.isGone()) remove(waiting, null)
  }
  const advance = () => {
    for (let hasGone = waitingCount > 0; hasGone; ) {
      hasGone = false
      for (const [address, line] of [...lines]) {
        if (!isOpen()) return
        const found = place(address)
        if (found === null) continue
        const first = firstOf(line, turnsOf)
        turns.add(keyOf(first.client))
        remove(first, found)
        hasGone = true
      }
    }
  }
  const watch = async () => {
    if (isWatched) return
    isWatched = true
    while (waitingCount > 0) {
      await sleep(lookEveryMs)
      dropOverdue()
      advance()
    }
    isWatched = false
  }
  /**
   * Makes room for a payment. If the queue of its address is full, the last payment of this queue is removed.
   * If too many payments wait in total, the last payment of the longest queue is removed. Returns false if
   * there is still no room.
   */
  const makeRoom = (newcomer: Of): boolean => {
    const own = lines.get(newcomer.client.address) ?? []
    if (own.length < ofOneMax && waitingCount < waitingMax) return true
    const longest = [...lines.values()].reduce((most, line) => (line.length > most.length ? line : most), own)
    const last = lastOf(own.length < ofOneMax ? longest : own, turnsOf)
    const isBehind = last !== undefined && (longest.length > own.length + 1 || turnsOf(last) >= turnsOf(newcomer))
    if (isBehind) remove(last, null)
    return isBehind
  }
  /** Returns a place and counts the turn if nobody waits and a place is free. Otherwise returns null. */
  const takeAtOnce = (client: Client): Place | null => {
    const found = waitingCount === 0 && isOpen() ? place(client.address) : null
    if (found !== null) turns.add(keyOf(client))
    return found
  }
  const wait = (client: Client, { isGone, isFirst = false }: Wish): Promise<Place | null> =>
    new Promise((end) => {
      if (!makeRoom({ client, isFirst })) return end(null)
      const line = lines.get(client.address) ?? []
      line.push({ client, isFirst, isGone, untilMs: nowMs() + waitMsMax, end })
      lines.set(client.address, line)
      waitingCount += 1
      advance()
      void watch()
    })
  return {
    take: (client, wish) => {
      const found = takeAtOnce(client)
      return found === null ? wait(client, wish) : Promise.resolve(found)
    },
    giveBack: (client) => turns.takeBack(keyOf(client)),
    advance,
  }
}

const keyOf = ({ address, payer }: Client): string => `${address} ${payer}`

/**
 * This number is added to the turns of a payment without `isFirst`, so that the payment comes after all payments with
 * `isFirst`. It is larger than any number of turns.
 */
const notFirst = 1e9

type Of = Readonly<{ client: Client; isFirst: boolean }>
type TurnsOf = (waiting: Of) => number

const firstOf = <Each extends Of>(line: readonly Each[], turnsOf: TurnsOf): Each =>
  line.reduce((first, each) => (turnsOf(each) <= turnsOf(first) ? each : first))

const lastOf = <Each extends Of>(line: readonly Each[], turnsOf: TurnsOf): Each | undefined =>
  line.length === 0 ? undefined : line.reduce((last, each) => (turnsOf(each) > turnsOf(last) ? each : last))
