/** Converts addresses to text and caches the texts. The same mints and traders recur, and encoding base58 takes microseconds. */

import { toBase58 } from '../../../infra/base58.ts'
import { TextCache } from '../../../infra/codec/avro/text-cache.ts'
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { Address } from '../../../schemas/units.ts'

const keys = new TextCache((bytes, start, end) => toBase58(bytes.subarray(start, end)))
const addresses = new TextCache<Address>((bytes, start, end) => `0x${bytes.toString('hex', start, end)}` as const)

const addressBytes = 32

/** Returns the key under which the mint's facts are recorded. */
export const mintKeyAt = (source: ViewedBytes, start: number): string =>
  keys.textOf(source, start, start + addressBytes)

export const addressAt = (source: ViewedBytes, start: number): Address =>
  addresses.textOf(source, start, start + addressBytes)
