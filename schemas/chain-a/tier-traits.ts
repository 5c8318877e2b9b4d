/**
 * The traits of a burst that depend on its tier. Processors, queries and API answers use these traits and do
 * not compare the names of tiers.
 */
import { type Tier, tiers } from './derived.ts'

type TierTraits = Readonly<{
  /** True if the burst postpones the next refire burst of the pool. */
  delaysRefire: boolean
  /**
   * Whether the senders of the buys in the burst's window are looked up. If `counted`, the senders count as
   * crews (wallets that buy in several bursts) and as earlier buyers of later bursts. If `shown`, API answers
   * also show the number of senders, and how many of them bought in earlier bursts.
   */
  senders: 'none' | 'counted' | 'shown'
  /** True if a burst of a v4 pool gets a `BurstLp` record. */
  hasLiquidity: boolean
}>

export const tierTraits = {
  main: { delaysRefire: true, senders: 'shown', hasLiquidity: true },
  lite: { delaysRefire: false, senders: 'none', hasLiquidity: true },
  refire: { delaysRefire: true, senders: 'counted', hasLiquidity: false },
  old: { delaysRefire: true, senders: 'counted', hasLiquidity: false },
} as const satisfies Readonly<Record<Tier, TierTraits>>

const tiersWith = (has: (traits: TierTraits) => boolean): readonly Tier[] =>
  tiers.filter((tier) => has(tierTraits[tier]))

export const tiersWithSenders = tiersWith(({ senders }) => senders !== 'none')
export const tiersWithShownBuyers = tiersWith(({ senders }) => senders === 'shown')
export const tiersWithLiquidity = tiersWith(({ hasLiquidity }) => hasLiquidity)
export const tiersBeforeRefire = tiersWith(({ delaysRefire }) => delaysRefire)
