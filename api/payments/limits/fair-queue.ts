/**
 * Payments that wait for something scarce. The addresses have their turns one after the other; of an address the payer goes
 * first who had the fewest turns lately, so who repeats himself waits behind who has just come. Of equal ones the newest goes
 * first: then a crowd that came at once does not keep everybody behind it from being in time.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'

/** `isFirst`: before all of its address who are not. */
export type Wish = Readonly<{ isGone: () => boolean; isFirst?: boolean }>

export type FairQueue<Place> = Readonly<{
  /** A place, once it is this payment's turn. Null: there was no room, it took too long, or nobody is there any more. */
  take: (client: Client, wish: Wish) => Promise<Place | null>
  /** The turn of a payer who is to be trusted: it does not count. */
  giveBack: (client: Client) => void
  /** To be called when what is scarce has become free. */
  advance: () => void
}>

export type Clock = Readonly<{ nowMs: () => number; sleep: (durationMs: number) => Promise<void> }>

export type FairQueueOptions<Place> = Clock &
  Readonly<{
    /** Whether there is any of it now. */
    isOpen: () => boolean
    /** A place for one of this address, taken with this; null: it has to wait. */
    place: (address: string) => Place | null
    waitMsMax: number
  }>

type Waiting<Place> = Of &
  Readonly<{
    isGone: () => boolean
    untilMs: number
    end: (place: Place | null) => void
  }>

/** Of one address, about as many as it may have connections, and of all. */
const ofOneMax = 256
const waitingMax = 1_024
/** While anybody waits. */
const lookEveryMs = 20

export function createFairQueue<Place>(options: FairQueueOptions<Place>): FairQueue<Place> {
  const { nowMs, sleep, isOpen, place, waitMsMax } = options
  const turns = createRecentCounts({ generationMs: 30_000, nowMs })
  /** By address, in the order of their next turns; each in the order of arrival. */
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
    for (let hasGone = true; hasGone; ) {
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
  /** In place of the last one of its address, or of the address with the most that wait. */
  const makeRoom = (newcomer: Of): boolean => {
    const own = lines.get(newcomer.client.address) ?? []
    if (own.length < ofOneMax && waitingCount < waitingMax) return true
    const longest = [...lines.values()].reduce((most, line) => (line.length > most.length ? line : most), own)
    const last = lastOf(own.length < ofOneMax ? longest : own, turnsOf)
    const isBehind = last !== undefined && (longest.length > own.length + 1 || turnsOf(last) >= turnsOf(newcomer))
    if (isBehind) remove(last, null)
    return isBehind
  }
  return {
    take: (client, { isGone, isFirst = false }) =>
      new Promise((end) => {
        if (!makeRoom({ client, isFirst })) return end(null)
        const line = lines.get(client.address) ?? []
        line.push({ client, isFirst, isGone, untilMs: nowMs() + waitMsMax, end })
        lines.set(client.address, line)
        waitingCount += 1
        advance()
        void watch()
      }),
    giveBack: (client) => turns.takeBack(keyOf(client)),
    advance,
  }
}

const keyOf = ({ address, payer }: Client): string => `${address} ${payer}`

/** More than anybody has turns. */
const notFirst = 1e9

type Of = Readonly<{ client: Client; isFirst: boolean }>
type TurnsOf = (waiting: Of) => number

const firstOf = <Each extends Of>(line: readonly Each[], turnsOf: TurnsOf): Each =>
  line.reduce((first, each) => (turnsOf(each) <= turnsOf(first) ? each : first))

const lastOf = <Each extends Of>(line: readonly Each[], turnsOf: TurnsOf): Each | undefined =>
  line.length === 0 ? undefined : line.reduce((last, each) => (turnsOf(each) > turnsOf(last) ? each : last))
