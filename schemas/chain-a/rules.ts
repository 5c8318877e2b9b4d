/**
 * The rules of chain A in words. Answers show `chainARules`. The processors implement these rules, and the tests have an independent
 * implementation. The sentences are made from the numbers of `numbers.ts`. A test compares the long comment below with these numbers.
 */
import { change, either, hours, minutes, percent, seconds } from '../rule-words.ts'
import type { Tier } from './derived.ts'
import { type ChainANumbers, chainANumbers } from './numbers.ts'
import { tiersBeforeRefire } from './tier-traits.ts'

/** The version of the rules, which every tick contains. Raise it when the same facts give a different derived record. */
export const rulesVersion = 'a11'

type Words = Readonly<Record<Tier | 'outcome', string>>

/** Returns the rules in words, as answers show them. */
export function chainAWordsOf({ bursts, outcomes }: Pick<ChainANumbers, 'bursts' | 'outcomes'>): Words {
  const { main, lite, windowMs, recentMs, youngMsMin, youngMsMax, oldMsMax } = bursts
  const over = ({ inflowEthMin, buysMin }: ChainANumbers['bursts']['main']) =>
    `Net inflow >= ${inflowEthMin} ETH and >= ${buysMin} buy swaps within ${seconds(windowMs)}`
  const age = `pool age ${minutes(youngMsMin)} to ${hours(youngMsMax)}`
  return {
    main: `${over(main)}, still buying (a buy and positive net inflow in the last ${seconds(recentMs)}), ${age}. Once per pool. Judged at the end of each block that holds a swap of the pool, over (at - ${seconds(windowMs)}, at].`,
    lite: `${over(lite)}, ${age}, whether or not buying goes on. Once per pool. Fires earlier, noisier.`,
    refire: `Main thresholds met again on the same pool at least ${minutes(bursts.refireMs)} after its last ${either(tiersBeforeRefire)} burst, pool age up to ${hours(oldMsMax)}.`,
    old: `First main-threshold burst on a pool more than ${hours(youngMsMax)} and up to ${hours(oldMsMax)} old that never fired main.`,
    outcome: outcomeWordsOf(outcomes),
  }
}

function outcomeWordsOf({ lengthMs, costRatio, stopRatio, rugLeftRatioMax, exits }: ChainANumbers['outcomes']): string {
  const [live] = exits
  const loss = `-1 - ${costRatio}`
  return `Scored ${minutes(lengthMs)} after the signal from the prices of the pool’s swaps in the blocks after the signal block, up to and including at + ${minutes(lengthMs)}; the signal price is the price at the end of the signal block. Every return is price / signal price - 1 - ${costRatio}. ret30m holds to the end without a stop; peakRet is the best price, the signal price included; a stop at ${change(stopRatio)}% of the signal price, taken at the price of the swap that crossed it, holds for every exit rule, hold too. ruleRet is the live rule: ${live === undefined ? 'hold' : liveWordsOf(live)}. A rule that never exits is scored at the last price. A rug is at least ${percent(1 - rugLeftRatioMax)}% of the liquidity at the signal removed, by its ETH side, judged transaction by transaction: every exit not yet taken and ret30m score ${loss}, and peakRet ends there. Swaps that move no ETH, swaps at the limits of the price range and swaps sent by the pool’s own hook do not count anywhere.`
}

/** Returns in words when the first exit rule (`live`) exits, at a price or by time. */
function liveWordsOf({
  fadeEth,
  stallMs,
  gainRatio,
  trailRatio,
  afterMs,
}: ChainANumbers['outcomes']['exits'][number]): string {
  const atPrice = [
    fadeEth !== undefined &&
      `when net ETH since the signal is ${fadeEth} below its high-water mark (which starts at 0)`,
    gainRatio !== undefined && `when the price is at ${change(gainRatio)}%`,
    trailRatio !== undefined && `when the price is at ${change(trailRatio)}% of the highest so far`,
  ]
  const byTime = [
    stallMs !== undefined &&
      `once ${seconds(stallMs)} have passed without a price above the highest so far (the signal price to begin with), at the last price before that instant ran out`,
    afterMs !== undefined && `${minutes(afterMs)} after the signal, at the last price before that instant ran out`,
  ]
  const ways = [...atPrice, ...byTime].filter((way) => way !== false)
  return ways.length === 0 ? 'hold' : `exit ${ways.join(', or ')}`
}

/** The rules with the default numbers. */
export const chainARules = chainAWordsOf(chainANumbers)

/*
 * The exact rules, where the sentences above leave details open:
 *
 * Windows. A swap is in the window of `at` if `at - 60 s < its block time <= at`; the last 15 s likewise. Blocks with a later
 * number do not count, even in the same second. Ages are inclusive (exactly 5 min, 6 h, 24 h), but `old` begins after 6 h. Main
 * and lite can fire at the same block end, main first. After a pool's first main or old burst, every later one over the main
 * thresholds is a refire (exactly 30 min is enough); lite bursts do not count for this. Only pools whose PoolCreated is in the
 * log have bursts, minutes or outcomes, and only below an age of 25 h 30 min.
 *
 * Swaps that do not count: `ethWei` is 0; price tick <= -887272 or >= 887271; the sender is the pool's `hooks`.
 *
 * Burst fields. `inflowWei`, `buys` and `sells` are those of the 60 s window. `px` is the price after the pool's last counted
 * swap of the block. `sameSizeMax` compares raw wei. `top3Share` is the wei of the three largest buys / the wei of all buys.
 * `sizeCv` is the population deviation / the mean of the buy sizes. Shape is the first that matches: `v3` if the dex is v3;
 * `scripted` if sameSizeMax >= 5; `spread` if 2 x the three largest < all, in wei; else `other`.
 *
 * Senders. A main, refire or old burst asks for the senders of the distinct transactions of the window's buys, oldest first. The
 * buyers are these senders, distinct, in that order. They are published once the answer has come and block time is later than
 * signal + 5 s. They are null if the lookup failed or did not know one of the transactions. Only the first answer counts.
 *
 * Minutes. A cell `[minute, minute + 60 s)` has the sums of its counted swaps so far, both `buyWei` and `sellWei` >= 0. A block with a
 * counted swap changes the cell. Before the first swap, a block with a change of liquidity changes it too. The change is published at the
 * end of its block if the newest block of the pool with a published change is at least 10 s older. Otherwise it is published once block
 * time is later than that block + 10 s or reaches the minute's end. `lastPx` and `lastSwapAtMs` are the price after the last counted swap
 * and its time, null before the first. `liqEth` is the ETH side of the positions as they were after that swap, at its price; a later change
 * of liquidity shows at the next swap only. Before the first swap it is at the initial price.
 *
 * Liquidity. The facts say who can pull the liquidity of a v4 pool. A position is an NFT or, if the pool credits another owner
 * than the position manager, that owner with salt and range. Only positions with liquidity L > 0 count. Insiders are the sender
 * of the pool's creation and the senders of all its adds (changes of L > 0) so far. Each position's L goes to one of:
 * `contract`, if there is no NFT; `burned`, if the NFT's last transfer went to 0x0 or 0x...dead; `insider`, if it went to one of
 * the insiders; `other`; `unknown`, if the log has no transfer of the NFT, or if the add has no NFT and the log does not contain
 * its sender (facts older than these fields). A share is the sum of L over the sum of all L, or 0 without liquidity. Class:
 * without liquidity `empty` in a profile and `unknown` at a burst; `held` if insider >= 1/2 of L, exactly; `safe` if burned +
 * contract + other >= 1/2; else `unknown`. Changes of 0 (fee collections) are neither adds nor removals. `firstAddAtMs` is the
 * block time of the first add, null before it; `lpAdds` counts adds. All of this describes the end of a block.
 *
 * Liquidity at a burst. V4 main and lite bursts have the liquidity at the end of the signal block, published once block time is
 * later than signal + 5 s. With NFTs among the positions, the node is asked for the owners of the 20 with most L (equal ones by
 * number) at the end of that block. If the node gives another owner than the log (a missing NFT counts as owned by 0x0), the L of
 * that NFT moves to `unknown` and the class becomes `unknown`; this may come as a second version. A failed lookup changes
 * nothing. Only the first answer counts.
 *
 * A profile of a v4 pool is published at the end of each block that created the pool, changed its liquidity or transferred one
 * of its NFTs, checked at that block's time; and, while the pool is under 6 h old, at every 10 min of its age, checked at that
 * instant and published once block time is later. `blockNumber` is the newest block up to then with a fact of the token.
 *
 * Rugs. Every transaction that changes the liquidity of a pool (fee collections do not) in a block after the signal block, with
 * block time <= at + 30 min, is judged at its end, on v4 and v3. V0 is the ETH side of all positions before its first change and V1
 * after its last one, both at the price after the last counted swap before that first change (the pool's initial price if there was
 * none). The remaining liquidity is 1 at the end of the signal block and is multiplied by V1 / V0 at the end of each transaction
 * with V0 > 0, and by 0 if no position is left; adds raise it, without a limit. Remaining <= 0.2 (+ 1e-12) is a rug: `atSec` is whole seconds (rounded down) from the
 * signal to its block, `lpRemoved` is 1 - remaining. Exits by time that expired before its block time are kept (one at exactly that
 * instant has not expired), and so are all other exits up to the end of the transaction, including exits at its own swaps. Every
 * rule that has not exited then exits with return -1 - 0.02, `sec` = `atSec` and `rug`, `hold` with `held_rug`; `ret30m` is
 * -1 - 0.02. Later swaps and changes do not count in this outcome.
 *
 * Gaps. At each swap of a pool, also at those that do not count, the price before it follows from the amount that it took out: with L its
 * liquidity and P the square root of the price after it, the root before it is P + out / L if currency 1 went out, else 1 / (1 / P + out /
 * L). If tokens were paid in, ETH went out, even if it was 0 wei. The root before is compared with the root after the previous swap, or of
 * the initial price, if L is not 0 and equals the liquidity in range at that price: that of the previous swap, or 0 after the creation,
 * plus later changes whose range contains the price tick. The two roots agree if they differ by at most 1e-14 + 2 units of what went out +
 * 2 units of the price in Q64.96, relative to the price. If they do not, and no position has begun or ended between the two price ticks
 * (excluding the lower one), a TradeGap is published, from the time of the previous swap to that of this one. `volumeRaw` is the wei
 * between the two prices at L, null if a position began or ended between them, or within 1e-6 price ticks of the price before this swap. An
 * initial price within 1e-6 of a price tick, and a pool with more than 256 bounds of positions, are not judged.
 *
 * Launchpad curves. A token has one curve: the first that is launched or, if it is older than the log, found. A curve that is found
 * again continues with the values of that fact. Its reserve changes by `ethWei` - `feeWei` - `taxWei` at each trade, to the wei.
 * `feeBps` is the median of its last 30 buys, however often it was found in between. The value of a buy is
 * (fee + tax) * 10000 / `ethWei`, rounded to a whole number (a half up). If the median is the mean of two values, it is rounded in
 * the same way. It is null before the first buy. The curve is `completed` from its completion or graduation on; `gradBlock` is the
 * block of the graduation. Launches, finds, completions and graduations are published at the end of their block, trades at the same
 * interval as changes of a pool's minutes, but without the limit at the end of the minute. `readBlock` and `readAtMs` are number and
 * time of the block of its newest fact. Nothing more is derived from it after its graduation, or 7 days after its newest fact.
 *
 * Doubles. A price is `priceFromSqrt`. Limits on prices are products with the signal price or the high: `px <= 0.85 * p0`, `px
 * >= 1.5 * p0`, `px <= 0.8 * high`. A return is `px / p0 - 1 - 0.02`, evaluated from the left. `liqEth`, `top3Share`, `sizeCv`,
 * `lpRemoved` and the shares of liquidity are guaranteed to a relative 1e-9; counts, sums in wei and choices are exact.
 *
 * The exit rules, by their plain names (answers show a keyed hash), in this order. All have the stop: price <= 0.85 x signal
 * price. At one swap the order is: exits by time that expired before it (at the last price: the price after the last counted
 * swap before it, or the signal price), then the stop, then the rule's own exit at the swap's price. A limit equal to a swap's
 * block time has not expired before that swap; a limit equal to at + 30 min has expired at the end. `sec` is whole seconds
 * (rounded down) from the signal to the exit (for exits by time: to the instant), null for `held`. Net ETH and the highest price
 * include a swap before the rule is checked. A rule that has exited does not enter again.
 *
 *   live             as in `outcome` above: `burst_fade` at a swap, `burst_stall` by time
 *   hold             only the stop: `held`
 *   fade             net ETH since the signal 0.5 or more below its high-water mark: `burst_fade`
 *   stall            60 s without a price high: `burst_stall`
 *   take-profit-50   price >= 1.5 x signal price: `take_profit`
 *   take-profit-100  price >= 2 x signal price: `take_profit`
 *   trail-20         price <= 0.8 x highest price so far, the signal price included: `trail`
 *   time-5m          5 min after the signal: `time`
 *   time-10m         10 min after the signal: `time`
 */
