/**
 * The numbers of the rules about calls, which programs, answers and the independent check of the tests share. Answers state
 * them in their `method`.
 */
export const callRules = {
  /** A call is watched for this long from its first post; the next post after it begins another call. */
  watchMs: 48 * 3_600_000,
  /** Samples stand at whole multiples of this after the call. */
  sampleEveryMs: 600_000,
  /** So long without a price, and the token is dead. */
  deadAfterMs: 3 * 3_600_000,
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
} as const

/** Returns that decide a caller’s rates. */
export const hitLimits = { hit15: 0.15, win35: 0.35, stop20: -0.2, x2: 1, rug: -0.8 } as const
