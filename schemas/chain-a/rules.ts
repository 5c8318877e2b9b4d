/**
 * The chain A rules in words: what every envelope says, what the processors compute and what an independent check is
 * written from. The numbers live in `processors/`; a test holds these sentences to them.
 */

/** Raised whenever a derived record would come out different for the same facts; carried by every tick. */
export const rulesVersion = 'a1'

export const chainARules = {
  main: 'Net inflow >= 1 ETH and >= 12 buy swaps within 60 s, still buying (a buy and positive net inflow in the last 15 s), pool age 5 min to 6 h. Once per pool. Judged at the end of each block that holds a swap of the pool, over (at - 60 s, at].',
  lite: 'Net inflow >= 0.5 ETH and >= 8 buy swaps within 60 s, still buying, pool age 5 min to 6 h. Once per pool. Fires earlier, noisier.',
  refire:
    'Main thresholds met again on the same pool at least 30 min after its last main, refire or old burst, pool age up to 24 h.',
  old: 'First main-threshold burst on a pool more than 6 h and up to 24 h old that never fired main.',
  outcome:
    'Scored 30 min after the signal from the prices of the pool’s swaps in the blocks after the signal block, up to and including at + 30 min; the signal price is the price at the end of the signal block. Every return is price / signal price - 1 - 0.02. ret30m holds to the end without a stop; peakRet is the best price, the signal price included; a stop at -15% of the signal price, taken at the price of the swap that crossed it, holds for every exit rule, hold too. ruleRet is the live rule: exit when net ETH since the signal is 0.5 below its high-water mark (which starts at 0), or once 60 s have passed without a price above the highest so far (the signal price to begin with), at the last price before that instant ran out. A rule that never exits is scored at the last price. Swaps that move no ETH, swaps at the limits of the price range and swaps sent by the pool’s own hook do not count anywhere.',
} as const

/*
 * The exit rules, by their plain names (answers show a keyed hash). All share the stop. At one swap the order is: exits by
 * time that ran out before it (at the last price), then the stop, then the rule's own exit at the swap's price. An instant
 * that is exactly a swap's block time has not run out before that swap. `sec` is whole seconds from the signal to the exit
 * (for exits by time: to the instant), null for `held`.
 *
 *   live             as in `outcome` above: `burst_fade` (checked first) or `burst_stall`
 *   hold             nothing but the stop: `held`
 *   fade             net ETH since the signal 0.5 below its high-water mark: `burst_fade`
 *   stall            60 s without a price high: `burst_stall`
 *   take-profit-50   price >= 1.5 x signal price: `take_profit`
 *   take-profit-100  price >= 2 x signal price: `take_profit`
 *   trail-20         price <= 0.8 x highest price so far, the signal price included: `trail`
 *   time-5m          5 min after the signal: `time`
 *   time-10m         10 min after the signal: `time`
 */
