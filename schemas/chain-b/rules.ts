/**
 * The rules of chain B in words. API answers show `chainBRule`. The processors implement these rules, and so
 * does an independent implementation in the tests. The sentences are made from the numbers in `numbers.ts`. A
 * test compares the long comment below with these numbers.
 */
import { change, hours, minutes, seconds } from '../rule-words.ts'
import { type ChainBNumbers, chainBNumbers } from './numbers.ts'
import { lamportsPerSol } from './units.ts'

/**
 * The version of the rules, which is in every tick. Raise the version if a change of the rules makes the same
 * facts give a different derived record.
 */
export const rulesVersion = 'b11'

/** Describes in words the rule of a burst and of its outcome, as API answers show it. */
export function chainBRuleOf({ bursts, outcomes }: Pick<ChainBNumbers, 'bursts' | 'outcomes'>): string {
  const { inflowLamportsMin, windowMs, recentMs, ageMsMin, ageMsMax, fillBpsMin, fillBpsMax } = bursts
  const { lengthMs, costRatio, stopRatio, exits } = outcomes
  const [live] = exits
  return `Burst: net inflow >= ${sol(inflowLamportsMin)} SOL into one bonding curve within ${seconds(windowMs)} (buys minus sells, fees left out), token ${minutes(ageMsMin)} to ${hours(ageMsMax)} old, curve ${fillBpsMin / 100}-${fillBpsMax / 100}% full at the signal, still buying (a buy and positive net inflow in the last ${seconds(recentMs)}). One unscored burst per mint at a time. Judged at the end of each slot that holds a trade of the curve, over (at - ${seconds(windowMs)}, at]. Outcome: scored when the curve is complete, or ${minutes(lengthMs)} after the signal, from the prices of the curve in the slots after the signal slot; the price is proportional to the square of the curve’s virtual SOL, and the signal price is that at the end of the signal slot. Every return is price / signal price - 1 - ${costRatio}. gradRet is the return at completion, ret20m at the end of the ${minutes(lengthMs)}, both without a stop; peakRet is the best price, the signal price included; a stop at ${change(stopRatio)}% of the signal price, taken at the price of the trade that crossed it, holds for every exit rule, hold too. ruleRet is the live rule${live === undefined ? '' : liveWordsOf(live)}. A rule that never exits is scored at completion or at the last price. nonStandardCurve: reserves were outside those of a standard launch; prices are then quotients of the reserves.`
}

/** Describes in words when the first exit rule (`live`) sells, at a price or by time. */
function liveWordsOf(live: ChainBNumbers['outcomes']['exits'][number]): string {
  const { fadeLamports, stallMs, gainRatio, trailRatio, afterMs } = live
  const ways = [
    fadeLamports !== undefined &&
      `when net SOL since the signal is ${sol(fadeLamports)} below its high-water mark (which starts at 0)`,
    gainRatio !== undefined && `when the price is at ${change(gainRatio)}%`,
    trailRatio !== undefined && `when the price is at ${change(trailRatio)}% of the highest so far`,
    stallMs !== undefined && `once ${seconds(stallMs)} have passed without a price above the highest so far`,
    afterMs !== undefined && `${minutes(afterMs)} after the signal`,
  ].filter((way) => way !== false)
  if (ways.length === 0) return ': hold'
  return `${fadeLamports === undefined ? '' : ', abandon ship'}: exit ${ways.join(', or ')}`
}

/**
 * Describes in words the rules for the simulated copies of wallets' buys. API answers about copy trading show
 * this text as `method`. The `method` of the list of leaders has its own sentences.
 */
export function copyRuleOf({ shadow, copy, mints }: Pick<ChainBNumbers, 'shadow' | 'copy' | 'mints'>): string {
  const poolMs = mints.graduatedLifeMs - shadow.windowMs
  return `Every buy of at least ${sol(shadow.lamportsMin)} SOL (fees left out) on a curve or in its pool is shadowed for ${minutes(shadow.windowMs)}; those of at least ${sol(shadow.bigLamportsMin)} SOL are big and replayed. Curves against SOL that are not in mayhem mode; in the pool the first ${minutes(poolMs)} after the curve was complete. shadowHit: the price is at least ${change(shadow.hitRatio)}% before it is at most ${change(shadow.missRatio)}% of that right after the buy. The copy spends ${sol(copy.stakeLamports)} SOL at the end of the slot after the buy’s, on the reserves that are there, by the formula of the curve or pool. Its exit: stop at ${change(copy.stopRatio)}% of the price before its fill; trail at ${change(copy.trailRatio)}% of the high once the high is ${change(copy.trailFromRatio)}%; take-profit at ${change(copy.takeProfitRatio)}%; time stop ${minutes(copy.timeStopMs)} after the buy. It sells on the reserves after the trade that crossed. ret is what the sale brought / what the copy paid - 1, all fees included. The leader’s own exit is its first sale within the ${minutes(shadow.windowMs)}.`
}

const sol = (lamports: number): number => lamports / lamportsPerSol

/** The rules with the default numbers. */
export const chainBRule = chainBRuleOf(chainBNumbers)
export const copyRule = copyRuleOf(chainBNumbers)

/*
 * The exact rules, where the sentences above leave details open:
 *
 * Mints. A mint is tracked from its launch (CurveLaunched), or from the CurveFound of its curve. A
 * CurveFound may lack the launch time. A curve that is found again continues as if it had not been known. A
 * mint is closed `graduatedLifeMs` after its curve was complete, or `curveLifeMs` after its newest fact. A
 * later CurveFound opens the mint again. Records that are due when the mint is closed, or later, are not
 * published. Only curves against SOL have bursts. Late facts, and facts about gaps, count in no rule.
 * Missing trades change only the reserves of the next trade. The reason is that reserves are always those
 * of the newest fact that has reserves.
 *
 * Gaps. Each GapFound publishes a TradeGap in the state `open`. It begins at the newest trade of the curve
 * that counts. If there is none, it begins at the launch or the CurveFound. It ends at the block time of
 * the trade after the gap. `volumeRaw` is |missingQuoteRaw|. The GapRepaired of the gap publishes the next
 * version, in one of two states:
 * - `late` if the repair is whole. It covers the late trades since the previous GapRepaired, from the first
 *   to the last `lateAtMs`. It has the number of these trades and the sum of their |quoteRaw|. If there are
 *   no such trades, another gap has reported them, so the number and the sum are 0.
 * - `given_up` if the repair is not whole. The other fields are unchanged.
 *
 * A GapRepaired without a trade after its gap has no GapFound, and publishes the only version. It is `late`
 * in the same way, or `given_up` from the newest trade to its own slot. If there is an open gap, `given_up`
 * begins at the start of the newest open gap. A `given_up` version of this kind has neither number nor sum.
 *
 * A CurveMigrated that is not late publishes a gap too. This gap is `open`, with neither number nor sum, at
 * the place of the migration. It reaches from the newest trade that counts to the migration. This gap is
 * not published if the curve is in mayhem mode. It is not published either if a trade (late or not) or the
 * CurveFound left no token for sale. If the trade that leaves no token comes late after that, the next
 * version is `late` with 0 and 0. `volumeRaw` is null on curves that are not against SOL.
 *
 * Minutes. A MintMinute has the trades whose block time is in its minute, published with the first slot after
 * the minute, also if the mint is closed by then. It counts the trades that set a price: those on a curve
 * against SOL, and later those in its pool, also while only a call keeps the market open. The rest of a buy that
 * completed the curve does not count. A minute in which the curve was found has the trades after that.
 *
 * Windows. A trade is in the window of `at` if `at - 60 s < its block time <= at`; the last 15 s likewise.
 * Slots with a later number do not count, even in the same second. Only CurveTraded counts. Ages are
 * inclusive: exactly 5 min and 4 h fire. A mint whose launch time is not known never fires. Fill limits are
 * inclusive and compared exactly, in tokens: 0.25 x 793.1e12 <= sold <= 0.55 x 793.1e12 with sold =
 * 793.1e12 - realTokenRaw. A burst is unscored until its outcome is derived. The slot that completes the
 * curve scores the burst and fires none.
 *
 * Burst fields. `inflowLamports` is the net inflow of the 60 s window. `fillAt` is `curveFill` after the
 * last trade of the signal slot. `fillFrom` is `curveFill` before the first trade of the window.
 * `virtualSol` is the virtual reserve after the last trade of the signal slot.
 *
 * Anatomy. The anatomy describes the window's buys. `sameSlotMax` is the largest number of buys in one
 * slot. `bundledShare` is the lamports of buys in slots with at least two buys of the window / the lamports
 * of all buys. `sameSizeMax` compares lamports. `top3Share` is the lamports of the three largest buys / the
 * lamports of all buys. The holders are those of the node's 20 largest accounts, summed by owner. The
 * curve, its pool (if it has migrated by signal + 5 s), burn addresses (all zeros, and the incinerator) and
 * the agent of mayhem mode are left out. A share is of the supply. The shares are null if the lookup failed
 * for a minute after the signal, or if the supply is not known. The anatomy is published as soon as the
 * answer has come and block time is later than signal + 5 s. Only the first answer counts.
 *
 * Safety. A provider of rug checks is asked on three occasions:
 * - at each burst. `atMs` is the signal.
 * - at the call that begins the 48 h observation of a token (a `Call` with `isFirst`). `atMs` is the post.
 * - when the pool of the mint opens, at its GraduationPost. `atMs` is the migration.
 *
 * At most one question is open for each of these reasons. A newer question replaces the open question.
 * After 25 h a question is dropped. The first answer to a question is published. `checkedAtMs` is the time
 * of the answer. `fails` are the distinct names of the report's risks of level `danger`, in the report's
 * order. A failed lookup publishes nothing. An answer without content (no number, no finding and no
 * authority) publishes nothing either.
 *
 * Prices. A price is the square of virtual SOL. While the curve is not standard (`isStandardCurve`), it is
 * quote / token of the virtual reserves. A burst may see a trade of a non-standard state from its signal
 * slot on. It then uses quotients throughout and has `isNonStandardCurve`. Limits on prices are products
 * with the signal price or the high: `px <= 0.85 * p0`, `px >= 1.5 * p0`, `px <= 0.8 * high`. A return is
 * `px / p0 - 1 - 0.025`, evaluated from the left. Doubles are exact to a relative 1e-9. Counts, sums in
 * lamports and choices are exact.
 *
 * Outcome. Trades in slots after the signal slot with block time <= at + 20 min count. A curve is complete
 * at the first of these facts: CurveCompleted, a trade that leaves no token, or the migration. Every rule
 * that has not exited then exits at the last price with `graduated`, and the outcome is derived at the end
 * of that slot. If the curve is not complete in time, the outcome is derived at the first slot later than
 * at + 20 min. `completedAtMs` is the block time of completion. If it is null, `ret20m` is the return at
 * the last price and `gradRet` is null. If it is not null, `gradRet` is the return at the last price and
 * `ret20m` is null.
 *
 * The exit rules follow below, by their plain names (answers show a keyed hash), in this order. All rules
 * have the stop: price <= 0.85 x signal price. At one trade, three kinds of exits are checked in this
 * order:
 * - Exits by time that expired before the trade. Their price is the last price before it, or the signal
 *   price.
 * - The stop.
 * - The rule's own exit at the trade's price.
 *
 * A time limit equal to a trade's block time has not expired before that trade. A time limit equal to at +
 * 20 min has expired at the end. `sec` is whole seconds (rounded down) from the signal to the exit. For
 * exits by time, the end is the time limit. `sec` is null for `held`. Net SOL and the highest price include
 * a trade before the rule is checked. A rule that has exited does not enter again.
 *
 *   live             net SOL since the signal 5 or more below its high-water mark: `burst_fade`
 *   hold             only the stop: `held`
 *   fade-2           net SOL since the signal 2 or more below its high-water mark: `burst_fade`
 *   stall            60 s without a price high: `burst_stall`
 *   take-profit-50   price >= 1.5 x signal price: `take_profit`
 *   take-profit-100  price >= 2 x signal price: `take_profit`
 *   trail-20         price <= 0.8 x highest price so far, the signal price included: `trail`
 *   time-5m          5 min after the signal: `time`
 *   time-10m         10 min after the signal: `time`
 *
 * Graduations. There is one graduation per mint, at the end of the slot in which its curve is complete.
 * `path` has the fill at each whole minute before the graduation for which the curve is known, at most 60
 * of them. The oldest is first (`beforeSec` 3600, 3540, … 60), and the last is at the graduation (0, 1). A
 * fill is the fill after the last trade at or before that time. Before the first trade after a launch it is
 * 0. `burst` is the newest burst of the mint with `atMs` before the graduation.
 *
 * The anchor is the migration (CurveMigrated). Its time is that of the migration. Its price is the price
 * with which the pool opened, `poolQuoteRaw / poolTokenRaw`. `ret1`, `ret5` and `ret15` are price / anchor
 * price - 1. The price is that after the last trade of the pool at or before anchor + 1, 5 and 15 min, or
 * the anchor price if there was no trade. The return is published at the first slot later than that. The
 * trades of the pool are the trades after the migration in the log. The rest of a buy that completed the
 * curve is no trade of the pool. Without a migration there is no GraduationPost.
 *
 * Copies. The numbers are those of `copy-rules.ts`. A buy is a CurveTraded, or a PoolTraded after the
 * migration, with `quoteRaw` >= 0.2 SOL. The rest of a buy that completed the curve is not a buy. A buy is
 * followed (CopyOpened, at the buy) if its mint is against SOL and was not opened in mayhem mode. The buy
 * must also be less than 5 min after its curve was complete. Otherwise its hour would not be over when the
 * mint is closed. A buy is followed by all later trades in the log, including those of its own slot, and by
 * the migration.
 *
 * The price is the quotient of the reserves. After a trade on the curve these are the virtual reserves of
 * the curve. After a trade in the pool these are the reserves of the pool. Before that, they are the
 * reserves with which the pool opened. From completion to migration the price does not change. CopyClosed
 * is published at the first slot later than at + 60 min, and covers events up to at + 60 min. If a mint is
 * found again, its open copies are never closed.
 *
 * `fillAt` is `curveFill` after the buy, and 1 in the pool. `isHit`: a price >= 1.35 * px came before any
 * price <= 0.8 * px. `path` has, for each mark, the price after the last trade at or before at + mark, / px
 * - 1. `pathSec` lists the marks.
 *
 * Sale of the leader. It is the first sale after the buy by the same wallet, of any size, on the curve or
 * in the pool. It may be in the same transaction. One sale is the first sale of every earlier buy that has
 * no sale yet. `share` is tokens sold / tokens held, at most 1. A wallet holds the tokens of its followed
 * buys, beginning with its first open buy. What it has sold after that is deducted, but the holding is
 * never less than zero. The wallet is forgotten when none of its buys is open any more. Smaller buys and
 * transfers are not counted. So a wallet that sells more than its holding counts as selling all. `gain` is
 * (-quoteRaw - fees) / tokens of the sale, / ((quoteRaw + fees) / tokens of the buy), - 1. The fees are all
 * fees of the facts, `lpFeeRaw` too.
 *
 * Fill of the copy. The fill is at the end of slot + 1 (the number), on the reserves of that moment. If the
 * curve is complete by then and its pool is not open, the fill is at the end of the slot of the migration.
 * If the time stop comes before that, there is no copy. The stake of 0.25 SOL buys `tokensForCost` tokens
 * on a curve, which cost the stake. If fewer tokens are left, it buys all of them for `costOfTokens`. In a
 * pool the stake buys `tokensInPool` for `costInPool`. Fees are added, each kind by itself, with `feeOf`
 * rounded up, at the rates of the leader's buy. A rate is floor(fee * 10000 / quoteRaw) basis points.
 * `fillSlip` is (cost with fees / tokens) of the copy / the same quotient of the leader's buy - 1.
 * `quoteDrift` is the price before the fill / px - 1. Small buys have these two fields as well.
 *
 * Exit of the copy, for buys >= 1 SOL. Trades in slots after that of the fill count, and the migration.
 * Entry is the price before the fill. High is the highest price since the fill, entry included. At one
 * trade the exits are checked in this order: time (at + 30 min is before the trade's block time), stop
 * (price <= 0.8 * entry), trail (high >= 1.35 * entry and price <= 0.8 * high), take-profit (price >= 2 *
 * entry). The sale is of all tokens, by `proceedsOfTokens` or `proceedsInPool`. It uses the reserves after
 * that trade, as if the copy had not bought. An exit by time uses the reserves before the trade. If the
 * pool of a complete curve is not open yet, the last reserves of the curve are used.
 *
 * Fees are deducted at the rates of the leader's buy. If that buy was on the curve and the sale is in the
 * pool, the rates are those of the newest buy >= 0.2 SOL in the pool, if there was one. The trade of the
 * exit is included. `ret` is the proceeds after fees / the cost with fees, - 1. `exitSec` is whole seconds,
 * rounded down, from the buy to the exit; 1800 at the time stop.
 *
 * An answer identifies a buy by the first 16 hex digits of sha1 over `b:mint:signature:logIndex`, with mint
 * and signature in base58.
 */
