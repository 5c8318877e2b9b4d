/**
 * Limits the calls to the facilitator. Each call uses a connection, and after many refused payments the
 * facilitator may limit this service. So an address may have a few calls at the same time, and thirty refused
 * calls a minute. After that, the address may have one call every two seconds.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'
import type { Conduct } from './conduct.ts'
import { type Clock, createFairQueue, type Wish } from './fair-queue.ts'

export type FacilitatorTurns = Readonly<{
  /**
   * Waits in a fair queue, then calls the facilitator and returns its answer. If the wait is too long,
   * returns null without a call.
   */
  take: <Answer>(client: Client, question: Question<Answer>) => Promise<Answer | null>
  /**
   * Must be called when the facilitator accepted the payment, so that the call does not count against the
   * client.
   */
  giveBack: (client: Client) => void
  /** Whether the address is now limited to one call every two seconds. */
  isSlow: (address: string) => boolean
}>

type Question<Answer> = Wish & Readonly<{ ask: () => Promise<Answer> }>

type Options = Clock & Readonly<{ conduct: Pick<Conduct, 'isUnproven' | 'isUnsold' | 'refusedOf'> }>

const unprovenAtOnceMax = 256
const atOnceMax = { unproven: 4, buyer: 16 } as const
/**
 * The maximum number of refused calls per address and minute. Running calls also count as refused. So an
 * address cannot exceed the limit with many calls at the same time.
 */
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
    const kind = conduct.isUnproven(address) ? 'unproven' : 'buyer'
    const taken = places.of(address)
    if (taken >= atOnceMax[kind] || (kind === 'unproven' && places.ofUnproven() >= unprovenAtOnceMax)) return null
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

/**
 * Counts the running calls of each address, and of all unproven addresses together. An address is unproven without a
 * recent valid payment.
 */
function createPlaces() {
  const taken = new Map<string, number>()
  let ofUnproven = 0
  const change = (address: string, by: 1 | -1, kind: keyof typeof atOnceMax) => {
    const left = (taken.get(address) ?? 0) + by
    if (left > 0) taken.set(address, left)
    else taken.delete(address)
    if (kind === 'unproven') ofUnproven += by
  }
  return {
    of: (address: string) => taken.get(address) ?? 0,
    ofUnproven: () => ofUnproven,
    take: (address: string, kind: keyof typeof atOnceMax) => {
      change(address, 1, kind)
      return () => change(address, -1, kind)
    },
  }
}
