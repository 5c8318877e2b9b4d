/**
 * Rates of events in the simulated markets of both chains. Unless stated otherwise, they are shares of the promoted
 * tokens.
 */
export type MarketRates = Readonly<{
  /** All liquidity, or at least 80 %, is taken out in one transaction. */
  pulled: number
  /** At least 80 % is taken out over several transactions, but not in a single one. */
  pulledInParts: number
  /** 80 to 95 % is taken out in one transaction. */
  mostlyPulled: number
  /** 50 to 79 % is taken out in one transaction, which is no pull. */
  partlyPulled: number
  /** Liquidity is taken out and put back in the same transaction. */
  rebalanced: number
  /** Liquidity is added. Half of these lose most of it later. */
  raised: number
  /** The share of pulled markets that are refilled, and of those whose token continues in a second one. */
  refilled: number
  second: number
  /** The share of refilled markets that are pulled again. */
  pulledAgain: number
  /** The token is traded for two days or longer. */
  longLived: number
}>

export const marketRates: MarketRates = {
  ...{ pulled: 0.17, pulledInParts: 0.05, mostlyPulled: 0.05, partlyPulled: 0.06, rebalanced: 0.05, raised: 0.06 },
  ...{ refilled: 0.22, second: 0.3, pulledAgain: 0.25, longLived: 0.15 },
}

const hourSec = 3600
/** All activity of a token ends within this time. */
export const lifeSecMost = 72 * hourSec
