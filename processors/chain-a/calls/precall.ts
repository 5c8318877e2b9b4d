/**
 * Builds the record `Precall`. It describes a token in the time before the first post that recommends it: the
 * purchases, the change of the price, and the age of the token.
 */

import assert from 'node:assert/strict'
import type { Precall, PrecallBuyers, PrecallFlag } from '../../../schemas/calls/derived.ts'
import { type CallRules, lateMsMaxOf } from '../../../schemas/calls/rules.ts'
import type { Address, EpochMs } from '../../../schemas/units.ts'
import type { Called } from '../../calls/dependencies.ts'
import { deepestAt, firstPriceAfter, holds, type Markets } from '../../markets/markets.ts'
import { valueAt } from '../../markets/points.ts'
import { type Buy, mostInOneBlock } from './buys.ts'

/**
 * Returns whether all prices and buys before the post are still in memory. The time at which ingest saw the
 * post does not decide this, because the post may have waited in the log of posts since then.
 */
export const isInTime = (
  { mention: { postedAtMs }, processedUntilMs, markets }: Pick<Called, 'mention' | 'processedUntilMs' | 'markets'>,
  rules: CallRules,
): boolean => holds(markets, postedAtMs - rules.runMs) && processedUntilMs - postedAtMs <= lateMsMaxOf(rules)

type BeforePost = Readonly<{ postedAtMs: EpochMs; buys: readonly Buy[] }>

/**
 * Builds the record of the time before a post, from the recorded trades of the token. Returns null if no pool
 * or curve of the token had a price at the time of the post.
 */
export function trackedPrecall(markets: Markets, { postedAtMs, buys }: BeforePost, rules: CallRules): Precall | null {
  const line = deepestAt(markets, postedAtMs)
  if (line === null) return null
  const fromMs = runFromMs(markets, postedAtMs, rules)
  const run60 = fromMs === null ? null : pxAt(markets, postedAtMs) / pxAt(markets, fromMs)
  const ageAtCallMs = markets.bornAtMs === null ? null : postedAtMs - markets.bornAtMs
  return {
    postedAtMs,
    isTracked: true,
    market: line.market,
    buys: buys.length,
    buyWei: buys.reduce((total, { ethWei }) => total + ethWei, 0n),
    sameBlockMaxTx: mostInOneBlock(buys, ({ txHash }) => txHash),
    run60,
    ageAtCallMs,
    chg1h0: null,
    flags: flagsOf({ run60, ageAtCallMs }, rules),
  }
}

/**
 * Builds the record of the time before a post, for a token whose price comes from an outside provider.
 * `change1h` is the change of the price in one hour: 0.5 means a rise by 50 %. It is null if the provider
 * gave no change or answered too late.
 */
export function untrackedPrecall(postedAtMs: EpochMs, change1h: number | null, rules: CallRules): Precall {
  const run60 = change1h === null ? null : 1 + change1h
  return {
    ...{ postedAtMs, isTracked: false, market: null, buys: 0, buyWei: 0n, sameBlockMaxTx: 0 },
    ...{ run60, ageAtCallMs: null, chg1h0: change1h === null ? null : change1h * 100 },
    flags: flagsOf({ run60, ageAtCallMs: null }, rules),
  }
}

/**
 * Returns the start of the hour before the post, or the time of the first price in this hour if there was no
 * price at its start. Returns null if the only price comes from a pool that got liquidity again in the same
 * second as the post. Prices are stored at the ends of seconds, so that price is later than the post.
 */
function runFromMs(markets: Markets, postedAtMs: EpochMs, { runMs }: CallRules): EpochMs | null {
  const fromMs = postedAtMs - runMs
  if (deepestAt(markets, fromMs) !== null) return fromMs
  return firstPriceAfter(markets, { afterMs: fromMs, untilMs: postedAtMs, fits: () => true })
}

function pxAt(markets: Markets, atMs: EpochMs): number {
  const line = deepestAt(markets, atMs)
  assert(line !== null)
  return valueAt(line.prices, atMs) as number
}

const flagsOf = (
  { run60, ageAtCallMs }: Pick<Precall, 'run60' | 'ageAtCallMs'>,
  { runRatioMin, youngMs }: CallRules,
): PrecallFlag[] => [
  ...(run60 !== null && run60 >= runRatioMin ? (['run'] as const) : []),
  ...(ageAtCallMs !== null && ageAtCallMs < youngMs ? (['young'] as const) : []),
]

/**
 * Builds the record of the wallets that bought before the post. `walletOf` returns the wallet of a purchase.
 * `walletOf` is null if the lookup of the senders failed.
 */
export function precallBuyersOf(
  { postedAtMs, flags, buys }: BeforePost & Pick<Precall, 'flags'>,
  walletOf: ((buy: Buy) => Address | null) | null,
  { walletListMax, clusterWallets }: CallRules,
): PrecallBuyers {
  if (walletOf === null) return { postedAtMs, wallets: null, sameBlockWallets: null, walletList: [], flags }
  const wallets = [...new Set(buys.map(walletOf).filter((wallet) => wallet !== null))]
  const sameBlockWallets = mostInOneBlock(buys, walletOf)
  return {
    postedAtMs,
    wallets: wallets.length,
    sameBlockWallets,
    walletList: wallets.slice(0, walletListMax),
    flags: sameBlockWallets >= clusterWallets ? [...flags, 'cluster'] : flags,
  }
}
