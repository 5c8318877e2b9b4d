/** How often things happen in the simulated markets of both chains: shares of the tokens that are promoted, if nothing else is said. */
export type MarketRates = Readonly<{
  /** Liquidity is taken out in one transaction: all of it, or at least 80 %. */
  pulled: number
  /** In several transactions: no single one takes 80 %, together they do. */
  pulledInParts: number
  /** In one transaction, 80 to 95 %. */
  mostlyPulled: number
  /** In one transaction, 50 to 79 %: this is no pull. */
  partlyPulled: number
  /** Taken out and put back in the same transaction. */
  rebalanced: number
  /** Liquidity is added. Half of these lose most of it later. */
  raised: number
  /** The share of pulled markets that are refilled, or whose token goes on in a second one. */
  refilled: number
  second: number
  /** The share of refilled markets that are pulled again. */
  pulledAgain: number
  /** Traded for two days and longer. */
  longLived: number
}>

export const marketRates: MarketRates = {
  ...{ pulled: 0.17, pulledInParts: 0.05, mostlyPulled: 0.05, partlyPulled: 0.06, rebalanced: 0.05, raised: 0.06 },
  ...{ refilled: 0.22, second: 0.3, pulledAgain: 0.25, longLived: 0.15 },
}

const hourSec = 3600
/** Nothing happens to a token longer than this after its begin. */
export const lifeSecMost = 72 * hourSec
