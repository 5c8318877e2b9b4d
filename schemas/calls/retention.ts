/**
 * What ingest and the stages keep for calls, whatever the rules are. Facts beyond these limits are not in the log, so rules that look
 * back further are refused.
 */
import { type DurationMs, hourMs, minuteMs } from '../units.ts'

/** The time for which the past prices of each market are kept. */
export const priceMemoryMs: DurationMs = 75 * minuteMs

/**
 * Markets of a called token are followed for the longest watch, and then for another `afterWatchMs`, because some posts become
 * known late.
 */
export const watchMsMax: DurationMs = 48 * hourMs
export const afterWatchMs: DurationMs = 15 * minuteMs

/**
 * The minimum time from the instant at which a call becomes known to the instant at which a market would be forgotten without it. A call
 * that becomes known later does not keep the market.
 */
export const followLeadMs: DurationMs = 30 * minuteMs

/** The maximum number of tokens of a chain whose markets are kept by calls at the same time. */
export const followedTokensMax = 1_000
