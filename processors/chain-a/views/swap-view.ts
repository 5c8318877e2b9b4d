import { ChainPlaceView } from '../../../infra/codec/avro/chain-place-view.ts'
import { afterBytes, afterLong, integerAt, longAt } from '../../../infra/codec/avro/read-avro.ts'
import { TextCache } from '../../../infra/codec/avro/text-cache.ts'
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { Address, Hex, PoolId, Wei } from '../../../schemas/units.ts'

const pools = new TextCache<PoolId>(hexOf)
const senders = new TextCache<Address>(hexOf)

/**
 * Reads the fields of a swap directly from the encoded bytes. Nearly all facts are swaps, and decoding every
 * field would take more time than the rules themselves. The fields have the order of
 * `schemas/chain-a/facts.ts`, which the codec checks. The constructor throws `record_corrupt` if the bytes
 * are not a swap.
 */
export class SwapView extends ChainPlaceView implements Swap {
  readonly pool: PoolId
  readonly ethWei: Wei
  readonly tick: number
  private readonly tokenRawStart: number
  private readonly sqrtPriceStart: number
  private readonly senderStart: number
  private knownSqrtPrice: bigint | null
  private knownSender: Address | null

  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    const ethWeiStart = afterBytes(bytes, start)
    const tokenRawStart = afterBytes(bytes, ethWeiStart)
    const sqrtPriceStart = afterBytes(bytes, tokenRawStart)
    const tickStart = afterBytes(bytes, afterBytes(bytes, sqrtPriceStart))
    const senderStart = afterLong(bytes, tickStart)
    super(source, afterBytes(bytes, senderStart), end)
    this.pool = pools.textOf(source, afterLong(bytes, start), ethWeiStart)
    this.ethWei = integerAt(source, ethWeiStart)
    this.tick = longAt(bytes, tickStart)
    this.tokenRawStart = tokenRawStart
    this.sqrtPriceStart = sqrtPriceStart
    this.senderStart = senderStart
    this.knownSqrtPrice = null
    this.knownSender = null
  }

  get tokenRaw(): bigint {
    return integerAt(this.source, this.tokenRawStart)
  }

  get sqrtPriceX96(): bigint {
    this.knownSqrtPrice ??= integerAt(this.source, this.sqrtPriceStart)
    return this.knownSqrtPrice
  }

  get liquidity(): bigint {
    return integerAt(this.source, afterBytes(this.source.bytes, this.sqrtPriceStart))
  }

  get sender(): Address {
    const { bytes } = this.source
    const start = this.senderStart
    this.knownSender ??= senders.textOf(this.source, afterLong(bytes, start), afterBytes(bytes, start))
    return this.knownSender
  }
}

function hexOf(bytes: Buffer, start: number, end: number): Hex {
  return `0x${bytes.toString('hex', start, end)}`
}
