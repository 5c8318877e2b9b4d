/**
 * Reads a Pyth price from an account on Solana. The account is a `PriceUpdateV2`. Only Pyth's receiver
 * program writes such accounts.
 */

import type { CoinPrice } from '../../../schemas/tick.ts'
import { type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'

/** The id that Pyth gives to the price SOL/USD. The id is the same on every chain. */
export const solUsdFeedId = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'

const receiverProgram = 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ'
const discriminator = Buffer.from('22f123639d7ef4cd', 'hex')

/**
 * The verification level of a price with all signatures. A price with fewer signatures is refused, because it
 * is easier to forge. Its fields also have other offsets.
 */
const fullyVerified = 1
const at = {
  verification: 40,
  feedId: 41,
  price: 73,
  confidence: 81,
  exponent: 89,
  publishedSec: 93,
  end: 101,
} as const

/**
 * The maximum uncertainty of the price, as a share of the price. The account's field `confidence` gives the
 * uncertainty.
 */
const confidenceShareMax = 0.02
/**
 * The maximum age of a price, in milliseconds. Normally a new price is written to the account at least one
 * time a minute.
 */
const ageMsMax = hourMs
/** The maximum time by which a price may be ahead of the local clock, in milliseconds. */
const aheadMsMax = minuteMs

/** The account that holds a Pyth price. `owner` is the program that owns the account, in base58. */
export type PriceAccount = Readonly<{ owner: string; bytes: Buffer }>

/** A usable price, or the reason why the account gives none. For example, the price may be too old. */
export type PythReading = Readonly<{ price: CoinPrice } | { problem: string }>

export function readPyth({ owner, bytes: data }: PriceAccount, feedId: string, nowMs: EpochMs): PythReading {
  if (owner !== receiverProgram) return { problem: 'the account does not belong to the Pyth receiver program' }
  if (data.length < at.end || !data.subarray(0, discriminator.length).equals(discriminator))
    return { problem: 'the account is not a price update of Pyth' }
  if (data[at.verification] !== fullyVerified) return { problem: 'the price is not fully verified' }
  if (data.toString('hex', at.feedId, at.price) !== feedId) return { problem: 'the account is of another feed' }
  const amount = Number(data.readBigInt64LE(at.price))
  const confidence = Number(data.readBigUInt64LE(at.confidence))
  const exponent = data.readInt32LE(at.exponent)
  const usd = exponent < 0 ? amount / 10 ** -exponent : amount * 10 ** exponent
  const atMs = Number(data.readBigInt64LE(at.publishedSec)) * 1000
  if (!(usd > 0 && Number.isFinite(usd))) return { problem: 'the price is not above 0' }
  if (confidence > amount * confidenceShareMax) return { problem: 'the confidence interval of the price is too wide' }
  if (nowMs - atMs > ageMsMax) return { problem: `the price is too old: ${timeOf(atMs)}` }
  if (atMs - nowMs > aheadMsMax) return { problem: `the time of the price is in the future: ${timeOf(atMs)}` }
  return { price: { usd, atMs } }
}

/**
 * Formats a time for a message. The time comes from the account and may be any number, even an invalid date.
 */
const timeOf = (atMs: EpochMs): string =>
  Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : `second ${atMs / 1000}`
