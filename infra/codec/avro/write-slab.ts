import type { recordWriterOf } from './record-writer.ts'
import { type ViewedBytes, viewed } from './viewed-bytes.ts'

/** The size of a slab in bytes, which is enough for hundreds of records. */
const slabBytes = 64 * 1024

/**
 * A buffer into which records are written one after another. So no record is copied, and no record needs a buffer of
 * its own. A reference to one record keeps the whole slab in memory.
 */
export class WriteSlab {
  #target: ViewedBytes = viewed(Buffer.alloc(0))
  #filled = 0

  /** Writes the schema header and the record, and returns their bytes. Null if the record is larger than a slab. */
  write(schemaId: number, write: ReturnType<typeof recordWriterOf>, data: object): Buffer | null {
    const written = this.#writeBehind(schemaId, write, data)
    if (written !== null) return written
    this.#target = viewed(Buffer.allocUnsafeSlow(slabBytes))
    this.#filled = 0
    return this.#writeBehind(schemaId, write, data)
  }

  /** Writes the record after the previous one. Null if the slab has no room for the record. */
  #writeBehind(...[schemaId, write, data]: Parameters<WriteSlab['write']>): Buffer | null {
    const { bytes, view } = this.#target
    const start = this.#filled
    if (start + headerBytes > bytes.length) return null
    view.setUint8(start, 0)
    view.setUint32(start + 1, schemaId)
    const end = write(this.#target, start + headerBytes, data)
    if (end > bytes.length) return null
    this.#filled = end
    return bytes.subarray(start, end)
  }
}

export const headerBytes = 5
