/** Counts the recent results of the payments of each address and payer. */

import type { EpochMs } from '../../../schemas/units.ts'
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'

export type Conduct = ReturnType<typeof createConduct>

/**
 * The maximum number of unsold answers per address or payer and minute. An unsold answer was asked for with a
 * verified payment, and not sold. At this number, payments of the address or payer are limited.
 */
const unsoldMax = 10
/**
 * The maximum number of verified payments per payer and minute that request data that does not exist. Each
 * such payment costs a query. At this number, the payer must wait.
 */
const nothingMax = 60

const ofUnproven = ''

export function createConduct(nowMs: () => EpochMs) {
  const refused = createRecentCounts({ generationMs: 30_000, nowMs })
  const bought = createRecentCounts({ generationMs: 600_000, nowMs })
  const unsold = createRecentCounts({ generationMs: 30_000, nowMs })
  const nothing = createRecentCounts({ generationMs: 30_000, nowMs })
  const isUnproven = (address: string) => bought.count(address) === 0
  const isUnsold = (addressOrPayer: string) => unsold.count(addressOrPayer) >= unsoldMax
  return {
    /**
     * Returns whether the address is unproven. It is unproven unless it made a valid payment in the last ten to
     * twenty minutes, and no payment of it was refused since then.
     */
    isUnproven,
    isUnsold,
    /** Whether the payer must wait until the counts expire. */
    isBarred: (payer: string) => isUnsold(payer) || nothing.count(payer) >= nothingMax,
    forgottenInMs: unsold.forgottenInMs,
    /** The number of refused payments of the address in the last minute. */
    refusedOf: refused.count,
    refusedOfUnproven: () => refused.count(ofUnproven),
    noteValid: (address: string) => bought.add(address),
    noteRefused: (address: string) => {
      refused.add(address)
      if (isUnproven(address)) refused.add(ofUnproven)
      bought.clear(address)
    },
    noteUnsold: ({ address, payer }: Client) => {
      unsold.add(address)
      unsold.add(payer)
    },
    noteNothing: nothing.add,
  }
}
