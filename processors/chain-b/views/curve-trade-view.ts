import { ChainPlaceView } from '../../../infra/codec/avro/chain-place-view.ts'
import {
  afterBoolean,
  afterBytes,
  afterLong,
  afterNullableBytes,
  afterNullableLong,
  booleanAt,
  integerAt,
  nullableHexAt,
  nullableLongAt,
} from '../../../infra/codec/avro/read-avro.ts'
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { Address, EpochMs, TokenRaw } from '../../../schemas/units.ts'
import { traders } from './traders.ts'

/**
 * Reads the fields of a curve trade directly from the encoded bytes. Nearly all facts are curve trades, and
 * for most of them the rules read only the tokens that are left for sale. The fields have the order of
 * `schemas/chain-b/facts.ts`, which the codec checks. The constructor throws `record_corrupt` if the bytes
 * are not a curve trade.
 */
export class CurveTradeView extends ChainPlaceView implements CurveTraded {
  readonly lateAtMs: EpochMs | null
  private readonly start: number
  private readonly quoteRawStart: number
  private readonly virtualQuoteRawStart: number
  private readonly realTokenRawStart: number
  private readonly quoteMintStart: number
  private readonly lateSlotStart: number
  private knownRealTokenRaw: TokenRaw | null

  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    const quoteRawStart = afterBytes(bytes, start)
    const virtualQuoteRawStart = afterBytes(bytes, afterBytes(bytes, quoteRawStart))
    const virtualTokenRawStart = afterBytes(bytes, virtualQuoteRawStart)
    const realTokenRawStart = afterBytes(bytes, afterBytes(bytes, virtualTokenRawStart))
    const creatorFeeRawStart = afterBytes(bytes, afterBytes(bytes, realTokenRawStart))
    const quoteMintStart = afterBytes(bytes, afterBytes(bytes, creatorFeeRawStart))
    const lateSlotStart = afterBoolean(bytes, afterNullableBytes(bytes, quoteMintStart))
    const lateAtStart = afterNullableLong(bytes, lateSlotStart)
    super(source, afterNullableLong(bytes, lateAtStart), end)
    this.start = start
    this.quoteRawStart = quoteRawStart
    this.virtualQuoteRawStart = virtualQuoteRawStart
    this.realTokenRawStart = realTokenRawStart
    this.quoteMintStart = quoteMintStart
    this.lateSlotStart = lateSlotStart
    this.lateAtMs = nullableLongAt(bytes, lateAtStart)
    this.knownRealTokenRaw = null
  }

  get trader(): Address {
    return traders.textOf(this.source, afterLong(this.source.bytes, this.start), this.quoteRawStart)
  }

  get quoteRaw(): bigint {
    return integerAt(this.source, this.quoteRawStart)
  }

  get tokenRaw(): bigint {
    return this.integerAfter(this.quoteRawStart)
  }

  get virtualQuoteRaw(): bigint {
    return integerAt(this.source, this.virtualQuoteRawStart)
  }

  get virtualTokenRaw(): bigint {
    return this.integerAfter(this.virtualQuoteRawStart)
  }

  get realQuoteRaw(): bigint {
    return this.integerAfter(afterBytes(this.source.bytes, this.virtualQuoteRawStart))
  }

  /**
   * The raw tokens that the curve has left for sale. Every rule reads this value, so the decoded value is
   * stored.
   */
  get realTokenRaw(): bigint {
    this.knownRealTokenRaw ??= integerAt(this.source, this.realTokenRawStart)
    return this.knownRealTokenRaw
  }

  get feeRaw(): bigint {
    return this.integerAfter(this.realTokenRawStart)
  }

  get creatorFeeRaw(): bigint {
    return this.integerAfter(afterBytes(this.source.bytes, this.realTokenRawStart))
  }

  get rewardsRaw(): bigint {
    const { bytes } = this.source
    return this.integerAfter(afterBytes(bytes, afterBytes(bytes, this.realTokenRawStart)))
  }

  get quoteMint(): Address | null {
    return nullableHexAt(this.source.bytes, this.quoteMintStart)
  }

  get isMayhem(): boolean {
    return booleanAt(this.source.bytes, this.lateSlotStart - 1)
  }

  get lateSlot(): number | null {
    return nullableLongAt(this.source.bytes, this.lateSlotStart)
  }

  private integerAfter(start: number): bigint {
    return integerAt(this.source, afterBytes(this.source.bytes, start))
  }
}
