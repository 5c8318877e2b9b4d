/**
 * The limits of what ingest and the stages keep in memory for calls. Configured rules cannot change these
 * limits. A rule that looks back further than a limit is refused.
 */
import { type DurationMs, hourMs, minuteMs } from '../units.ts'

/** How long the past prices of each market are kept. */
export const priceMemoryMs: DurationMs = 75 * minuteMs

/**
 * How long the markets of a called token are followed, counted from the post. `watchMsMax` is the longest
 * observation of a token. `afterWatchMs` is added because some posts become known late.
 */
export const watchMsMax: DurationMs = 48 * hourMs
export const afterWatchMs: DurationMs = 15 * minuteMs

/**
 * How early a call must become known to keep a market, counted back from the time when the market would be
 * forgotten.
 */
export const followLeadMs: DurationMs = 30 * minuteMs

/** The maximum number of tokens of a chain whose markets are kept at the same time because of calls. */
export const followedTokensMax = 1_000
