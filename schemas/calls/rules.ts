/**
 * The numbers of the rules about calls, which programs, answers and the independent check of the tests share. Answers state
 * them in their `method`.
 */
export const callRules = {
  /** A call is watched for this long from its first post; the next post after it begins another call. */
  watchMs: 48 * 3_600_000,
  /** Samples stand at whole multiples of this after the call. */
  sampleEveryMs: 600_000,
  /** After failed reads for so long the token is dead. */
  deadAfterMs: 3 * 3_600_000,
  /** A dead token is read at whole multiples of this after the call: it may live again. */
  deadSampleEveryMs: 3_600_000,
  /** At most this share of the coin side at the anchor is left, and the market was pulled. */
  rugLeftMax: 0.2,
  /** A price that was asked for is the price at a call if the answer came within this of the post. */
  askedAnchorMs: 15_000,
  /** An asked price counts for an instant of a score if the answer came within this of it. */
  askedMarkMs: 60_000,
  /** Samples stand ten minutes apart: a price that came within this of its sample is still that of the sample. */
  askedSampleMs: 300_000,
  /** When prices are asked for after the anchor of a post that no followed market prices, in minutes. */
  askedMarksMin: [1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60],
  /** So many posts about a token are scored on asked prices at one time. */
  askedScoresMax: 20,
  /** A market is followed to the end of a watch if the call became known so long before the market would be forgotten. */
  followLeadMs: 1_800_000,
  /** Calls keep the markets of at most this many tokens of a chain at one time. */
  followedTokensMax: 1_000,
  /** A caller is scored on this long after the anchor. */
  scoreMs: 3_600_000,
  /** A reader of the post buys no sooner than this after it: the anchor is the price in force then. */
  anchorDelayMs: 3_000,
  /** Where there was no price then, the first one after it counts, if it comes within this of the post. */
  anchorLimitMs: 120_000,
  /** Prices are kept this long, so a post known later than the difference to `scoreMs` after it was posted has no past. */
  priceMemoryMs: 4_500_000,
  precallMs: 600_000,
  runMs: 3_600_000,
  runLimit: 3,
  youngMs: 1_800_000,
  clusterWallets: 5,
  walletListMax: 40,
  /** Of so many transactions of swaps, the newest, the senders are asked for. */
  sendersAskedMax: 500,
  /** Wallets are looked up after the post: shown no earlier than this after it. */
  buyersAfterMs: 5_000,
} as const

/**
 * How many different tokens posts may name in an hour of the platform’s clock: those that a stage tracks, and others, whose prices
 * are asked of a provider. A group has room for several posters; a channel is one.
 */
export const namingLimits = {
  tracked: { ofChat: 300, ofPoster: 100 },
  untracked: { ofChat: 30, ofPoster: 10 },
} as const

/** Returns that decide a caller’s rates. */
export const hitLimits = { hit15: 0.15, win35: 0.35, stop20: -0.2, x2: 1, rug: -0.8 } as const

/*
 * The rules of calls, exactly. Answers say what matters of them in their `method`.
 *
 * Prices. Coin per raw token unit, after the last trade that counts; before the first one a pool’s initial price. It is in
 * force until the next one. Of each market the last price of each whole second (s - 1 s, s] is kept, named by its end s, for
 * 75 minutes. The market that prices a token at an instant is the one with the deepest coin side then, the first by address
 * among equals: on chain A the ETH of a pool’s positions at its price, or a curve’s reserve; on chain B the curve, then its
 * canonical pool, both against SOL only. A pool that was emptied prices nothing until it is refilled. A complete curve goes on
 * in its own pool (on chain A that of the block in which it graduated, else the newest), from the end of that second on. A market that is closed with none in its place has no price any more.
 *
 * Pulls. Every transaction that changes the liquidity of a pool multiplies what is left of it by the coin side after / before,
 * both at the price before its first change; adds raise it. For whoever anchored on a market it was pulled at the first
 * transaction that leaves at most 20 % of what was left at the anchor, or no liquidity at all. From the end of that second on
 * the market is worth 0 for this anchor, whatever is added, opened or refilled later. A later anchor may be on the refilled
 * pool or on another market. Nobody can pull the liquidity of a curve, or of a canonical pool of chain B.
 *
 * Followed markets. A pool of chain A is forgotten 25 h 30 min after its creation, a mint of chain B 65 minutes after its curve
 * was complete, a curve of chain B 24 hours and one of chain A 7 days after its last trade. A call that became known at least 30 minutes before that keeps all
 * markets of the token until 48 h 15 min after its post. Calls keep the markets of at most 1,000 tokens of a chain at one time; a
 * call of a further token keeps none. Of a call that became known later, or keeps none, the market is trusted to live no longer
 * than it does by itself: beyond that the call is scored and sampled on asked prices.
 *
 * Mentions. A token is left out, with its cards, where the chat named `ofChat` others of its kind in the same hour, or its
 * poster `ofPoster`; tokens that ingest knows a pool or curve of are one kind, all others the other. What one post of the hour
 * named, other posts of the chat may name again. An address of chain A that nothing but its form speaks for is looked up at the
 * node: without code there it is no token. Such a call is shown live, without a chain, until a later post names a token there; it is
 * not priced, not scored, and no outcome.
 *
 * Posts. A post counts once block time has passed it. A `call` that no watch covers begins one: [post, post + 48 h). The watch of an
 * address without code ends at the first post of a token there. Other kinds begin none. Posts of before the first known one belong to its watch. A watch waits 15 minutes after its end for posts
 * that become known late. Of one token at most 1,000 posts wait for block time, and 10,000 callers are scored in a watch.
 *
 * Score. Of each caller (chat and poster) the first post of kind `call` that became known in the watch. The anchor is the
 * price in force at post + 3 s; where there was none, the first price after it, if it is no later than post + 120 s. Later:
 * `late_anchor`; none within an hour: `no_price`. `late_anchor` also if the 75 minutes no longer hold post + 3 s, and
 * `no_price` if the market is closed by the end with none in its place. `retN`: price in force N minutes after the anchor /
 * anchor - 1. `mfe`, `mae`: of the kept prices of the seconds in (anchor, anchor + 60 min] and of the anchor itself.
 * `isWin35`: a second at 1.35 x the anchor or above, before the first at 0.8 x the anchor or below. A pull of the anchor’s
 * market is a price of 0 in its second and in all that follow.
 *
 * Score on asked prices: where no followed market has a price at the post. A price is asked for at the post. If the answer
 * came within 15 s of the post, its price is the anchor, at the time of the answer. Further prices are asked for at the anchor +
 * 1, 5, 10, 15 … 60 minutes; an answer counts if it came within 60 s of its instant. `ret1`, `ret5`, `ret15`, `ret60` are those
 * of their minutes; `mfe`, `mae` and `isWin35` are of the prices that were told. `late_anchor`: the first answer came later.
 * `no_price`: whoever was asked at the post or at one of the four says that the token has none. `unanswered`: nobody answered
 * one of them in time, or in another unit than the anchor; `no_price` wins. Where no answer gave an anchor, a first price of a
 * followed market in (post, post + 120 s] is one, as above. `too_many`: 20 posts about the token are followed so already.
 *
 * Precall, of the first post of a watch. Buys are those of all pools and of the curve of the token, with
 * post - 10 min < block time <= post; `sameBlockMaxTx` counts different transactions of one block. `run60` is the price in
 * force at the post / that of 60 min before it; of a token that had none yet then, its first price after. The age counts from
 * the oldest market that is known. The senders of the newest 500 transactions of swaps are asked for; the buyer of a trade on
 * a curve is its trader. Not tracked: no price in force at the post, or the post became known more than 15 minutes after it;
 * only in the first case the price of a provider is asked for, and the precall comes with its answer: `chg1h0` if that
 * came within 15 s of the post, else null.
 *
 * Watch. One row for each watch: key, `calledAtMs` is the post that began it. All posts in it, of any kind, count in `recalls`;
 * the first 200 chats and 400 posters are listed. The anchor is the price in force at post + 3 s, else at the first second up
 * to post + 120 s that has one. Of a token that no followed market prices at the post a price is asked for at once: if the
 * answer came within 15 s of the post and there is no anchor yet, it is the anchor, at the time of the answer.
 * Without an anchor there are no samples. Sample k stands at post + k x 10 min, k = 1 to 288: the price in force, of the
 * anchor’s market or the pool that its curve went on in; where there is none, or the anchor was asked for, the price that is
 * asked for then. A sample is a failed read if whoever was asked says that there is no price, or tells one in USD where the
 * anchor is in coin, or the other way round. A question that nobody answered, that was `too old` to be asked, or that is not
 * answered yet says nothing: neither price nor failure. Answers count whenever they come, up to 15 minutes after the end.
 * `dead`: 18 failed reads without a price among them; what says nothing is passed over. From then on a price is asked for
 * once an hour, and a price ends it: returns that are reached later are those of prices again. A return that is reached while
 * the token is dead is -1, the one whose reading ends it too, and so is one at a failed read of those that made it so; both stand for good. While it is
 * dead `lastRet` is -1. `maxRet` is the highest return of a sample, `maxAtMs` its first instant, `dipBeforeMax` the lowest
 * return of the samples up to it. `stage` is that of the market at the post (at the anchor, if there was no price at the post).
 * `triggered`: the first burst in (post, post + 48 h]. Once the anchor’s market is pulled the row says so at once, `lastRet` is
 * -1 from then on, and so is every return that is reached later; highs and lows stay those of the samples before it, nothing is
 * asked any more, and `dead` does not change. A pull after the 48 hours says nothing of the call.
 *
 * Grades. A card that its bot did not post itself counts as that of another bot, `quoted` and its name. Of each bot (at most
 * 32) the newest card counts that tells anything graded, by the time of its post or last edit, for 48 hours; equal times are
 * ordered by chat, then post. Of each field the largest value of these cards counts, of `holders` the smallest; shares are
 * kept within 0-1, and what no card tells stays null. The hardest rule of `gradeTable` that fits counts for each field; the
 * score is 100 less their points, at least 0. A row begins with the first card and ends 48 hours after the newest one.
 */
