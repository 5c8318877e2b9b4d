import { OperationError } from '../../errors.ts'
import { afterBytes, afterLong, hexAt, longAt } from './read-avro.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * The fields that end every fact about a log, read in place: where it stands on the chain. What all rules read is read at
 * once, the rest when it is asked for. A view keeps hold of the bytes: to look at, not to keep.
 */
export abstract class LogView {
  readonly blockNumber: number
  readonly blockAtMs: number
  // Plain private fields: the runtime is slow to set up `#` fields on an object for each record.
  protected readonly source: ViewedBytes
  private readonly txIndexStart: number

  /** Of the fields from `start` on. Throws `record_corrupt` for bytes that do not end with them. */
  constructor(source: ViewedBytes, start: number, end: number) {
    const { bytes } = source
    const blockAtStart = afterLong(bytes, start)
    this.source = source
    this.txIndexStart = afterLong(bytes, blockAtStart)
    if (afterBytes(bytes, this.txHashStart) !== end) throw notWhole()
    this.blockNumber = longAt(bytes, start)
    this.blockAtMs = longAt(bytes, blockAtStart)
  }

  get txIndex(): number {
    return longAt(this.source.bytes, this.txIndexStart)
  }

  get logIndex(): number {
    return longAt(this.source.bytes, afterLong(this.source.bytes, this.txIndexStart))
  }

  get blockHash(): `0x${string}` {
    return hexAt(this.source.bytes, this.blockHashStart)
  }

  get txHash(): `0x${string}` {
    return hexAt(this.source.bytes, this.txHashStart)
  }

  private get blockHashStart(): number {
    return afterLong(this.source.bytes, afterLong(this.source.bytes, this.txIndexStart))
  }

  private get txHashStart(): number {
    return afterBytes(this.source.bytes, this.blockHashStart)
  }
}

const notWhole = () => new OperationError('record_corrupt', 'bytes that are no whole record')
