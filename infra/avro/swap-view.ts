import type { Swap } from '../../schemas/chain-a/facts.ts'
import { OperationError } from '../errors.ts'
import { afterBytes, afterLong, hexAt, integerAt, longAt } from './read-avro.ts'
import { TextCache } from './text-cache.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

type Hex = `0x${string}`

const pools = new TextCache<Hex>(hexOf)
const senders = new TextCache<Hex>(hexOf)

/**
 * A swap read in place, field by field as `schemas/chain-a/facts.ts` lays it out (a test holds it to that). Nearly all
 * facts are swaps, and to make all fields of one costs more than all rules do. What rules read of every swap is read at
 * once, the rest when it is asked for. It keeps hold of the bytes: to look at, not to keep.
 *
 * Throws `record_corrupt`, at once, for bytes that are no swap.
 */
export class SwapView implements Swap {
  readonly pool: Hex
  readonly ethWei: bigint
  readonly tick: number
  readonly blockNumber: number
  readonly blockAtMs: number
  // Plain private fields: the runtime is slow to set up `#` fields on an object for each record.
  private readonly source: ViewedBytes
  private readonly tokenRawStart: number
  private readonly sqrtPriceStart: number
  private readonly liquidityStart: number
  private readonly senderStart: number
  private readonly txIndexStart: number
  private readonly logIndexStart: number
  private readonly blockHashStart: number
  private readonly txHashStart: number
  private knownSqrtPrice: bigint | null = null
  private knownSender: Hex | null = null

  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    this.source = source
    const ethWeiStart = afterBytes(bytes, start)
    this.tokenRawStart = afterBytes(bytes, ethWeiStart)
    this.sqrtPriceStart = afterBytes(bytes, this.tokenRawStart)
    this.liquidityStart = afterBytes(bytes, this.sqrtPriceStart)
    const tickStart = afterBytes(bytes, this.liquidityStart)
    this.senderStart = afterLong(bytes, tickStart)
    const blockNumberStart = afterBytes(bytes, this.senderStart)
    const blockAtStart = afterLong(bytes, blockNumberStart)
    this.txIndexStart = afterLong(bytes, blockAtStart)
    this.logIndexStart = afterLong(bytes, this.txIndexStart)
    this.blockHashStart = afterLong(bytes, this.logIndexStart)
    this.txHashStart = afterBytes(bytes, this.blockHashStart)
    if (afterBytes(bytes, this.txHashStart) !== end) throw notSwap()
    this.pool = pools.textOf(source, afterLong(bytes, start), ethWeiStart)
    this.ethWei = integerAt(source, ethWeiStart)
    this.tick = longAt(bytes, tickStart)
    this.blockNumber = longAt(bytes, blockNumberStart)
    this.blockAtMs = longAt(bytes, blockAtStart)
  }

  get tokenRaw(): bigint {
    return integerAt(this.source, this.tokenRawStart)
  }

  get sqrtPriceX96(): bigint {
    this.knownSqrtPrice ??= integerAt(this.source, this.sqrtPriceStart)
    return this.knownSqrtPrice
  }

  get liquidity(): bigint {
    return integerAt(this.source, this.liquidityStart)
  }

  get sender(): Hex {
    const { bytes } = this.source
    const start = this.senderStart
    this.knownSender ??= senders.textOf(this.source, afterLong(bytes, start), afterBytes(bytes, start))
    return this.knownSender
  }

  get txIndex(): number {
    return longAt(this.source.bytes, this.txIndexStart)
  }

  get logIndex(): number {
    return longAt(this.source.bytes, this.logIndexStart)
  }

  get blockHash(): Hex {
    return hexAt(this.source.bytes, this.blockHashStart)
  }

  get txHash(): Hex {
    return hexAt(this.source.bytes, this.txHashStart)
  }
}

function hexOf(bytes: Buffer, start: number, end: number): Hex {
  return `0x${bytes.toString('hex', start, end)}`
}

const notSwap = () => new OperationError('record_corrupt', 'bytes that are no Swap')
