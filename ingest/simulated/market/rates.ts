/**
 * How often events occur in the simulated markets of both chains. Unless stated otherwise, a rate is a share
 * of the promoted tokens.
 */
export type MarketRates = Readonly<{
  /** All liquidity, or at least 85 % of it, is removed in one transaction. */
  pulled: number
  /** At least seven eighths of the liquidity are removed in several transactions. */
  pulledInParts: number
  /** 81 to 95 % of the liquidity is removed in one transaction. */
  mostlyPulled: number
  /**
   * 50 to 79 % of the liquidity is removed in one transaction. The simulation does not treat this as a
   * removal of the liquidity by the owner (a pull).
   */
  partlyPulled: number
  /** All liquidity is removed and added again in the same transaction. */
  rebalanced: number
  /** Liquidity is added. In half of these markets most of the liquidity is removed later. */
  raised: number
  /** The share of markets without liquidity to which the owner adds liquidity again. */
  refilled: number
  /** The share of markets without liquidity whose token continues in a second market. */
  second: number
  /** The share of refilled markets whose liquidity is removed again. */
  pulledAgain: number
  /** Tokens that are traded much longer than usual, for up to 60 hours on chain A. */
  longLived: number
}>

export const marketRates: MarketRates = {
  ...{ pulled: 0.17, pulledInParts: 0.05, mostlyPulled: 0.05, partlyPulled: 0.06, rebalanced: 0.05, raised: 0.06 },
  ...{ refilled: 0.22, second: 0.3, pulledAgain: 0.25, longLived: 0.15 },
}

const hourSec = 3600
/** The maximum time between the launch of a token and its last activity. */
export const lifeSecMost = 72 * hourSec
