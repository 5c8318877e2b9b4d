/** The limits of what ingest and the stages keep for calls. No rule changes these limits. A rule that looks back further is refused. */
import { type DurationMs, hourMs, minuteMs } from '../units.ts'

/** The time for which the past prices of each market are kept. */
export const priceMemoryMs: DurationMs = 75 * minuteMs

/** Markets of a called token are followed for the longest watch. `afterWatchMs` is added because some posts become known late. */
export const watchMsMax: DurationMs = 48 * hourMs
export const afterWatchMs: DurationMs = 15 * minuteMs

/** A call keeps a market only if the call becomes known this long before the market would be forgotten. */
export const followLeadMs: DurationMs = 30 * minuteMs

/** The maximum number of tokens of a chain whose markets are kept because of calls, at one time. */
export const followedTokensMax = 1_000
