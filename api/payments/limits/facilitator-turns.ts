/**
 * Limits the calls to the facilitator. Each call holds a connection, and a refused payment may make the facilitator
 * limit us. So an address has a few calls at once and thirty refused ones a minute; beyond that it has one call every
 * two seconds.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'
import type { Conduct } from './conduct.ts'
import { type Clock, createFairQueue, type Wish } from './fair-queue.ts'

export type FacilitatorTurns = Readonly<{
  /** Null if the turn did not come in time. The facilitator was then not called. */
  take: <Answer>(client: Client, question: Question<Answer>) => Promise<Answer | null>
  /** Call it when the facilitator accepted the payment: its turn then does not count. */
  giveBack: (client: Client) => void
  /** Whether the address is now limited to slow turns. */
  isSlow: (address: string) => boolean
}>

type Question<Answer> = Wish & Readonly<{ ask: () => Promise<Answer> }>

type Options = Clock & Readonly<{ conduct: Pick<Conduct, 'isStranger' | 'isUnsold' | 'refusedOf'> }>

const strangersAtOnceMax = 256
const atOnceMax = { stranger: 4, buyer: 16 } as const
/** Most refused calls per address and minute. Running calls count too, so sending many at once does not help. */
export const refusedMax = 30
const beyondEveryMs = 2_000
const waitMsMax = 10_000

export function createFacilitatorTurns({ conduct, nowMs, sleep }: Options): FacilitatorTurns {
  const passedBeyond = createRecentCounts({ generationMs: beyondEveryMs / 2, nowMs })
  const places = createPlaces()

  const mayPassBeyond = (address: string): boolean => {
    if (passedBeyond.count(address) > 0) return false
    passedBeyond.add(address)
    return true
  }
  const isSlow = (address: string) =>
    conduct.isUnsold(address) || conduct.refusedOf(address) + places.of(address) >= refusedMax
  const place = (address: string): (() => void) | null => {
    const kind = conduct.isStranger(address) ? 'stranger' : 'buyer'
    const taken = places.of(address)
    if (taken >= atOnceMax[kind] || (kind === 'stranger' && places.ofStrangers() >= strangersAtOnceMax)) return null
    return isSlow(address) && !mayPassBeyond(address) ? null : places.take(address, kind)
  }
  const queue = createFairQueue({ nowMs, sleep, isOpen: () => true, place, waitMsMax })

  return {
    isSlow,
    take: async (client, { ask, ...wish }) => {
      const leave = await queue.take(client, wish)
      if (leave === null) return null
      try {
        return await ask()
      } finally {
        leave()
        queue.advance()
      }
    },
    giveBack: queue.giveBack,
  }
}

/** Counts running calls. */
function createPlaces() {
  const taken = new Map<string, number>()
  let ofStrangers = 0
  const change = (address: string, by: 1 | -1, kind: keyof typeof atOnceMax) => {
    const left = (taken.get(address) ?? 0) + by
    if (left > 0) taken.set(address, left)
    else taken.delete(address)
    if (kind === 'stranger') ofStrangers += by
  }
  return {
    of: (address: string) => taken.get(address) ?? 0,
    ofStrangers: () => ofStrangers,
    take: (address: string, kind: keyof typeof atOnceMax) => {
      change(address, 1, kind)
      return () => change(address, -1, kind)
    },
  }
}
