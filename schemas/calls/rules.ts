/** The numbers of the rules about calls, for programs, answers and the tests’ independent implementation. */

import { z } from 'zod'
import { defaultsOf, duration, part, real, refuseBy, type ValuesOf, whole, wholeWithin } from '../rule-values.ts'
import { type DurationMs, hourMs, minuteMs } from '../units.ts'
import { gradesSchema } from './grades.ts'
import { priceMemoryMs, watchMsMax } from './retention.ts'

/**
 * The minimum of `scoreMs` is the 60 minutes of `ret60`, the last return of a score. The maximum leaves room in the price memory for posts
 * that become known late.
 */
const lastReturnMs = 60 * minuteMs
const scoreMsMax = priceMemoryMs - 2 * minuteMs

/** Returns that decide a caller’s rates. */
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

/** Refuses a duration that is not a multiple of the sampling interval. */
const refuseOdd = (name: string, ms: DurationMs, sampleEveryMs: DurationMs): string | null =>
  ms % sampleEveryMs === 0 ? null : `${name} must be a multiple of sampleEveryMs, ${sampleEveryMs} ms`

/** The minutes of `ret1`, `ret5`, `ret15` and `ret60`. `askedMarksMin` must contain them. */
export const returnMinutes = [1, 5, 15, 60] as const

export const callRulesSchema = rules.superRefine(
  refuseBy<ValuesOf<typeof rules>>([
    {
      at: ['sampleEveryMs'],
      refuses: ({ sampleEveryMs }) =>
        hourMs % sampleEveryMs === 0
          ? null
          : 'an hour must be a multiple of sampleEveryMs, because answers have returns at whole hours',
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
          : `the first sample must come after the anchor, so sampleEveryMs must be above anchorLimitMs, ${anchorLimitMs} ms`,
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
          : `scoreMs and anchorLimitMs together must be below the time for which prices are kept, ${priceMemoryMs} ms`,
    },
    {
      at: ['askedMarksMin'],
      refuses: ({ askedMarksMin }) =>
        returnMinutes.every((minute) => askedMarksMin.includes(minute)) && isRising(askedMarksMin)
          ? null
          : `the marks must rise, and must contain the minutes of the returns: ${returnMinutes.join(', ')}`,
    },
  ]),
)

const isRising = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? value))

export type CallRules = ValuesOf<typeof callRulesSchema>
export const callRules = defaultsOf(callRulesSchema)

/**
 * The maximum delay between a scored post and the instant at which the post becomes known. After a longer delay, the price memory does not
 * cover the whole score.
 */
export const lateMsMaxOf = ({ scoreMs }: Pick<CallRules, 'scoreMs'>): DurationMs => priceMemoryMs - scoreMs

/**
 * The maximum numbers of different tokens that a chat and a poster may name in one hour of the platform’s clock. `tracked`: tokens that a
 * stage tracks. `untracked`: other tokens, whose prices need a provider. The limit of a chat is higher, because a group has several
 * posters. In a channel, the chat is the only poster.
 */
export const namingLimits = {
  tracked: { ofChat: 300, ofPoster: 100 },
  untracked: { ofChat: 30, ofPoster: 10 },
} as const

/*
 * The exact rules of calls. Answers state the important ones in their `method`.
 *
 * Prices. A price is in coin per raw token unit. It is the price after the last trade that counts, or a pool’s initial price before the
 * first trade. A price is in force until the next price. For each market the last price of each whole second (s - 1 s, s] is kept for 75
 * minutes. The name of a second is its end, s. At each instant, the market with the deepest coin side gives the price of the token. Among
 * equals, this is the first by address. On chain A the coin side is the ETH of a pool’s positions at its price, or a curve’s reserve. On
 * chain B the market is the curve, then its canonical pool, both only against SOL. An emptied pool gives no price until it is refilled. The
 * successor of a complete curve is its own pool (on chain A the one created in the block in which the curve graduated, else the newest),
 * from the end of that second on. A market that is closed without a successor has no price any more.
 *
 * Pulls. Every transaction that changes the liquidity multiplies the remaining share of a pool by the coin side after / before the
 * transaction. Both coin sides are at the price before the transaction’s first change. Adds raise the share. Relative to an anchor, a
 * market is pulled at the first transaction that leaves at most 20 % of the share at the anchor, or no liquidity at all. From the end of
 * that second on the market is worth 0 for this anchor, even if liquidity is added, or a market is opened or refilled, later. A later
 * anchor may be on the refilled pool or on another market. The liquidity of a curve, or of a canonical pool of chain B, cannot be pulled.
 *
 * Followed markets. A pool of chain A is forgotten 25 h 30 min after its creation, and a mint of chain B 65 minutes after its curve was
 * complete. A curve is forgotten after its last trade: on chain B 24 hours later, on chain A 7 days later. A call that became known at
 * least 30 minutes before that time keeps all markets of the token until 48 h 15 min after its post. Calls keep the markets of at most
 * 1,000 tokens of a chain at one time; a call of a further token keeps none. If a call does not keep a market, it uses the market only
 * until the market is forgotten. After that it is scored and sampled on asked prices. No call keeps a complete curve that has no
 * successor.
 *
 * Mentions. A token and its cards are left out of the log if in the same hour the chat named `ofChat` other tokens of its kind, or the
 * poster named `ofPoster`. There are two kinds: tokens of which ingest knows a pool or curve, and all other tokens. Once a post of the hour
 * has named a token, other posts of the chat may name the token again. If only the form of an address suggests a token of chain A, the node
 * is asked whether the address has code. An address without code is no token. A call of such an address is shown live, without a chain,
 * until a later post names a token at that address. The call is not priced and not scored, and has no outcome.
 *
 * Posts. A post counts once block time has passed it. A `call` that no watch covers opens one: [post, post + 48 h). The watch of an
 * address without code ends at the first post of a token at that address. Other kinds open no watch. Posts from before the first known
 * post belong to its watch. A watch waits 15 minutes after its end for posts that become known late. For one token at most 1,000 posts
 * wait for block time, and at most 10,000 callers are scored in a watch. A post that is in the log twice counts once, if it is one of the
 * newest 1,000 posts of the watch.
 *
 * Score. For each caller (chat and poster) the first post of kind `call` that became known in the watch is scored. The anchor is the price
 * in force at post + 3 s, or else the first price after that, until post + 120 s. A later first price gives `late_anchor`, and no price
 * within an hour gives `no_price`. The post also gets `late_anchor` if the 75 minutes no longer contain post + 3 s, and `no_price` if the
 * market is closed without a successor by the end. `retN`: price in force N minutes after the anchor / anchor - 1. `mfe` and `mae`: the
 * highest and the lowest return, over the kept prices of the seconds in (anchor, anchor + 60 min] and the anchor itself. `isWin35`: a price
 * of 1.35 x the anchor or more comes before the first price of 0.8 x the anchor or less. After a pull of the anchor’s market the price is
 * 0, in the second of the pull and in all later ones.
 *
 * Score on asked prices, if no followed market has a price at the post. A price is asked for at the post. If the answer came within 15 s of
 * the post, its price is the anchor, at the time of the answer. Further prices are asked for at the anchor + 1, 5, 10, 15 … 60 minutes; an
 * answer counts if it came within 60 s of its instant. `ret1`, `ret5`, `ret15` and `ret60` use the answers of their minutes; `mfe`, `mae`
 * and `isWin35` use all answered prices. `late_anchor`: the first answer came later. `no_price`: the source says at the post, or at one of
 * the four minutes, that the token has no price. `unanswered`: one of these questions got no answer in time, or an answer in another unit
 * than the anchor. `no_price` takes precedence over `unanswered`. If no answer gave an anchor, the first price of a followed market in
 * (post, post + 120 s] is the anchor, as above. `too_many`: 20 posts about the token are already scored this way.
 *
 * Precall, for the first post of a watch. The buys in all pools and on the curve of the token count, with post - 10 min < block time <=
 * post. `sameBlockMaxTx` counts different transactions of one block. `run60` is the price in force at the post / the price in force 60 min
 * before it. If the token had no price then, the divisor is its first price after that time. The age counts from the oldest known market.
 * The senders of the newest 500 transactions of swaps are asked for; the buyer of a trade on a curve is its trader. The token is not
 * tracked if there is no price in force at the post, or if the post became known more than 15 minutes after it. If there is no price in
 * force at the post, a provider is asked, and the precall is published with its answer. `chg1h0` comes from this answer if the answer came
 * within 15 s of the post. Otherwise `chg1h0` is null.
 *
 * Watch. There is one row for each watch, keyed by `calledAtMs`, the post that opened it. All posts in it, of any kind, count in
 * `recalls`; the first 200 chats and 400 posters are listed. The anchor is the price in force at post + 3 s. If there is none, it is the
 * price at the first second up to post + 120 s that has a price. If no followed market has a price at the post, a price is asked for at
 * once: if the answer came within 15 s of the post and there is no anchor yet, it is the anchor, at the time of the answer. Without an
 * anchor there are no samples. Sample k is at post + k x 10 min, k = 1 to 288. It is the price in force on the anchor’s market, or on
 * the pool that succeeded this curve. If there is no such price, or if the anchor was an asked price, a price is asked for at the
 * instant of the sample. A sample is a failed read if the source says that there is no price, or gives one in USD when the anchor is in
 * coin, or the reverse. A question that got no answer, was `too old` to be asked, or is not answered yet counts as neither price nor
 * failure. Answers count whenever they come, up to 15 minutes after the end. `dead`: 18 failed reads in a row, where samples without an
 * answer do not count. From then on a price is asked for once an hour. A price ends this state, and later returns are again computed
 * from prices. A return that is due while the token is dead is -1, even if the read at that instant ends the state. A return at one of
 * the failed reads that led to the state is -1 too. These returns do not change later. While the token is dead `lastRet` is -1. `maxRet`
 * is the highest return of a sample, `maxAtMs` its first instant, `dipBeforeMax` the lowest return of the samples up to it. `stage`
 * describes the market at the post, or at the anchor if there was no price at the post. `triggered`: the first burst in (post,
 * post + 48 h], but not one of more than 75 minutes before the post became known. When the anchor’s market is pulled, the row shows this at once. From then on `lastRet` and every return that is due are
 * -1, highs and lows no longer change, no more prices are asked for, and `dead` does not change. A pull after the 48 hours does not
 * change the call.
 *
 * Grades. A card that its bot did not post itself counts as a card of another bot, `quoted` and its name. For each bot (at most 32) the
 * newest card with a graded field counts, by the time of its post or last edit, for 48 hours; equal times are ordered by chat, then
 * post. For each field the largest value of these cards counts; for `holders` it is the smallest. Shares are limited to 0-1, and a field
 * that is on no card stays null. For each field the matching rule of `gradeTable` with the most points counts; the score is 100 less
 * these points, at least 0. A row begins with the first card and ends 48 hours after the newest one.
 */
