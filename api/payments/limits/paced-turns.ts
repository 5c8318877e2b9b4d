/** A rate limit with fair turns of the addresses and payers. */
import type { Client } from './client.ts'
import { type Clock, createFairQueue, type FairQueue } from './fair-queue.ts'
import { createPace } from './pace.ts'

export type PacedTurns = Readonly<{
  /** False if the turn did not come in time. */
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
