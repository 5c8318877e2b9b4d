/**
 * The traits of a burst that depend on its tier. Processors, queries and answers read these traits, and do not compare the name of the
 * tier.
 */
import { type Tier, tiers } from './derived.ts'

type TierTraits = Readonly<{
  /** The burst postpones the next refire of its pool. */
  delaysRefire: boolean
  /**
   * Whether the senders of the window's buys are looked up. `counted`: the senders count in crews, and as earlier buyers of later bursts.
   * `shown`: answers also show their number, and how many of them bought in earlier bursts.
   */
  senders: 'none' | 'counted' | 'shown'
  /** A burst of a v4 pool gets a `BurstLp` record. */
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
