import type { recordWriterOf } from './record-writer.ts'
import { type ViewedBytes, viewed } from './viewed-bytes.ts'

/** Hundreds of records. */
const slabBytes = 64 * 1024

/**
 * Bytes that records are written into, one behind the other: no record has a buffer of its own, nor is copied. As long as
 * one of them is held, so are its neighbours.
 */
export class WriteSlab {
  #target: ViewedBytes = viewed(Buffer.alloc(0))
  #filled = 0

  /** The header's zero byte, the schema id and the record; null for a record that is larger than a slab. */
  write(schemaId: number, write: NonNullable<ReturnType<typeof recordWriterOf>>, data: object): Buffer | null {
    const written = this.#writeBehind(schemaId, write, data)
    if (written !== null) return written
    this.#target = viewed(Buffer.allocUnsafeSlow(slabBytes))
    this.#filled = 0
    return this.#writeBehind(schemaId, write, data)
  }

  /** Null: there was no room. */
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
