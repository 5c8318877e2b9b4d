/**
 * Decodes the account of a pool, as getAccountInfo returns it. New versions of the account only append
 * fields.
 */
import { viewed } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { Address, QuoteRaw } from '../../../schemas/units.ts'
import { discriminatorBytes } from './event-layouts.ts'
import { type Layout, PrefixReader } from './prefix-reader.ts'
import { quoteMintOf } from './programs.ts'

const layout = {
  ...{ pool_bump: 'u8', index: 'u16', creator: 'pubkey', base_mint: 'pubkey', quote_mint: 'pubkey' },
  ...{ lp_mint: 'pubkey', pool_base_token_account: 'pubkey', pool_quote_token_account: 'pubkey', lp_supply: 'u64' },
  ...{ coin_creator: 'pubkey', is_mayhem_mode: 'bool', is_cashback_coin: 'bool', virtual_quote_reserves: 'i128' },
} as const satisfies Layout

const reader = new PrefixReader(layout, discriminatorBytes)
const discriminator = Buffer.from('f19a6d0411b16dbc', 'hex')

export type PoolAccount = Readonly<{
  /** The mint of the token. */
  baseMint: Address
  /** Null for SOL. */
  quoteMint: Address | null
  baseAccount: Address
  quoteAccount: Address
  /**
   * An amount that the price formula adds to the quote reserves, although the pool does not hold this amount.
   * The amount may be negative.
   */
  virtualQuoteRaw: QuoteRaw
}>

/** Null if the bytes are not a pool. */
export function readPoolAccount(bytes: Buffer): PoolAccount | null {
  if (!bytes.subarray(0, discriminatorBytes).equals(discriminator)) return null
  reader.read(viewed(bytes))
  const { fields } = reader
  const [baseMint, quoteMint] = [reader.hex(fields.base_mint), reader.hex(fields.quote_mint)]
  const baseAccount = reader.hex(fields.pool_base_token_account)
  const quoteAccount = reader.hex(fields.pool_quote_token_account)
  if (baseMint === null || quoteMint === null || baseAccount === null || quoteAccount === null) return null
  const virtualQuoteRaw = reader.i128(fields.virtual_quote_reserves) ?? 0n
  return { baseMint, quoteMint: quoteMintOf(quoteMint), baseAccount, quoteAccount, virtualQuoteRaw }
}
