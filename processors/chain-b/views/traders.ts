import { TextCache } from '../../../infra/codec/avro/text-cache.ts'
import type { Address } from '../../../schemas/units.ts'

/** A shared cache, because the same wallets trade on curves and in pools again and again. */
export const traders = new TextCache<Address>((bytes, start, end) => `0x${bytes.toString('hex', start, end)}` as const)
