import { ChainPlaceView } from '../../../infra/codec/avro/chain-place-view.ts'
import { afterBytes, afterLong, hexAt, integerAt } from '../../../infra/codec/avro/read-avro.ts'
import { TextCache } from '../../../infra/codec/avro/text-cache.ts'
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { CurveTraded } from '../../../schemas/chain-a/facts.ts'
import type { Address, Wei } from '../../../schemas/units.ts'

const curves = new TextCache<Address>((bytes, start, end) => `0x${bytes.toString('hex', start, end)}` as const)

/**
 * Reads the fields of a curve trade directly from the encoded bytes. This saves time, because only swaps are
 * more frequent. The fields have the order of `schemas/chain-a/facts.ts`, which the codec checks. The
 * constructor throws `record_corrupt` if the bytes are not a curve trade.
 */
export class CurveTradeView extends ChainPlaceView implements CurveTraded {
  readonly curve: Address
  private readonly traderStart: number
  private readonly ethWeiStart: number
  private readonly feeWeiStart: number
  private knownEthWei: Wei | null
  private knownFeeWei: Wei | null
  private knownTaxWei: Wei | null

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
    this.knownEthWei = null
    this.knownFeeWei = null
    this.knownTaxWei = null
  }

  get trader(): Address {
    return hexAt(this.source.bytes, this.traderStart)
  }

  /** The ETH amount. Several rules read amount, fee and tax, so the decoded values are stored. */
  get ethWei(): bigint {
    this.knownEthWei ??= integerAt(this.source, this.ethWeiStart)
    return this.knownEthWei
  }

  get tokenRaw(): bigint {
    return integerAt(this.source, afterBytes(this.source.bytes, this.ethWeiStart))
  }

  get feeWei(): bigint {
    this.knownFeeWei ??= integerAt(this.source, this.feeWeiStart)
    return this.knownFeeWei
  }

  get taxWei(): bigint {
    this.knownTaxWei ??= integerAt(this.source, afterBytes(this.source.bytes, this.feeWeiStart))
    return this.knownTaxWei
  }
}
