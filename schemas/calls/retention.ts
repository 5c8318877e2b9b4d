/**
 * What ingest and the stages keep for calls, under any rules: facts beyond these limits are not in the log. Rules that look back
 * further are refused.
 */
import { type DurationMs, hourMs, minuteMs } from '../units.ts'

/** How long the prices of each market are kept. */
export const priceMemoryMs: DurationMs = 75 * minuteMs

/** Markets of a called token are followed for the longest watch, and `afterWatchMs` more for posts that become known late. */
export const watchMsMax: DurationMs = 48 * hourMs
export const afterWatchMs: DurationMs = 15 * minuteMs

/** A market is followed to the end of a watch if the call became known at least this long before the market would be forgotten. */
export const followLeadMs: DurationMs = 30 * minuteMs

/** Calls keep the markets of at most this many tokens of a chain at one time. */
export const followedTokensMax = 1_000
