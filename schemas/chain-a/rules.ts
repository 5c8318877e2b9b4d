/**
 * The rules of chain A in words. API answers show `chainARules`. The processors implement these rules, and so
 * does an independent implementation in the tests. The sentences are made from the numbers in `numbers.ts`. A
 * test compares the long comment below with these numbers.
 */
import { change, either, hours, minutes, percent, seconds } from '../rule-words.ts'
import type { Tier } from './derived.ts'
import { type ChainANumbers, chainANumbers } from './numbers.ts'
import { tiersBeforeRefire } from './tier-traits.ts'

/**
 * The version of the rules, which is in every tick. Raise the version if a change of the rules makes the same
 * facts give a different derived record.
 */
export const rulesVersion = 'a14'

type Words = Readonly<Record<Tier | 'outcome', string>>

/** Returns the rules in words, as API answers show them. */
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

/** Describes in words when the first exit rule (`live`) sells, at a price or by time. */
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
 * Windows. A swap is in the window of `at` if `at - 60 s < its block time <= at`. The window of the last 15
 * s follows the same rule. Blocks with a later number do not count, even in the same second. Limits of age
 * are inclusive (exactly 5 min, 6 h, 24 h), but `old` begins after 6 h. Main and lite can fire at the end
 * of the same block, main first. After a pool's first main or old burst, every later burst over the main
 * thresholds is a refire. Exactly 30 min after the last burst is late enough. Lite bursts do not count for
 * this. A pool has bursts, minutes and outcomes only if its PoolCreated is in the log, and only below an
 * age of 25 h 30 min.
 *
 * Swaps that do not count. A swap does not count if `ethWei` is 0, or if the sender is the pool's `hooks`.
 * A swap with a price tick <= -887272 or >= 887271 does not count either.
 *
 * Burst fields. `inflowWei`, `buys` and `sells` are those of the 60 s window. `px` is the price after the
 * pool's last counted swap of the block. `sameSizeMax` compares raw wei. `top3Share` is the wei of the
 * three largest buys / the wei of all buys. `sizeCv` is the population deviation / the mean of the buy
 * sizes. The shape is the first of these that matches:
 * - `v3` if the dex is v3.
 * - `scripted` if sameSizeMax >= 5.
 * - `spread` if 2 x the three largest < all, in wei.
 * - `other` in all other cases.
 *
 * Senders. A main, refire or old burst asks for the senders of the distinct transactions of the window's
 * buys, oldest first. The buyers are the distinct senders in that order. The buyers are published as soon
 * as the answer has come and block time is later than signal + 5 s. The buyers are null if the lookup
 * failed or did not know one of the transactions. Only the first answer counts.
 *
 * Minutes. A cell is one minute of one pool, `[minute, minute + 60 s)`. It has the sums of its counted
 * swaps so far, both `buyWei` and `sellWei` >= 0. A block with a counted swap changes the cell. Before the
 * first swap, a block with a change of liquidity changes the cell too. The change is published at the end
 * of its block if the pool's newest block with a published change is at least 10 s older. Otherwise the
 * change is published as soon as block time is later than that older block + 10 s, or reaches the end of
 * the minute. `lastPx` is the price after the last counted swap, and `lastSwapAtMs` is the time of that
 * swap. Both are null before the first swap. `liqEth` is the ETH side of the positions as they were after
 * that swap, at the price after that swap. A later change of liquidity shows only at the next swap. Before
 * the first swap, `liqEth` is computed at the initial price.
 *
 * Liquidity. The facts say who can pull the liquidity of a v4 pool. A position is an NFT. If the pool
 * credits another owner than the position manager, the position is that owner with salt and range. Only
 * positions with liquidity L > 0 count. Insiders are the sender of the pool's creation and the senders of
 * all adds (changes of L > 0) so far. Each position's L belongs to one of these groups:
 * - `unknown`: the log has no transfer of the NFT. An add without NFT also belongs here if the log does not
 *   contain the sender of the add. Such facts are older than these fields.
 * - `contract`: there is no NFT.
 * - `burned`: the NFT's last transfer went to 0x0 or 0x...dead.
 * - `insider`: the NFT's last transfer went to one of the insiders.
 * - `other`: the NFT's last transfer went to anyone else.
 *
 * A share is the sum of L in a group over the sum of all L, or 0 without liquidity. The class follows from
 * the shares:
 * - Without liquidity the class is `empty` in a profile and `unknown` at a burst.
 * - `held` if insider >= 1/2 of L, exactly.
 * - `safe` if burned + contract + other >= 1/2.
 * - `unknown` in all other cases.
 *
 * Changes of 0 (fee collections) are neither adds nor removals. `firstAddAtMs` is the block time of the
 * first add, and null before it. `lpAdds` counts adds. All of this describes the end of a block.
 *
 * Liquidity at a burst. V4 main and lite bursts have the liquidity at the end of the signal block. It is
 * published as soon as block time is later than signal + 5 s. With NFTs among the positions, the node is
 * asked for the owners of the 20 with most L at the end of that block. NFTs with equal L are ordered by
 * number. The node may give another owner than the log. A missing NFT counts as owned by 0x0. In these
 * cases the L of that NFT moves to `unknown` and the class becomes `unknown`. This may come as a new
 * version of the record. A failed lookup changes nothing. Only the first answer counts.
 *
 * Profiles. A profile of a v4 pool is published at the end of each block that created the pool, changed its
 * liquidity or transferred one of its NFTs. Such a profile is checked at that block's time. A further
 * profile is made, while the pool is under 6 h old, at every 10 min of its age. That profile is checked at
 * that time and published as soon as block time is later. `blockNumber` is the newest block with a fact of
 * the token up to the time of the check.
 *
 * Rugs. On v4 and v3, every transaction that changes the liquidity of a pool is judged at its end. The
 * transaction must be in a block after the signal block, with block time <= at + 30 min. Fee collections do
 * not change the liquidity. V0 is the ETH side of all positions before the first change of the transaction.
 * V1 is the ETH side of all positions after its last change. Both are computed at the price after the last
 * counted swap before that first change. Without such a swap, the pool's initial price is used. The
 * remaining liquidity is 1 at the end of the signal block. At the end of each transaction with V0 > 0, the
 * remaining liquidity is multiplied by V1 / V0. It is multiplied by 0 if no position is left. Adds raise
 * the remaining liquidity, without a limit. Remaining <= 0.2 (+ 1e-12) is a rug. `atSec` is whole seconds
 * (rounded down) from the signal to the block of the rug. `lpRemoved` is 1 - remaining.
 *
 * At a rug, every rule that has not exited yet exits with return -1 - 0.02, `sec` = `atSec` and `rug`. The
 * rule `hold` exits with `held_rug`. `ret30m` is -1 - 0.02. Earlier exits are kept. An exit by time is kept
 * if it expired before the block time of the rug. An exit by time at exactly that time has not expired. All
 * other exits up to the end of the transaction are kept, including exits at its own swaps. Later swaps and
 * changes do not count in this outcome.
 *
 * Gaps. At each swap of a pool, the price before the swap follows from the amount that the swap took out.
 * Swaps that do not count are checked too. L is the liquidity at the swap, and P is the square root of the
 * price after the swap. The root before the swap is P + out / L if currency 1 went out. Otherwise it is 1 /
 * (1 / P + out / L). If tokens were paid in, ETH went out, even if it was 0 wei. The root before the swap
 * is compared with the root after the previous swap. If there is no previous swap, the root of the initial
 * price is used. The two are compared only if L is not 0 and equals the liquidity in range at that price.
 * The liquidity in range is that of the previous swap, or 0 after the creation. Later changes are added if
 * their range contains the price tick.
 *
 * The two roots agree if they differ by at most 1e-14 + 2 units of what went out + 2 units of the price in
 * Q64.96, relative to the price. If they do not agree, a TradeGap is published, but only if no position has
 * begun or ended between the two price ticks (excluding the lower one). The gap reaches from the time of
 * the previous swap to that of this swap. `volumeRaw` is the wei between the two prices at L. It is null if
 * a position began or ended between them, or within 1e-6 price ticks of the price before this swap. An
 * initial price within 1e-6 of a price tick is not judged. A pool with more than 256 bounds of positions is
 * not judged either.
 *
 * Launchpad curves. A token has one curve: the first curve that is launched. If the curve is older than the
 * log, it is the first curve that is found. A curve that is found again continues with the values of that
 * fact. At each trade the reserve of the curve changes by `ethWei` - `feeWei` - `taxWei`, to the wei.
 * `feeBps` is the median of its last 30 buys, no matter how often the curve was found in between. The value
 * of a buy is (fee + tax) * 10000 / `ethWei`, rounded to a whole number (a half up). If the median is the
 * mean of two values, it is rounded in the same way. The median is null before the first buy. The curve is
 * `completed` from its completion or graduation on. `gradBlock` is the block of the graduation.
 *
 * Launches, finds, completions and graduations are published at the end of their block. Trades are
 * published at the same interval as changes of a pool's minutes, but without the limit at the end of the
 * minute. `readBlock` and `readAtMs` are the number and the time of the block with the curve's newest fact.
 * Nothing more is derived from a curve after its graduation, or 7 days after its newest fact.
 *
 * Doubles. A price is `priceFromSqrt`. Limits on prices are products with the signal price or the high: `px
 * <= 0.85 * p0`, `px >= 1.5 * p0`, `px <= 0.8 * high`. A return is `px / p0 - 1 - 0.02`, evaluated from the
 * left. `liqEth`, `top3Share`, `sizeCv`, `lpRemoved` and the shares of liquidity are exact to a relative
 * 1e-9. Counts, sums in wei and choices are exact.
 *
 * The exit rules follow below, by their plain names (answers show a keyed hash), in this order. All rules
 * have the stop: price <= 0.85 x signal price. At one swap, three kinds of exits are checked in this order:
 * - Exits by time that expired before the swap. Their price is the price after the last counted swap before
 *   it, or the signal price.
 * - The stop.
 * - The rule's own exit at the swap's price.
 *
 * A time limit equal to a swap's block time has not expired before that swap. A time limit equal to at + 30
 * min has expired at the end. `sec` is whole seconds (rounded down) from the signal to the exit. For exits
 * by time, the end is the time limit. `sec` is null for `held`. Net ETH and the highest price include a
 * swap before the rule is checked. A rule that has exited does not enter again.
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
