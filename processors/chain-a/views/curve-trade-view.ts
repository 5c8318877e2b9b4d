import { ChainPlaceView } from '../../../infra/codec/avro/chain-place-view.ts'
import { afterBytes, afterLong, hexAt, integerAt } from '../../../infra/codec/avro/read-avro.ts'
import { TextCache } from '../../../infra/codec/avro/text-cache.ts'
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { CurveTraded } from '../../../schemas/chain-a/facts.ts'

type Hex = `0x${string}`

const curves = new TextCache<Hex>((bytes, start, end) => `0x${bytes.toString('hex', start, end)}`)

/**
 * A trade on a curve read in place, as `schemas/chain-a/facts.ts` lays it out (a test holds it to that): what there is
 * most of after swaps. Throws `record_corrupt`, at once, for bytes that are none.
 */
export class CurveTradeView extends ChainPlaceView implements CurveTraded {
  readonly curve: Hex
  private readonly traderStart: number
  private readonly ethWeiStart: number
  private readonly feeWeiStart: number

  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    const traderStart = afterBytes(bytes, start)
    const ethWeiStart = afterBytes(bytes, traderStart)
    const feeWeiStart = afterBytes(bytes, afterBytes(bytes, ethWeiStart))
    super(source, afterBytes(bytes, afterBytes(bytes, feeWeiStart)), end)
    this.curve = curves.textOf(source, afterLong(bytes, start), traderStart)
    this.traderStart = traderStart
    this.ethWeiStart = ethWeiStart
    this.feeWeiStart = feeWeiStart
  }

  get trader(): Hex {
    return hexAt(this.source.bytes, this.traderStart)
  }

  get ethWei(): bigint {
    return integerAt(this.source, this.ethWeiStart)
  }

  get tokenRaw(): bigint {
    return integerAt(this.source, afterBytes(this.source.bytes, this.ethWeiStart))
  }

  get feeWei(): bigint {
    return integerAt(this.source, this.feeWeiStart)
  }

  get taxWei(): bigint {
    return integerAt(this.source, afterBytes(this.source.bytes, this.feeWeiStart))
  }
}
