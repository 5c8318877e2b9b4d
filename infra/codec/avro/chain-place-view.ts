import type { BlockHash, BlockNumber, EpochMs, TxHash } from '../../../schemas/units.ts'
import { OperationError } from '../../errors.ts'
import { afterBytes, afterLong, hexAt, longAt } from './read-avro.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * Reads a chain place (`schemas/chain-place.ts`) from an encoded record. A chain place is the block, the
 * transaction and the log index of an event. The constructor reads the fields that all rules use. The other
 * fields are read on access. Do not keep this object, because it keeps the whole buffer in memory.
 */
export abstract class ChainPlaceView {
  readonly blockNumber: BlockNumber
  readonly blockAtMs: EpochMs
  // Only TypeScript protects this field and the next two. `#` fields are slow to set up, and a view is created for
  // every record.
  protected readonly source: ViewedBytes
  private readonly txIndexStart: number
  private knownTxHash: TxHash | null

  /**
   * `start` is the offset of the chain place in the bytes. Throws `record_corrupt` if the chain place does
   * not end at `end`.
   */
  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    const blockAtStart = afterLong(bytes, start)
    this.source = source
    this.txIndexStart = afterLong(bytes, blockAtStart)
    if (afterBytes(bytes, this.txHashStart) !== end) throw notWhole()
    this.blockNumber = longAt(bytes, start)
    this.blockAtMs = longAt(bytes, blockAtStart)
    this.knownTxHash = null
  }

  get txIndex(): number {
    return longAt(this.source.bytes, this.txIndexStart)
  }

  get logIndex(): number {
    return longAt(this.source.bytes, afterLong(this.source.bytes, this.txIndexStart))
  }

  get blockHash(): BlockHash {
    return hexAt(this.source.bytes, this.blockHashStart)
  }

  /** Returns the same string each time. So all rules that keep the hash of a transaction share one string. */
  get txHash(): TxHash {
    this.knownTxHash ??= hexAt(this.source.bytes, this.txHashStart)
    return this.knownTxHash
  }

  private get blockHashStart(): number {
    return afterLong(this.source.bytes, afterLong(this.source.bytes, this.txIndexStart))
  }

  private get txHashStart(): number {
    return afterBytes(this.source.bytes, this.blockHashStart)
  }
}

const notWhole = () => new OperationError('record_corrupt', 'the record is not complete')
