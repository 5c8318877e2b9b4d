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
import type { PoolTraded } from '../../../schemas/chain-b/facts.ts'
import type { Address, EpochMs } from '../../../schemas/units.ts'
import { traders } from './traders.ts'

/**
 * Reads the fields of a pool trade directly from the encoded bytes. The fields have the order of
 * `schemas/chain-b/facts.ts`, which the codec checks. The constructor throws `record_corrupt` if the bytes
 * are not a pool trade.
 */
export class PoolTradeView extends ChainPlaceView implements PoolTraded {
  readonly isBeforeMigration: boolean
  readonly lateAtMs: EpochMs | null
  private readonly start: number
  private readonly poolQuoteRawStart: number
  private readonly lpFeeRawStart: number
  private readonly quoteMintStart: number
  private readonly lateSlotStart: number

  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    const tokenRawStart = afterBytes(bytes, afterBytes(bytes, start))
    const poolQuoteRawStart = afterBytes(bytes, tokenRawStart)
    const virtualQuoteRawStart = afterBytes(bytes, afterBytes(bytes, poolQuoteRawStart))
    const lpFeeRawStart = afterBytes(bytes, virtualQuoteRawStart)
    const rewardsRawStart = afterBytes(bytes, afterBytes(bytes, afterBytes(bytes, lpFeeRawStart)))
    const isBeforeStart = afterBytes(bytes, rewardsRawStart)
    const quoteMintStart = afterBoolean(bytes, isBeforeStart)
    const lateSlotStart = afterNullableBytes(bytes, quoteMintStart)
    const lateAtStart = afterNullableLong(bytes, lateSlotStart)
    super(source, afterNullableLong(bytes, lateAtStart), end)
    this.start = start
    this.poolQuoteRawStart = poolQuoteRawStart
    this.lpFeeRawStart = lpFeeRawStart
    this.quoteMintStart = quoteMintStart
    this.lateSlotStart = lateSlotStart
    this.isBeforeMigration = booleanAt(bytes, isBeforeStart)
    this.lateAtMs = nullableLongAt(bytes, lateAtStart)
  }

  get trader(): Address {
    const { bytes } = this.source
    return traders.textOf(this.source, afterLong(bytes, this.start), afterBytes(bytes, this.start))
  }

  get quoteRaw(): bigint {
    return this.integerBehind(this.start, 1)
  }

  get tokenRaw(): bigint {
    return this.integerBehind(this.start, 2)
  }

  get poolQuoteRaw(): bigint {
    return this.integerBehind(this.poolQuoteRawStart, 0)
  }

  get poolTokenRaw(): bigint {
    return this.integerBehind(this.poolQuoteRawStart, 1)
  }

  get virtualQuoteRaw(): bigint {
    return this.integerBehind(this.poolQuoteRawStart, 2)
  }

  get lpFeeRaw(): bigint {
    return this.integerBehind(this.lpFeeRawStart, 0)
  }

  get feeRaw(): bigint {
    return this.integerBehind(this.lpFeeRawStart, 1)
  }

  get creatorFeeRaw(): bigint {
    return this.integerBehind(this.lpFeeRawStart, 2)
  }

  get rewardsRaw(): bigint {
    return this.integerBehind(this.lpFeeRawStart, 3)
  }

  get quoteMint(): Address | null {
    return nullableHexAt(this.source.bytes, this.quoteMintStart)
  }

  get lateSlot(): number | null {
    return nullableLongAt(this.source.bytes, this.lateSlotStart)
  }

  /** Skips `fields` byte fields from `start` on, and returns the integer after the skipped fields. */
  private integerBehind(start: number, fields: number): bigint {
    let at = start
    for (let field = 0; field < fields; field++) at = afterBytes(this.source.bytes, at)
    return integerAt(this.source, at)
  }
}
