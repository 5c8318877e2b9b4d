import { TextCache } from '../../../infra/codec/avro/text-cache.ts'
import type { Address } from '../../../schemas/units.ts'

/**
 * The cache of traders' addresses. Curve trades and pool trades share it, because the same wallets trade on
 * curves and in pools.
 */
export const traders = new TextCache<Address>((bytes, start, end) => `0x${bytes.toString('hex', start, end)}` as const)
