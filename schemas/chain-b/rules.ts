/**
 * The rules of chain B in words. Answers show `chainBRule`. The processors implement these rules, and the tests have an independent
 * implementation. The sentences are made from the numbers of `numbers.ts`. A test compares the long comment below with these numbers.
 */
import { change, hours, minutes, seconds } from '../rule-words.ts'
import { type ChainBNumbers, chainBNumbers } from './numbers.ts'
import { lamportsPerSol } from './units.ts'

/** The version of the rules, which every tick contains. Raise it when the same facts give a different derived record. */
export const rulesVersion = 'b9'

/** Returns the rule of a burst and of its outcome in words, as answers show it. */
export function chainBRuleOf({ bursts, outcomes }: Pick<ChainBNumbers, 'bursts' | 'outcomes'>): string {
  const { inflowLamportsMin, windowMs, recentMs, ageMsMin, ageMsMax, fillBpsMin, fillBpsMax } = bursts
  const { lengthMs, costRatio, stopRatio, exits } = outcomes
  const [live] = exits
  return `Burst: net inflow >= ${sol(inflowLamportsMin)} SOL into one bonding curve within ${seconds(windowMs)} (buys minus sells, fees left out), token ${minutes(ageMsMin)} to ${hours(ageMsMax)} old, curve ${fillBpsMin / 100}-${fillBpsMax / 100}% full at the signal, still buying (a buy and positive net inflow in the last ${seconds(recentMs)}). One unscored burst per mint at a time. Judged at the end of each slot that holds a trade of the curve, over (at - ${seconds(windowMs)}, at]. Outcome: scored when the curve is complete, or ${minutes(lengthMs)} after the signal, from the prices of the curve in the slots after the signal slot; the price is proportional to the square of the curve’s virtual SOL, and the signal price is that at the end of the signal slot. Every return is price / signal price - 1 - ${costRatio}. gradRet is the return at completion, ret20m at the end of the ${minutes(lengthMs)}, both without a stop; peakRet is the best price, the signal price included; a stop at ${change(stopRatio)}% of the signal price, taken at the price of the trade that crossed it, holds for every exit rule, hold too. ruleRet is the live rule${live === undefined ? '' : liveWordsOf(live)}. A rule that never exits is scored at completion or at the last price. nonStandardCurve: reserves were outside those of a standard launch; prices are then quotients of the reserves.`
}

/** Returns in words when the first exit rule (`live`) exits, at a price or by time. */
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
 * Returns the rules of copies in words, for the `method` of answers about copy trading. The `method` of the list of leaders has its own
 * sentences.
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
 * Mints. A mint is tracked from its launch (CurveLaunched), or from the CurveFound of its curve. A CurveFound may lack the launch time. A
 * curve that is found again continues as if it had not been known. A mint is closed `graduatedLifeMs` after its curve was complete, or
 * `curveLifeMs` after its newest fact; a later CurveFound opens the mint again. Records about it that are due at its close or later are not
 * published. Only curves against SOL have bursts. Late facts, and facts about gaps, count in no rule. Missing trades change only the
 * reserves of the next trade: reserves are always those of the newest fact that has them.
 *
 * Gaps. Each GapFound publishes a TradeGap in the state `open`, from the newest trade of the curve that counts (its launch or CurveFound,
 * if none) to the block time of the trade after the gap. `volumeRaw` is |missingQuoteRaw|. The GapRepaired of the gap publishes the next
 * version. If the repair is whole, the version is `late`, with the late trades since the previous GapRepaired: from the first to the last
 * `lateAtMs`, their number, and the sum of their |quoteRaw|. If there were none, another gap has reported the late trades, so the number
 * and the sum are 0. If the repair is not whole, the version is `given_up`, with the other fields unchanged. A GapRepaired without a trade
 * after its gap has no GapFound, and publishes the only version: `late` in the same way, or `given_up` from the newest trade (or the start
 * of the newest open gap) to its own slot, with neither number nor sum. A CurveMigrated that is not late publishes a gap too: `open`, with
 * neither number nor sum, from the newest trade that counts to the migration, at the place of the migration. This does not happen if a
 * trade (late or not) or the CurveFound left no token for sale, or if the curve is in mayhem mode. If the trade that leaves no token comes
 * late after that, the next version is `late` with 0 and 0. `volumeRaw` is null on curves that are not against SOL.
 *
 * Windows. A trade is in the window of `at` if `at - 60 s < its block time <= at`; the last 15 s likewise. Slots with a later
 * number do not count, even in the same second. Only CurveTraded counts. Ages are inclusive: exactly 5 min and 4 h fire; a mint
 * whose launch time is not known never fires. Fill limits are inclusive and compared exactly, in tokens: 0.25 x 793.1e12 <= sold
 * <= 0.55 x 793.1e12 with sold = 793.1e12 - realTokenRaw. A burst is unscored until its outcome is derived. The slot that
 * completes the curve scores the burst and fires none.
 *
 * Burst fields. `inflowLamports` is the net inflow of the 60 s window. `fillAt` is `curveFill` after the last trade of the signal slot;
 * `fillFrom` is `curveFill` before the first trade of the window. `virtualSol` is the virtual reserve after that last trade.
 *
 * Anatomy. It describes the window's buys. `sameSlotMax` is the largest number of buys in one slot. `bundledShare` is lamports of buys
 * in slots with at least two buys of the window / lamports of all buys. `sameSizeMax` compares lamports. `top3Share` is the lamports of
 * the three largest buys / the lamports of all buys. The holders are those of the node's 20 largest accounts, summed by owner; the
 * curve, its pool (if it has migrated by signal + 5 s), burn addresses (all zeros, and the incinerator) and the agent of mayhem mode
 * are left out; a share is of the supply. The shares are null if the lookup failed, for a minute after the signal, or if the supply is
 * not known. The anatomy is published once the answer has come and block time is later than signal + 5 s. Only the first answer counts.
 *
 * Safety. A provider of rug checks is asked at each burst (`atMs` is the signal), at the call that opens a watch (the post; a `Call` with
 * `isFirst`), and when the pool of the mint opens (the migration, at its GraduationPost). At most one question is open for each of these
 * reasons. A newer question replaces it. After 25 h a question is dropped. The first answer to a question is published. `checkedAtMs` is
 * the time of the answer. `fails` are the names of the report’s risks of level `danger`, in the report’s order, each once. A failed lookup
 * publishes nothing. An answer without content (no number, no finding and no authority) publishes nothing either.
 *
 * Prices. A price is the square of virtual SOL, or quote / token of the virtual reserves while the curve is not standard
 * (`isStandardCurve`); a burst that sees one trade of a non-standard state from its signal slot on uses quotients throughout and
 * has `isNonStandardCurve`. Limits on prices are products with the signal price or the high: `px <= 0.85 * p0`, `px >= 1.5 *
 * p0`, `px <= 0.8 * high`. A return is `px / p0 - 1 - 0.025`, evaluated from the left. Doubles are guaranteed to a relative
 * 1e-9; counts, sums in lamports and choices are exact.
 *
 * Outcome. Trades in slots after the signal slot with block time <= at + 20 min count. When the curve is complete
 * (CurveCompleted, or a trade that leaves no token, or the migration, whichever comes first), every rule that has not exited
 * does so at the last price with `graduated`, and the outcome is derived at the end of that slot; else at the first slot later
 * than at + 20 min. `completedAtMs` is the block time of completion. If it is null `ret20m` is the return at the last price and
 * `gradRet` is null; else the other way round.
 *
 * The exit rules, by their plain names (answers show a keyed hash), in this order. All have the stop: price <= 0.85 x signal
 * price. At one trade the order is: exits by time that expired before it (at the last price before it, or the signal price),
 * then the stop, then the rule's own exit at the trade's price. A limit equal to a trade's block time has not expired before
 * that trade; a limit equal to at + 20 min has expired at the end. `sec` is whole seconds (rounded down) from the signal to the
 * exit (for exits by time: to the instant), null for `held`. Net SOL and the highest price include a trade before the rule is
 * checked. A rule that has exited does not enter again.
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
 * Graduations. One per mint, at the end of the slot in which its curve is complete. `path` has the fill at each whole minute before the
 * graduation for which the curve is known, at most 60 of them, oldest first (`beforeSec` 3600, 3540, … 60), and at the graduation (0,
 * 1): the fill after the last trade at or before that instant, 0 before the first trade after a launch. `burst` is the newest burst of
 * the mint with `atMs` before the graduation. The anchor is the migration (CurveMigrated): its time, and the price its pool opened
 * with, `poolQuoteRaw / poolTokenRaw`. `ret1`, `ret5` and `ret15` are price / anchor price - 1 with the price after the last trade of
 * the pool at or before anchor + 1, 5 and 15 min, the anchor price if there was none; published at the first slot later than that. The
 * trades of the pool are the trades after the migration in the log. The rest of a buy that completed the curve is no trade of the pool.
 * Without a migration there is no GraduationPost.
 *
 * Copies. The numbers are those of `copy-rules.ts`. A buy is a CurveTraded, or a PoolTraded after the migration (the rest of a buy that
 * completed the curve is none), with `quoteRaw` >= 0.2 SOL. It is followed (CopyOpened, at the buy) if its mint is against SOL, was not
 * opened in mayhem mode, and if the buy is less than 5 min after its curve was complete, because its hour would not be over at the
 * mint’s close. A buy is followed by all later trades in the log, including those of its own slot, and by the migration. The price is
 * the quotient of the reserves: the virtual reserves of the curve after a trade, the reserves of the pool after a trade, or the
 * reserves with which the pool opened; from completion to migration it does not change. CopyClosed is published at the first slot later
 * than at + 60 min, and covers events up to at + 60 min. If a mint is found again, its open copies are never closed.
 *
 * `fillAt` is `curveFill` after the buy, 1 in the pool. `isHit`: a price >= 1.35 * px came before any price <= 0.8 * px.
 * `path` has, for each mark, the price after the last trade at or before at + mark, / px - 1. `pathSec` lists the marks.
 *
 * Sale of the leader. It is the first sale after the buy by the same wallet, of any size, on the curve or in the pool, also in the same
 * transaction. One sale is the first sale of every earlier buy that has no sale yet. `share` is tokens sold / tokens held, at most 1. A
 * wallet holds the tokens of its followed buys, beginning with its first open buy, less what it sold since, and never less than zero.
 * The wallet is forgotten when none of its buys is open any more. Smaller buys and transfers are not counted: a wallet that sells more
 * than its holding counts as selling all. `gain` is (-quoteRaw - fees) / tokens of the sale, / ((quoteRaw + fees) / tokens of the
 * buy), - 1, with all fees of the facts, `lpFeeRaw` too.
 *
 * Fill of the copy. It is at the end of slot + 1 (the number), on the reserves of that moment. If the curve is complete by then and its
 * pool is not open, the fill is at the end of the slot of the migration; if the time stop comes before that, there is no copy. The
 * stake of 0.25 SOL buys `tokensForCost` tokens on a curve, which cost the stake, or all that are left for `costOfTokens`; in a pool
 * `tokensInPool` for `costInPool`. Fees are added, each kind by itself, `feeOf` rounded up, at the rates of the leader’s buy:
 * floor(fee * 10000 / quoteRaw) basis points. `fillSlip` is (cost with fees / tokens) of the copy / the same quotient of the leader’s
 * buy - 1. `quoteDrift` is the price before the fill / px - 1. Small buys have these two fields as well.
 *
 * Exit of the copy, for buys >= 1 SOL. Trades in slots after that of the fill count, and the migration; entry is the price
 * before the fill, high the highest price since, entry included. At one trade the order is: time (at + 30 min is before the
 * trade’s block time; at the reserves before it), stop (price <= 0.8 * entry), trail (high >= 1.35 * entry and price <= 0.8 *
 * high), take-profit (price >= 2 * entry). The sale is of all tokens, by `proceedsOfTokens` or `proceedsInPool`, on the reserves
 * after that trade, as if the copy had not bought; on the last reserves of a complete curve if its pool is not open yet. Fees
 * are deducted at the rates of the leader’s buy. If that buy was on the curve and the sale is in the pool, the rates are those
 * of the newest buy >= 0.2 SOL in the pool, the trade of the exit included, if there was one. `ret` is the proceeds after fees /
 * the cost with fees, - 1. `exitSec` is whole seconds, rounded down, from the buy to the exit; 1800 at the time stop.
 *
 * An answer identifies a buy by the first 16 hex digits of sha1 over `b:mint:signature:logIndex`, mint and signature in base58.
 */
