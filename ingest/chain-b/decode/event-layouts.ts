/**
 * The layouts of the events of the pump and PumpSwap programs, with the fields of all known versions. An
 * event begins with its discriminator: the first eight bytes of sha256("event:<Name>"). Events with the same
 * name in other programs have the same discriminator.
 */
import { type Layout, PrefixReader } from './prefix-reader.ts'

/**
 * The event of a trade on a curve. Fields 1-8 exist since 2024, the real reserves since 2024-08, the fees
 * since 2025-05, the volume since 2025-08. The other fields were added one by one since 2025-10.
 */
const trade = {
  ...{ mint: 'pubkey', sol_amount: 'u64', token_amount: 'u64', is_buy: 'bool', user: 'pubkey', timestamp: 'i64' },
  ...{ virtual_sol_reserves: 'u64', virtual_token_reserves: 'u64', real_sol_reserves: 'u64' },
  ...{ real_token_reserves: 'u64', fee_recipient: 'pubkey', fee_basis_points: 'u64', fee: 'u64', creator: 'pubkey' },
  ...{ creator_fee_basis_points: 'u64', creator_fee: 'u64', track_volume: 'bool', total_unclaimed_tokens: 'u64' },
  ...{ total_claimed_tokens: 'u64', current_sol_volume: 'u64', last_update_timestamp: 'i64', ix_name: 'text' },
  ...{ mayhem_mode: 'bool', cashback_fee_basis_points: 'u64', cashback: 'u64', buyback_fee_basis_points: 'u64' },
  ...{ buyback_fee: 'u64', shareholders: 'shares', quote_mint: 'pubkey', quote_amount: 'u64' },
  ...{ virtual_quote_reserves: 'u64', real_quote_reserves: 'u64', holder_rewards_bps: 'u64', holder_rewards: 'u64' },
  ...{ creator_fee_unclaimed: 'u64' },
} as const satisfies Layout

const create = {
  ...{ name: 'text', symbol: 'text', uri: 'text', mint: 'pubkey', bonding_curve: 'pubkey', user: 'pubkey' },
  ...{ creator: 'pubkey', timestamp: 'i64', virtual_token_reserves: 'u64', virtual_sol_reserves: 'u64' },
  ...{ real_token_reserves: 'u64', token_total_supply: 'u64', token_program: 'pubkey', is_mayhem_mode: 'bool' },
  ...{ is_cashback_enabled: 'bool', quote_mint: 'pubkey', virtual_quote_reserves: 'u64', creator_fee_bps: 'u64' },
  ...{ is_holder_reward: 'bool', depth: 'u8' },
} as const satisfies Layout

const complete = {
  ...{ user: 'pubkey', mint: 'pubkey', bonding_curve: 'pubkey', timestamp: 'i64', quote_mint: 'pubkey' },
} as const satisfies Layout

const migration = {
  ...{ user: 'pubkey', mint: 'pubkey', mint_amount: 'u64', sol_amount: 'u64', pool_migration_fee: 'u64' },
  ...{ bonding_curve: 'pubkey', timestamp: 'i64', pool: 'pubkey', quote_mint: 'pubkey' },
} as const satisfies Layout

const postCompleteBuy = {
  ...{ user: 'pubkey', mint: 'pubkey', bonding_curve: 'pubkey', quote_mint: 'pubkey', timestamp: 'i64' },
  ...{ base_out: 'u64', quote_in: 'u64', fee_basis_points: 'u64', fee: 'u64', creator_fee_basis_points: 'u64' },
  ...{ creator_fee: 'u64', buyback_fee: 'u64', pool_base_reserves_before: 'u64', pool_quote_reserves_before: 'u64' },
  ...{ pool_base_reserves_after: 'u64', pool_quote_reserves_after: 'u64' },
} as const satisfies Layout

const poolAccounts = {
  ...{ pool: 'pubkey', user: 'pubkey', user_base_token_account: 'pubkey', user_quote_token_account: 'pubkey' },
  ...{ protocol_fee_recipient: 'pubkey', protocol_fee_recipient_token_account: 'pubkey', coin_creator: 'pubkey' },
  ...{ coin_creator_fee_basis_points: 'u64', coin_creator_fee: 'u64' },
} as const satisfies Layout

const poolTail = {
  ...{ cashback_fee_basis_points: 'u64', cashback: 'u64', buyback_fee_basis_points: 'u64', buyback_fee: 'u64' },
  ...{ virtual_quote_reserves: 'i128', can_boost: 'bool', base_supply: 'u64', holder_rewards_bps: 'u64' },
  ...{ holder_rewards: 'u64', creator_fee_unclaimed: 'u64' },
} as const satisfies Layout

const poolReserves = {
  ...{ user_base_token_reserves: 'u64', user_quote_token_reserves: 'u64', pool_base_token_reserves: 'u64' },
  ...{ pool_quote_token_reserves: 'u64' },
} as const satisfies Layout

const poolFees = {
  ...{ lp_fee_basis_points: 'u64', lp_fee: 'u64', protocol_fee_basis_points: 'u64', protocol_fee: 'u64' },
} as const satisfies Layout

const poolBuy = {
  ...{ timestamp: 'i64', base_amount_out: 'u64', max_quote_amount_in: 'u64' },
  ...poolReserves,
  ...{ quote_amount_in: 'u64' },
  ...poolFees,
  ...{ quote_amount_in_with_lp_fee: 'u64', user_quote_amount_in: 'u64' },
  ...poolAccounts,
  ...{ track_volume: 'bool', total_unclaimed_tokens: 'u64', total_claimed_tokens: 'u64', current_sol_volume: 'u64' },
  ...{ last_update_timestamp: 'i64', min_base_amount_out: 'u64', ix_name: 'text' },
  ...poolTail,
} as const satisfies Layout

const poolSell = {
  ...{ timestamp: 'i64', base_amount_in: 'u64', min_quote_amount_out: 'u64' },
  ...poolReserves,
  ...{ quote_amount_out: 'u64' },
  ...poolFees,
  ...{ quote_amount_out_without_lp_fee: 'u64', user_quote_amount_out: 'u64' },
  ...poolAccounts,
  ...poolTail,
} as const satisfies Layout

const createPool = {
  ...{ timestamp: 'i64', index: 'u16', creator: 'pubkey', base_mint: 'pubkey', quote_mint: 'pubkey' },
  ...{ base_mint_decimals: 'u8', quote_mint_decimals: 'u8', base_amount_in: 'u64', quote_amount_in: 'u64' },
  ...{ pool_base_amount: 'u64', pool_quote_amount: 'u64', minimum_liquidity: 'u64', initial_liquidity: 'u64' },
  ...{ lp_token_amount_out: 'u64', pool_bump: 'u8', pool: 'pubkey', lp_mint: 'pubkey' },
  ...{ user_base_token_account: 'pubkey', user_quote_token_account: 'pubkey', coin_creator: 'pubkey' },
  ...{ is_mayhem_mode: 'bool', creator_fee_bps: 'u64', can_edit_creator_fee: 'bool', is_holder_reward: 'bool' },
} as const satisfies Layout

/** The number of bytes in the discriminator of an event. */
export const discriminatorBytes = 8

const readerOf = <L extends Layout>(layout: L) => new PrefixReader(layout, discriminatorBytes)

export const pumpEvents = {
  TradeEvent: readerOf(trade),
  CreateEvent: readerOf(create),
  CompleteEvent: readerOf(complete),
  CompletePumpAmmMigrationEvent: readerOf(migration),
  PostCompleteBuyEvent: readerOf(postCompleteBuy),
} as const

export const pumpSwapEvents = {
  BuyEvent: readerOf(poolBuy),
  SellEvent: readerOf(poolSell),
  CreatePoolEvent: readerOf(createPool),
} as const
