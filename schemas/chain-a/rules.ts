/**
 * The chain A rules in words: what every envelope says, what the processors compute and what an independent check is
 * written from. The numbers live in `processors/`; a test holds these sentences to them.
 */

import type { Tier } from './derived.ts'

/** Raised whenever a derived record would come out different for the same facts; carried by every tick. */
export const rulesVersion = 'a3'

export const chainARules = {
  main: 'Net inflow >= 1 ETH and >= 12 buy swaps within 60 s, still buying (a buy and positive net inflow in the last 15 s), pool age 5 min to 6 h. Once per pool. Judged at the end of each block that holds a swap of the pool, over (at - 60 s, at].',
  lite: 'Net inflow >= 0.5 ETH and >= 8 buy swaps within 60 s, still buying, pool age 5 min to 6 h. Once per pool. Fires earlier, noisier.',
  refire:
    'Main thresholds met again on the same pool at least 30 min after its last main, refire or old burst, pool age up to 24 h.',
  old: 'First main-threshold burst on a pool more than 6 h and up to 24 h old that never fired main.',
  outcome:
    'Scored 30 min after the signal from the prices of the pool’s swaps in the blocks after the signal block, up to and including at + 30 min; the signal price is the price at the end of the signal block. Every return is price / signal price - 1 - 0.02. ret30m holds to the end without a stop; peakRet is the best price, the signal price included; a stop at -15% of the signal price, taken at the price of the swap that crossed it, holds for every exit rule, hold too. ruleRet is the live rule: exit when net ETH since the signal is 0.5 below its high-water mark (which starts at 0), or once 60 s have passed without a price above the highest so far (the signal price to begin with), at the last price before that instant ran out. A rule that never exits is scored at the last price. A rug is at least 80% of the liquidity at the signal removed, by its ETH side, judged transaction by transaction: every exit not yet taken and ret30m score -1 - 0.02, and peakRet ends there. Swaps that move no ETH, swaps at the limits of the price range and swaps sent by the pool’s own hook do not count anywhere.',
} as const satisfies Readonly<Record<Tier | 'outcome', string>>

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
 * Who can pull the liquidity of a v4 pool is a fold of the log. A position is an NFT, or, where the pool credits another owner
 * than the position manager, that owner with salt and range; only positions with liquidity L > 0 count. Insiders are the
 * sender of the pool's creation and the senders of all its adds (changes of L > 0) so far. Each position's L goes to one of:
 * `contract`, where there is no NFT; `burned`, where the NFT's last transfer went to 0x0 or 0x...dead; `insider`, where it
 * went to one of the insiders; `other`; `unknown`, where no transfer of the NFT stands in the log, and, for adds without an NFT, where
 * the log does not say who sent them: they were told before facts named NFTs. A share is the sum of L
 * over the sum of all L, 0 where there is none. Class: no liquidity is `empty` in a profile and `unknown` at a burst; insider
 * >= 1/2 of L, exactly, is `held`; burned + contract + other >= 1/2 is `safe`; else `unknown`. Changes of 0 (pokes) are neither
 * adds nor removals. `firstAddAtMs` is the block time of the first add, null before; `lpAdds` counts adds. All of it stands
 * as of the end of a block.
 *
 * At a burst: v4 main and lite bursts have it as of the end of the signal block, published once block time has passed signal
 * + 5 s. With NFTs among the positions, the node is asked for the owners of the 20 with most L (equal ones by number) at the end
 * of that block. Where it names another owner than the log (no such NFT is like 0x0), the L of that NFT moves to `unknown` and
 * the class is `unknown`; this may come as a second version. A failed lookup changes nothing, the first answer counts.
 *
 * A profile of a v4 pool is published at the end of each block that created the pool, changed its liquidity or moved one of
 * its NFTs, checked at that block's time; and, while the pool is under 6 h old, at every 10 min of its age, checked at that
 * instant (published once block time has passed it). `blockNumber` is the newest block until then that holds a fact of the token.
 *
 * Rugs. Every transaction that changes the liquidity of a pool (pokes change nothing) in a block after the signal block, at
 * block time <= at + 30 min, is judged at its end, on v4 and v3 alike. Its V0 is the ETH side of all positions as they stood
 * before its first change, V1 after its last one, both at the price after the last counted swap before that first change (the
 * pool's initial price where there was none). What remains of the liquidity is 1 at the end of the signal block, and times
 * V1 / V0 at the end of each transaction with V0 > 0: adds raise it, without a bound. At remaining <= 0.2 (+ 1e-12) it is a rug:
 * `atSec` is whole seconds (rounded down) from the signal to its block, `lpRemoved` 1 - remaining. Exits by time that ran out
 * before its block time stand (one at that very instant has not run out), as do all other exits taken up to the transaction's
 * end, swaps of that transaction included. Every rule still in leaves with return -1 - 0.02, `sec` = `atSec` and `rug`, `hold`
 * with `held_rug`; `ret30m` is -1 - 0.02; swaps and changes after the transaction count for nothing in this outcome.
 *
 * Launchpad curves. A token has one, the first that is launched or, older than the log, found; one that is found again is from
 * then on what that fact says, as if it had not been known. Its reserve moves by `ethWei` - `feeWei` - `taxWei` at each trade, to
 * the wei. `feeBps` is the median of its last 30 buys since it was launched or last found (about once a day), each
 * (fee + tax) * 10000 / `ethWei` rounded to a whole number (a half up), the mean of the middle two rounded likewise; null before
 * the first. It is full (`completed`) from its completion or graduation on; `gradBlock` is the block of the graduation. Launches,
 * completions and graduations are published at the end of their block, trades and finds once block time reaches the end of a
 * 10 s slot that held one. `readBlock` and `readAtMs` are number and time of the block of its
 * newest fact. From its graduation on, or 7 days after its newest fact, nothing more is derived of it.
 *
 * Doubles. A price is `priceFromSqrt`; bounds on prices are products with the signal price or the high, `px <= 0.85 * p0`,
 * `px >= 1.5 * p0`, `px <= 0.8 * high`; a return is `px / p0 - 1 - 0.02` from the left. `liqEth`, `top3Share`, `sizeCv`,
 * `lpRemoved` and the shares of liquidity are promised to a relative 1e-9, all counts, sums in wei and choices exactly.
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
