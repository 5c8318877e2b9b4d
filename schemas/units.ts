/**
 * A value with a flavor. A flavor is a unit or an identity that only the compiler sees. Literals and results
 * of arithmetic are assignable to every flavor. A value of one flavor is not assignable to another flavor.
 * For example, a duration is not a point in time. A flavor with two names accepts values of both names.
 */
type Flavored<Base, Name extends string> = Base & { readonly __unit?: Name }

/** A point in time, in milliseconds since 1970. */
export type EpochMs = Flavored<number, 'EpochMs'>
export type DurationMs = Flavored<number, 'DurationMs'>

/** The number of a block. On a chain with slots, the number of the slot. */
export type BlockNumber = Flavored<number, 'BlockNumber'>

/**
 * Raw bytes as text, in lower case in the log. The compiler has two limits here. A template literal needs `as
 * const` to be assignable to a flavor of `Hex`. A union such as `Address | null` accepts every flavor of
 * `Hex`.
 */
export type Hex = `0x${string}`

/** The address of a contract, wallet, token or mint. */
export type Address = Flavored<Hex, 'Address'>
/** A pool of chain A: the 32-byte id of a v4 pool, or the address of a v3 pool. */
export type PoolId = Flavored<Hex, 'PoolId'>
/** A pool or a curve, of any chain. */
export type MarketId = Flavored<Hex, 'PoolId' | 'Address'>
export type TxHash = Flavored<Hex, 'TxHash'>
export type BlockHash = Flavored<Hex, 'BlockHash'>
/** The number of a position NFT, 32 bytes. */
export type PositionId = Flavored<Hex, 'PositionId'>

export type Wei = Flavored<bigint, 'Wei'>
export type Lamports = Flavored<bigint, 'Lamports'>
/** An amount in the smallest unit of a chain's own coin. */
export type CoinRaw = Flavored<bigint, 'Wei' | 'Lamports'>
/**
 * An amount in the smallest unit of the quote coin of a curve or pool of chain B. The unit is the lamport, or
 * the raw unit of another mint.
 */
export type QuoteRaw = Flavored<bigint, 'Lamports' | 'QuoteRaw'>
/** An amount in the smallest unit of a launched token. */
export type TokenRaw = Flavored<bigint, 'TokenRaw'>
/** A square-root price, Q64.96. */
export type SqrtPriceX96 = Flavored<bigint, 'SqrtPriceX96'>

/** Durations in milliseconds. */
export const secondMs: DurationMs = 1_000
export const minuteMs: DurationMs = 60 * secondMs
export const hourMs: DurationMs = 60 * minuteMs
export const dayMs: DurationMs = 24 * hourMs
