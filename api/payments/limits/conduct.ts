/** What became of the payments of addresses and payers lately. */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'

export type Conduct = ReturnType<typeof createConduct>

/** Answers made for an address or a payer within a minute, and not sold. */
const unsoldMax = 10
/** Verified payments of a payer within a minute, for what is not there: each costs a query. */
const nothingMax = 60

const ofStrangers = ''

export function createConduct(nowMs: () => number) {
  const refused = createRecentCounts({ generationMs: 30_000, nowMs })
  const bought = createRecentCounts({ generationMs: 600_000, nowMs })
  const unsold = createRecentCounts({ generationMs: 30_000, nowMs })
  const nothing = createRecentCounts({ generationMs: 30_000, nowMs })
  const isStranger = (address: string) => bought.count(address) === 0
  const isUnsold = (addressOrPayer: string) => unsold.count(addressOrPayer) >= unsoldMax
  return {
    /** Nothing was bought at the address for ten minutes, or a payment of it was refused since. */
    isStranger,
    isUnsold,
    /** Whether the payer has to wait until this is forgotten. */
    isBarred: (payer: string) => isUnsold(payer) || nothing.count(payer) >= nothingMax,
    forgottenInMs: unsold.forgottenInMs,
    /** Payments of the address that came to nothing within a minute. */
    refusedOf: refused.count,
    refusedOfStrangers: () => refused.count(ofStrangers),
    noteValid: (address: string) => bought.add(address),
    noteRefused: (address: string) => {
      refused.add(address)
      if (isStranger(address)) refused.add(ofStrangers)
      bought.clear(address)
    },
    noteUnsold: ({ address, payer }: Client) => {
      unsold.add(address)
      unsold.add(payer)
    },
    noteNothing: nothing.add,
  }
}
