/**
 * Reads Borsh records, which are little-endian and have no padding. Newer versions of a record only append
 * fields, as in the events of the pump programs. A missing field is read as null. Bytes after the last known
 * field are only counted.
 */
import assert from 'node:assert/strict'
import { type ViewedBytes, viewed } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { Address, Hex } from '../../../schemas/units.ts'

/** A value of type `shares` is a list of pairs: an address and a 16-bit number. */
export type FieldType = 'bool' | 'u8' | 'u16' | 'u64' | 'i64' | 'i128' | 'pubkey' | 'text' | 'shares'

/** The names of the fields and their types, in order. */
export type Layout = Readonly<Record<string, FieldType>>

const sizes: Readonly<Record<FieldType, number>> = {
  ...{ bool: 1, u8: 1, u16: 2, u64: 8, i64: 8, i128: 16, pubkey: 32 },
  // A field of variable size begins with the number of its items. The values here are the sizes of this
  // number, in bytes.
  ...{ text: 4, shares: 4 },
}
const contentSizes: Partial<Record<FieldType, number>> = { text: 1, shares: 34 }

type Fields<L extends Layout> = Readonly<Record<keyof L & string, number>>

/**
 * Reads one record after the other. `read` sets the current record and finds the offsets of its fields. The other methods read single
 * fields of the current record in place. No object is created per record.
 */
export class PrefixReader<L extends Layout> {
  /** The index of each field in the layout, by name. The reading methods take this index. */
  readonly fields: Fields<L>
  /** The number of known fields in the current record. */
  fieldCount = 0
  /**
   * The number of bytes after the last field of the record. If the record has fewer fields than the layout,
   * these bytes are an incomplete field.
   */
  leftover = 0
  private readonly types: readonly FieldType[]
  /**
   * The offset of each field in the record, and the end of the last field. The offsets up to the first field
   * of variable size are the same in all records.
   */
  private readonly starts: Int32Array
  private readonly fixedCount: number
  /**
   * The size of each field in bytes, by field index. For a field of variable size, this is the size of its
   * item count.
   */
  private readonly sizes: Int32Array
  /** The size of one item in bytes, by field index. 0 for a field of fixed size. */
  private readonly itemSizes: Int32Array
  private source: ViewedBytes = viewed(Buffer.alloc(0))

  /** `offset`: the number of bytes before the first field of a record. */
  constructor(layout: L, offset: number) {
    this.types = Object.values(layout)
    this.fields = Object.fromEntries(Object.keys(layout).map((name, index) => [name, index])) as Fields<L>
    const variable = this.types.findIndex((type) => type in contentSizes)
    this.fixedCount = variable < 0 ? this.types.length : variable
    this.sizes = Int32Array.from(this.types, (type) => sizes[type])
    this.itemSizes = Int32Array.from(this.types, (type) => contentSizes[type] ?? 0)
    this.starts = new Int32Array(this.types.length + 1)
    this.starts[0] = offset
    for (const [index, type] of this.types.slice(0, this.fixedCount).entries())
      this.starts[index + 1] = this.startOf(index) + sizes[type]
  }

  /** Whether the record ends at the end of a field, or has all known fields. Otherwise the record fits no version of this layout. */
  get isWhole(): boolean {
    return this.leftover === 0 || this.fieldCount === this.types.length
  }

  /** Makes `source` the current record. The record is all bytes of `source`. */
  read(source: ViewedBytes): void {
    this.source = source
    const end = source.view.byteLength
    const count = end >= this.startOf(this.fixedCount) ? this.walk(end) : this.countFixed(end)
    this.fieldCount = count
    this.leftover = Math.max(0, end - this.startOf(count))
  }

  has(field: number): boolean {
    return field < this.fieldCount
  }

  /** Reads an unsigned 64-bit number. Returns null if the record's version lacks the field. */
  u64(field: number): bigint | null {
    return this.has(field) ? this.source.view.getBigUint64(this.startOf(field), true) : null
  }

  /** Reads an unsigned 64-bit amount. Returns zero if the record's version lacks the field. */
  amount(field: number): bigint {
    return this.u64(field) ?? 0n
  }

  i64(field: number): bigint | null {
    return this.has(field) ? this.source.view.getBigInt64(this.startOf(field), true) : null
  }

  i128(field: number): bigint | null {
    if (!this.has(field)) return null
    const { view } = this.source
    const start = this.startOf(field)
    return (view.getBigInt64(start + 8, true) << 64n) | view.getBigUint64(start, true)
  }

  small(field: number): number | null {
    if (!this.has(field)) return null
    const { view } = this.source
    return this.types[field] === 'u16' ? view.getUint16(this.startOf(field), true) : view.getUint8(this.startOf(field))
  }

  bool(field: number): boolean | null {
    return this.has(field) ? this.source.view.getUint8(this.startOf(field)) !== 0 : null
  }

  hex(field: number): Hex | null {
    if (!this.has(field)) return null
    const start = this.startOf(field)
    return `0x${this.source.bytes.toString('hex', start, start + 32)}`
  }

  /** Reads an address that every version of the record has. Throws if it is missing. */
  address(field: number): Address {
    const address = this.hex(field)
    assert.ok(address, 'the event lacks a field that every version has')
    return address
  }

  text(field: number): string | null {
    return this.has(field) ? this.source.bytes.toString('utf8', this.startOf(field) + 4, this.startOf(field + 1)) : null
  }

  /**
   * Returns the offset of the field in `source`. Code that reads the bytes itself uses this offset, such as a
   * text cache.
   */
  startOf(field: number): number {
    return this.starts[field] ?? 0
  }

  /** Counts the fields of a record that ends before its first field of variable size. */
  private countFixed(end: number): number {
    let count = this.fixedCount
    while (count > 0 && this.startOf(count) > end) count--
    return count
  }

  /** Finds the offsets of the fields from the first field of variable size to the end of the record. Returns the number of fields. */
  private walk(end: number): number {
    const { starts, sizes, itemSizes } = this
    const { view } = this.source
    const count = sizes.length
    let at = this.startOf(this.fixedCount)
    for (let index = this.fixedCount; index < count; index++) {
      let next = at + (sizes[index] ?? 0)
      const itemSize = itemSizes[index] ?? 0
      // A wrong item count is harmless: no loop runs over the items, and `next` only moves past the end.
      if (itemSize > 0 && next <= end) next += view.getUint32(at, true) * itemSize
      if (next > end) return index
      at = next
      starts[index + 1] = at
    }
    return count
  }
}
