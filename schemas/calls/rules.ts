/**
 * The numbers of the rules about calls. The programs and the API answers use them. An independent
 * implementation in the tests uses them too.
 */

import { z } from 'zod'
import { defaultsOf, duration, part, real, refuseBy, type ValuesOf, whole, wholeWithin } from '../rule-values.ts'
import { type DurationMs, hourMs, minuteMs } from '../units.ts'
import { gradesSchema } from './grades.ts'
import { priceMemoryMs, watchMsMax } from './retention.ts'

/**
 * The limits of `scoreMs`. The minimum is the 60 minutes of `ret60`, the last return of a score. The maximum
 * leaves time for posts that become known late, because past prices are kept only for `priceMemoryMs`.
 */
const lastReturnMs = 60 * minuteMs
const scoreMsMax = priceMemoryMs - 2 * minuteMs

/** The returns that decide whether a call counts as a hit, a win, a doubling or a rug of its caller. */
const hits = part({
  hitRet: real(0.15, [0, 1000], 'a call whose highest move is at least this is a hit: hit15'),
  winRet: real(0.35, [0, 1000], 'a call that is at this'),
  lossRet: real(-0.2, [-1, 0], 'before it is at this is a win: win35'),
  doubleRet: real(1, [0, 1000], 'a call whose highest move is at least this counts in x2'),
  rugRet: real(-0.8, [-1, 0], 'a call whose lowest move is at most this counts in rug'),
})

const rules = part({
  watchMs: duration(
    watchMsMax,
    [hourMs, watchMsMax],
    'a call is watched this long from its first post; the next post begins another',
  ),
  sampleEveryMs: duration(10 * minuteMs, [minuteMs, hourMs], 'samples stand at whole multiples of this after the call'),
  deadAfterMs: duration(3 * hourMs, [minuteMs, watchMsMax], 'after failed reads for so long the token is dead'),
  deadSampleEveryMs: duration(
    hourMs,
    [minuteMs, 24 * hourMs],
    'a dead token is read at whole multiples of this: it may live again',
  ),
  rugLeftRatioMax: real(
    0.2,
    [0, 1],
    'a market was pulled if at most this share of the coin side at the anchor is left',
  ),
  askedAnchorMs: duration(
    15_000,
    [0, hourMs],
    'an asked price is that at a call if the answer came within this of the post',
  ),
  askedMarkMs: duration(minuteMs, [0, hourMs], 'an asked price counts for an instant of a score within this of it'),
  askedSampleMs: duration(5 * minuteMs, [0, hourMs], 'an asked price is still that of its sample within this of it'),
  askedMarksMin: z
    .array(wholeWithin([1, 60], 'minutes after the anchor'))
    .max(60)
    .describe('when prices are asked for after the anchor of a post that no followed market prices')
    .default([1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]),
  askedScoresMax: whole(20, [0, 1000], 'so many posts about a token are scored on asked prices at one time'),
  scoreMs: duration(lastReturnMs, [lastReturnMs, scoreMsMax], 'a caller is scored on this long after the anchor'),
  anchorDelayMs: duration(
    3_000,
    [0, minuteMs],
    'the price at a call is that in force so long after the post: a reader buys no sooner',
  ),
  anchorLimitMs: duration(2 * minuteMs, [0, 10 * minuteMs], 'or the first one after it, within this of the post'),
  precallMs: duration(10 * minuteMs, [minuteMs, hourMs], 'buys of so long before the post count'),
  runMs: duration(hourMs, [minuteMs, hourMs], 'the run of the price is measured from so long before the post'),
  runRatioMin: real(3, [0, 1000], 'a price that has risen this many times is a run'),
  youngMs: duration(30 * minuteMs, [0, 24 * hourMs], 'a token that is younger at its call is young'),
  clusterWallets: whole(5, [1, 1000], 'so many wallets that bought in one block are a cluster'),
  walletListMax: whole(40, [0, 1000], 'most wallets that are listed'),
  sendersAskedMax: whole(500, [0, 10_000], 'of so many transactions of swaps, the newest, the senders are asked for'),
  buyersAfterMs: duration(5_000, [0, hourMs], 'wallets are shown no earlier than this after the post'),
  hits,
  grades: gradesSchema,
})

/** Refuses a duration that is not a multiple of the sampling interval of prices. */
const refuseOdd = (name: string, ms: DurationMs, sampleEveryMs: DurationMs): string | null =>
  ms % sampleEveryMs === 0 ? null : `${name} must be a multiple of sampleEveryMs, ${sampleEveryMs} ms`

/** The minutes of `ret1`, `ret5`, `ret15` and `ret60`. The rule `askedMarksMin` must contain them. */
export const returnMinutes = [1, 5, 15, 60] as const

export const callRulesSchema = rules.superRefine(
  refuseBy<ValuesOf<typeof rules>>([
    {
      at: ['sampleEveryMs'],
      refuses: ({ sampleEveryMs }) =>
        hourMs % sampleEveryMs === 0
          ? null
          : 'sampleEveryMs must divide an hour, 3600000 ms. Answers have returns at whole hours',
    },
    ...(['watchMs', 'deadAfterMs', 'deadSampleEveryMs'] as const).map((name) => ({
      at: [name],
      refuses: (values: ValuesOf<typeof rules>) => refuseOdd(name, values[name], values.sampleEveryMs),
    })),
    {
      at: ['sampleEveryMs'],
      refuses: ({ sampleEveryMs, anchorLimitMs }) =>
        anchorLimitMs < sampleEveryMs
          ? null
          : `sampleEveryMs must be above anchorLimitMs, ${anchorLimitMs} ms. The first sample must come after the anchor`,
    },
    {
      at: ['anchorLimitMs'],
      refuses: ({ anchorLimitMs, anchorDelayMs }) =>
        anchorDelayMs <= anchorLimitMs ? null : `anchorLimitMs must be at least anchorDelayMs, ${anchorDelayMs} ms`,
    },
    {
      at: ['scoreMs'],
      refuses: ({ scoreMs, anchorLimitMs }) =>
        scoreMs + anchorLimitMs < priceMemoryMs
          ? null
          : `scoreMs + anchorLimitMs must be below ${priceMemoryMs} ms, the time for which prices are kept`,
    },
    {
      at: ['askedMarksMin'],
      refuses: ({ askedMarksMin }) =>
        returnMinutes.every((minute) => askedMarksMin.includes(minute)) && isRising(askedMarksMin)
          ? null
          : `the marks must be in rising order, and must contain the minutes of the returns: ${returnMinutes.join(', ')}`,
    },
  ]),
)

const isRising = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? value))

export type CallRules = ValuesOf<typeof callRulesSchema>
export const callRules = defaultsOf(callRulesSchema)

/**
 * Returns the maximum time from a scored post until the post becomes known. After a longer delay, the kept
 * prices do not cover the whole time of the score.
 */
export const lateMsMaxOf = ({ scoreMs }: Pick<CallRules, 'scoreMs'>): DurationMs => priceMemoryMs - scoreMs

/**
 * How many different tokens a chat and a poster may name in one hour, by the clock of the platform. `tracked`
 * is for tokens that a stage tracks. `untracked` is for other tokens, for which a provider must give the
 * prices. The limit of a chat is higher, because a group has several posters. In a channel, the chat is the
 * only poster.
 */
export const namingLimits = {
  tracked: { ofChat: 300, ofPoster: 100 },
  untracked: { ofChat: 30, ofPoster: 10 },
} as const

/*
 * The exact rules of calls. Answers state the important rules in their `method`.
 *
 * Prices. A price is in coin per raw token unit. The price of a market is the price after the last trade that
 * counts. Before the first trade it is the initial price of the pool. A price is in force until the next
 * price. For each market, the last price of each whole second (s - 1 s, s] is kept for 75 minutes. A second
 * is named by its end, s. At each time, the price of the token is that of the market with the deepest coin
 * side. Among equally deep markets, the market with the first address is used. On chain A the coin side is
 * the ETH of a pool's positions at the pool's price, or the reserve of a curve. On chain B the market is the
 * curve, then the canonical pool of the curve. Both count only if they trade against SOL. A pool without
 * liquidity gives no price until it is refilled. A complete curve has its own pool as successor, from the end
 * of that second on. On chain A the successor is the pool created in the block in which the curve graduated.
 * If there is no such pool, the successor is the newest pool. A market that is closed without a successor has
 * no price any more.
 *
 * Pulls. A transaction that changes the liquidity of a pool changes the remaining share of the pool. The
 * share is multiplied by the coin side after the transaction / the coin side before the transaction. Both
 * coin sides are computed at the price before the first change of the transaction. Added liquidity raises the
 * share. A market can be pulled relative to an anchor. This happens at the first transaction that leaves at
 * most 20 % of the share at the anchor, or no liquidity at all. From the end of that second on the market is
 * worth 0 for this anchor. A later addition of liquidity, a new market or a refilled market does not change
 * this. A later anchor may be on the refilled pool or on another market. The liquidity of a curve cannot be
 * pulled, nor that of a canonical pool of chain B.
 *
 * Followed markets. A pool of chain A is forgotten 25 h 30 min after its creation. A mint of chain B is
 * forgotten 65 minutes after its curve was complete. A curve is forgotten some time after its last trade: on
 * chain B after 24 hours, on chain A after 7 days. A call keeps all markets of the token until 48 h 15 min
 * after the post of the call. For this the call must become known at least 30 minutes before the market would
 * be forgotten. Calls keep the markets of at most 1,000 tokens of a chain at one time. A call of a further
 * token keeps no market. If a call does not keep a market, it uses the market only until the market is
 * forgotten. After that, asked prices are used for scores and samples. No call keeps a complete curve that
 * has no successor.
 *
 * Mentions. There are two kinds of tokens: tokens of which ingest knows a pool or curve, and all other
 * tokens. A chat may name `ofChat` tokens of one kind in an hour, and a poster may name `ofPoster`. A further
 * token of this kind and its cards are left out of the log. If a post of the hour has already named a token,
 * other posts of the chat may name that token again. Sometimes only the form of an address suggests a token
 * of chain A. Then the node is asked whether the address has code. An address without code is no token. A
 * call of such an address is shown live, without a chain, until a later post names a token at that address.
 * The call has no price, no score and no outcome.
 *
 * Posts. A post counts as soon as block time is later than the post. A watch is the observation of a called
 * token. A `call` outside every watch of the token opens a new watch: [post, post + 48 h). Other kinds of
 * posts open no watch. The watch of an address without code ends at the first post of a token at that
 * address. Posts from before the first known post belong to the watch of that post. A watch waits 15 minutes
 * after its end for posts that become known late. For one token at most 1,000 posts wait for block time. At
 * most 10,000 callers are scored in a watch. A post that is in the log twice counts one time, if it is one of
 * the newest 1,000 posts of the watch.
 *
 * Score. A caller is a chat and a poster. For each caller, the first post of kind `call` that became known in
 * the watch is scored. The anchor is the price in force at post + 3 s. If there is no such price, the anchor
 * is the first price after that, until post + 120 s. If the first price is later, the post gets
 * `late_anchor`. If there is no price within an hour, the post gets `no_price`. The post also gets
 * `late_anchor` if the 75 minutes no longer contain post + 3 s. The post also gets `no_price` if the market
 * is closed without a successor by the end.
 *
 * The measured values of a score are the following.
 * - `retN`: the price in force N minutes after the anchor / the anchor - 1.
 * - `mfe` and `mae`: the highest and the lowest return. They cover the kept prices of the seconds in (anchor,
 *   anchor + 60 min] and the anchor itself.
 * - `isWin35`: a price of 1.35 x the anchor or more comes before the first price of 0.8 x the anchor or less.
 *
 * After a pull of the anchor's market the price is 0, in the second of the pull and in all later seconds.
 *
 * Score on asked prices. This score is used if no followed market has a price at the post. A price is asked
 * for at the post. If the answer came within 15 s of the post, its price is the anchor, at the time of the
 * answer. Further prices are asked for at the anchor + 1, 5, 10, 15 … 60 minutes. Such an answer counts if it
 * came within 60 s of the time for which it was asked. `ret1`, `ret5`, `ret15` and `ret60` use the answers of
 * their minutes. `mfe`, `mae` and `isWin35` use all answered prices. The post can remain without a score for
 * these reasons.
 * - `late_anchor`: the first answer came later.
 * - `no_price`: the source says at the post, or at one of the four minutes, that the token has no price.
 * - `unanswered`: one of these questions got no answer in time, or an answer in another unit than the anchor.
 *   `no_price` takes precedence over `unanswered`.
 * - `too_many`: 20 posts about the token are already scored on asked prices.
 *
 * If no answer gave an anchor, the first price of a followed market in (post, post + 120 s] is the anchor, as
 * above.
 *
 * Precall. A precall describes the time before the first post of a watch. It counts the buys in all pools and
 * on the curve of the token with post - 10 min < block time <= post. `sameBlockMaxTx` counts different
 * transactions of one block. `run60` is the price in force at the post / the price in force 60 min before the
 * post. If the token had no price then, the divisor is the first price of the token after that time. The age
 * counts from the oldest known market. The senders of the newest 500 transactions of swaps are asked for. The
 * buyer of a trade on a curve is the trader of that trade.
 *
 * The token counts as not tracked if there is no price in force at the post. It also counts as not tracked if the
 * stage processes the post late: after a block or tick that is more than 15 minutes later than the post. If there is no
 * price in force at the post, a provider is asked. The precall is then published with the answer. `chg1h0` comes from
 * this answer if the answer came within 15 s of the post. Otherwise `chg1h0` is null.
 *
 * Watch. There is one row for each watch. Its key contains `calledAtMs`, the time of the post that opened the
 * watch. All posts in the watch, of any kind, count in `recalls`. The first 200 chats and 400 posters are
 * listed. The anchor is the price in force at post + 3 s. If there is none, it is the price at the first
 * second up to post + 120 s that has a price. If no followed market has a price at the post, a price is asked
 * for at once. The answer becomes the anchor if it came within 15 s of the post and there is no anchor yet.
 * This anchor has the time of the answer.
 *
 * Without an anchor there are no samples. Sample k is at post + k x 10 min, k = 1 to 288. A sample is the
 * price in force on the anchor's market, or on the pool that succeeded this curve. If there is no such price,
 * or if the anchor was an asked price, a price is asked for at the time of the sample. A sample is a failed
 * read if the source says that there is no price. A price in USD is a failed read if the anchor is in coin,
 * and the reverse. A question counts as neither price nor failure if it got no answer, was `too old` to be
 * asked, or is not answered yet. Answers count whenever they come, up to 15 minutes after the end.
 *
 * A token is `dead` after 18 failed reads in a row, not counting samples without an answer. From then on a
 * price is asked for only every hour. A price ends this state, and later returns are again computed from
 * prices. A return that is due while the token is dead is -1, even if the read at that time ends the state. A
 * return at one of the failed reads that led to the state is -1 too. These returns do not change later. While
 * the token is dead, `lastRet` is -1.
 *
 * `maxRet` is the highest return of a sample, and `maxAtMs` is the first time with this return.
 * `dipBeforeMax` is the lowest return of the samples up to that time. `stage` describes the market at the
 * post, or at the anchor if there was no price at the post. `triggered` is the first burst in (post, post +
 * 48 h]. A burst does not count if it is more than 75 minutes before the time when the post became known.
 *
 * When the anchor's market is pulled, the row shows this at once. From then on `lastRet` and every return
 * that is due are -1, and highs and lows no longer change. No more prices are asked for, and `dead` does not
 * change. A pull after the 48 hours does not change the call.
 *
 * Grades. A card that its bot did not post itself counts as a card of another bot, named `quoted` and the
 * name of the bot. For each bot (at most 32) only the newest card with a graded field counts. A card counts
 * for 48 hours, by the time of its post or last edit. Cards with equal times are ordered by chat, then by
 * post. For each field the largest value of these cards counts, but for `holders` the smallest. Shares are
 * limited to 0-1. A field that is on no card stays null. For each field, the matching rule of `gradeTable`
 * with the most points counts. The score is 100 less these points, at least 0. A row begins with the first
 * card and ends 48 hours after the newest card.
 */
