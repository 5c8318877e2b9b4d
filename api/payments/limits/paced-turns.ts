/** A rate limit under which addresses and payers take fair turns. */
import type { Client } from './client.ts'
import { type Clock, createFairQueue, type FairQueue } from './fair-queue.ts'

/**
 * A rate limit. Unused turns are saved. The maximum of saved turns is the number of turns in a quarter of a
 * second.
 */
type Pace = Readonly<{
  isOpen: () => boolean
  take: () => void
  giveBack: () => void
}>

function createPace(perSecond: number, nowMs: () => number): Pace {
  const savedMax = Math.max(1, perSecond / 4)
  let saved = savedMax
  let countedAtMs = nowMs()
  const count = () => {
    // The elapsed time is at least 0. Otherwise a clock that was set back would take saved turns away.
    saved = Math.min(savedMax, saved + (Math.max(0, nowMs() - countedAtMs) / 1000) * perSecond)
    countedAtMs = nowMs()
  }
  return {
    isOpen: () => {
      count()
      return saved >= 1
    },
    take: () => {
      saved -= 1
    },
    giveBack: () => {
      saved = Math.min(savedMax, saved + 1)
    },
  }
}

export type PacedTurns = Readonly<{
  /** Resolves to true when the turn has come, or to false if it did not come in time. */
  take: (client: Client, isGone: () => boolean) => Promise<boolean>
  giveBack: FairQueue<string>['giveBack']
}>

const waitMsMax = 5_000

export function createPacedTurns(options: Clock & Readonly<{ perSecond: number }>): PacedTurns {
  const pace = createPace(options.perSecond, options.nowMs)
  const place = () => {
    if (!pace.isOpen()) return null
    pace.take()
    return 'its turn'
  }
  const queue = createFairQueue({ ...options, isOpen: pace.isOpen, place, waitMsMax })
  return {
    take: async (client, isGone) => (await queue.take(client, { isGone })) !== null,
    giveBack: (client) => {
      pace.giveBack()
      queue.giveBack(client)
    },
  }
}
