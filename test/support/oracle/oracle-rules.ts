/** Lists the rules of chain A as numbers. A test can change a number and check that the answers then differ. */

export type ExitRule = Readonly<{
  fadeWei?: bigint
  stallMs?: number
  takeProfit?: number
  trail?: number
  timeMs?: number
}>

export type OracleRules = Readonly<{
  windowMs: number
  windowIncludesStart: boolean
  mainInflowWei: bigint
  mainBuys: number
  liteInflowWei: bigint
  liteBuys: number
  /** True if a value that equals its threshold does not pass. */
  thresholdsAreStrict: boolean
  /**
   * The length of the last part of the window, in which buying must continue. It applies to all tiers except
   * lite. Null: this is not required.
   */
  stillBuyingMs: number | null
  ageMsMin: number
  youngAgeMsMax: number
  oldAgeMsMax: number
  refireAfterMs: number
  /** -1 reads every buy as a sell. */
  buySign: 1 | -1
  /** The number of equal buys from which a burst counts as scripted. */
  scriptedBuys: number
  /** A burst counts as spread if its three largest buys together have less than this share. */
  spreadTop3Bps: bigint
  deviation: 'population' | 'sample'
  ownHookCounts: boolean
  limitPricesCount: boolean
  scoredAfterMs: number
  cost: number
  stop: number
  /** The largest share of the liquidity at the signal that can be left after a rug (removal of liquidity). */
  rugRatioMax: number
  rugBy: 'eth' | 'liquidity'
  /** True if liquidity that a transaction adds again does not count. */
  rugIgnoresAdds: boolean
  sharesBy: 'liquidity' | 'eth'
  addersAreInsiders: boolean
  /**
   * The minimum shares for two classes. A pool is `held` if insiders own at least `heldBpsMin`, and `safe` if
   * others own at least `safeBpsMin`.
   */
  heldBpsMin: bigint
  safeBpsMin: bigint
  heldMustExceedHalf: boolean
  /** True if liquidity at the dead address counts as burned. */
  deadBurns: boolean
  pokesAreAdds: boolean
  /**
   * The number of blocks between the block of a burst or check and the block whose owners of liquidity are
   * read.
   */
  lpBlockOffset: number
  exits: Readonly<Record<string, ExitRule>>
}>

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const ether = 10n ** 18n

export const exitRules = (changed: Readonly<{ fadeWei?: bigint; stallMs?: number }> = {}) => {
  const fadeWei = changed.fadeWei ?? ether / 2n
  const stallMs = changed.stallMs ?? minute
  return {
    live: { fadeWei, stallMs },
    hold: {},
    fade: { fadeWei },
    stall: { stallMs },
    'take-profit-50': { takeProfit: 0.5 },
    'take-profit-100': { takeProfit: 1 },
    'trail-20': { trail: 0.2 },
    'time-5m': { timeMs: 5 * minute },
    'time-10m': { timeMs: 10 * minute },
  } satisfies Record<string, ExitRule>
}

export const oracleRules: OracleRules = {
  windowMs: minute,
  windowIncludesStart: false,
  mainInflowWei: ether,
  mainBuys: 12,
  liteInflowWei: ether / 2n,
  liteBuys: 8,
  thresholdsAreStrict: false,
  stillBuyingMs: 15 * second,
  ageMsMin: 5 * minute,
  youngAgeMsMax: 6 * hour,
  oldAgeMsMax: 24 * hour,
  refireAfterMs: 30 * minute,
  buySign: 1,
  scriptedBuys: 5,
  spreadTop3Bps: 5000n,
  deviation: 'population',
  ownHookCounts: false,
  limitPricesCount: false,
  scoredAfterMs: 30 * minute,
  cost: 0.02,
  stop: -0.15,
  rugRatioMax: 0.2,
  rugBy: 'eth',
  rugIgnoresAdds: false,
  sharesBy: 'liquidity',
  addersAreInsiders: true,
  heldBpsMin: 5000n,
  safeBpsMin: 5000n,
  heldMustExceedHalf: false,
  deadBurns: true,
  pokesAreAdds: false,
  lpBlockOffset: 0,
  exits: exitRules(),
}
