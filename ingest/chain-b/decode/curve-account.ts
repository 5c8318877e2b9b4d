/**
 * Decodes the account of a bonding curve, as getAccountInfo returns it. New versions of the account only
 * append fields.
 */
import { viewed } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { Address, QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import { discriminatorBytes } from './event-layouts.ts'
import { type Layout, PrefixReader } from './prefix-reader.ts'
import { quoteMintOf } from './programs.ts'

const layout = {
  ...{ virtual_token_reserves: 'u64', virtual_quote_reserves: 'u64', real_token_reserves: 'u64' },
  ...{ real_quote_reserves: 'u64', token_total_supply: 'u64', complete: 'bool', creator: 'pubkey' },
  ...{ is_mayhem_mode: 'bool', is_cashback_coin: 'bool', quote_mint: 'pubkey' },
} as const satisfies Layout

const reader = new PrefixReader(layout, discriminatorBytes)
const discriminator = Buffer.from('17b7f83760d8ac60', 'hex')

export type CurveAccount = Readonly<{
  virtualQuoteRaw: QuoteRaw
  virtualTokenRaw: TokenRaw
  realQuoteRaw: QuoteRaw
  realTokenRaw: TokenRaw
  supplyRaw: TokenRaw
  isComplete: boolean
  /**
   * The creator of the token. Null for accounts of the first version, which have no creator. Also null if the
   * account was enlarged and its new bytes are still zeros.
   */
  creator: Address | null
  quoteMint: Address | null
  isMayhem: boolean
}>

/**
 * Returns null if the bytes are not a curve. The oldest accounts end after `complete`. For them, `creator`
 * and `quoteMint` are null, and `isMayhem` is false. Bytes after the known fields are ignored.
 */
export function readCurveAccount(bytes: Buffer): CurveAccount | null {
  if (!bytes.subarray(0, discriminatorBytes).equals(discriminator)) return null
  reader.read(viewed(bytes))
  const { fields } = reader
  if (!reader.has(fields.complete)) return null
  const creator = reader.hex(fields.creator)
  return {
    virtualQuoteRaw: reader.amount(fields.virtual_quote_reserves),
    virtualTokenRaw: reader.amount(fields.virtual_token_reserves),
    realQuoteRaw: reader.amount(fields.real_quote_reserves),
    realTokenRaw: reader.amount(fields.real_token_reserves),
    supplyRaw: reader.amount(fields.token_total_supply),
    isComplete: reader.bool(fields.complete) === true,
    creator: creator === null || /^0x0*$/.test(creator) ? null : creator,
    quoteMint: quoteMintOf(reader.hex(fields.quote_mint)),
    isMayhem: reader.bool(fields.is_mayhem_mode) === true,
  }
}
