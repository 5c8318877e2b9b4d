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
 * To the letter, where a sentence above leaves room:
 *
 * Windows. A swap is in the window of `at` when `at - 60 s < its block time <= at`, in the last 15 s likewise; blocks of
 * later number do not exist yet, also those of the same second. Ages are inclusive (exactly 5 min, 6 h, 24 h), but `old`
 * begins after 6 h. Main and lite can fire at one block end, main first. After a pool's first main or old burst every
 * further one over the main thresholds is a refire (30 min exactly is enough); lite counts for nothing there.
 * Only pools whose PoolCreated stands in the log have bursts, minutes or outcomes; from 25 h 30 min on none.
 *
 * Swaps that do not count: `ethWei` 0; tick <= -887272 or >= 887271; sender equal to the pool's `hooks`.
 *
 * Burst fields. `inflowWei`, `buys`, `sells` of the 60 s window; `px` the price after the block's last counted swap of the
 * pool. `sameSizeMax` compares raw wei. `top3Share` = wei of the three largest buys / wei of all buys. `sizeCv` = population
 * deviation / mean of the buy sizes. Shape, the first that fits: `v3` by dex; `scripted` when sameSizeMax >= 5; `spread` when
 * 2 x the three largest < all, in wei; `other`.
 *
 * Senders are asked for on main, refire and old bursts: the distinct transactions of the window's buys, oldest first. The
 * buyers are their distinct senders in that order, published once the answer is there and block time has passed signal + 5 s;
 * null when the lookup failed or did not know one of the transactions. The first answer counts.
 *
 * Minutes. A cell `[minute, minute + 60 s)` has the sums of its counted swaps so far, both `buyWei` and `sellWei` >= 0, and is
 * published once block time reaches the end of a 10 s slot that held a counted swap (so at most six times). `lastPx`,
 * `lastSwapAtMs`: of the last counted swap. `liqEth`: the ETH side of the positions as they stood after that swap, at its
 * price; liquidity changed since does not show before the next swap. Before the first swap, a change of liquidity publishes
 * a cell too: sums 0, `lastPx` and `lastSwapAtMs` null, `liqEth` at the initial price.
 *
 * Doubles. A price is `priceFromSqrt`; bounds on prices are products with the signal price or the high, `px <= 0.85 * p0`,
 * `px >= 1.5 * p0`, `px <= 0.8 * high`; a return is `px / p0 - 1 - 0.02` from the left. `liqEth`, `top3Share` and `sizeCv` are
 * promised to a relative 1e-9, all counts, sums in wei and choices exactly.
 *
 * The exit rules, by their plain names (answers show a keyed hash), in this order. All share the stop: price <= 0.85 x signal
 * price. At one swap the order is: exits by time that ran out before it (at the last price, that is the price after the last
 * counted swap before it, or the signal price), then the stop, then the rule's own exit at the swap's price. An instant that
 * is exactly a swap's block time has not run out before that swap; an instant that is exactly at + 30 min has run out at the
 * end. `sec` is whole seconds (rounded down) from the signal to the exit (for exits by time: to the instant), null for `held`.
 * Net ETH and the highest price take a swap in before the rule is asked. A rule that has left stays out.
 *
 *   live             as in `outcome` above: `burst_fade` at a swap, `burst_stall` by time
 *   hold             nothing but the stop: `held`
 *   fade             net ETH since the signal 0.5 or more below its high-water mark: `burst_fade`
 *   stall            60 s without a price high: `burst_stall`
 *   take-profit-50   price >= 1.5 x signal price: `take_profit`
 *   take-profit-100  price >= 2 x signal price: `take_profit`
 *   trail-20         price <= 0.8 x highest price so far, the signal price included: `trail`
 *   time-5m          5 min after the signal: `time`
 *   time-10m         10 min after the signal: `time`
 */
