/**
 * Reads records of any version whose layout only grows at its end, such as the events of the pump programs. A missing
 * tail reads as null, and the bytes of an unknown tail are counted. Borsh: little-endian, no padding.
 */
import assert from 'node:assert/strict'
import { type ViewedBytes, viewed } from '../../../infra/codec/avro/viewed-bytes.ts'
import type { Address, Hex } from '../../../schemas/units.ts'

/** `shares` is a list of addresses with 16 bits each. */
export type FieldType = 'bool' | 'u8' | 'u16' | 'u64' | 'i64' | 'i128' | 'pubkey' | 'text' | 'shares'

/** The names of the fields and their types, in order. */
export type Layout = Readonly<Record<string, FieldType>>

const sizes: Readonly<Record<FieldType, number>> = {
  ...{ bool: 1, u8: 1, u16: 2, u64: 8, i64: 8, i128: 16, pubkey: 32 },
  // The size of the item count, which precedes the content.
  ...{ text: 4, shares: 4 },
}
const contentSizes: Partial<Record<FieldType, number>> = { text: 1, shares: 34 }

type Fields<L extends Layout> = Readonly<Record<keyof L & string, number>>

/**
 * One reader serves all records of a layout: `read` finds where the fields begin, and the methods read single fields in
 * place until the next `read`. It creates no object per record or field.
 */
export class PrefixReader<L extends Layout> {
  /** The index of each field, which the methods take. */
  readonly fields: Fields<L>
  /** The number of fields in the record. */
  fieldCount = 0
  /**
   * Bytes after the last field. In a record with fewer fields than the layout, they are the start of an incomplete
   * field.
   */
  leftover = 0
  private readonly types: readonly FieldType[]
  /**
   * The offset at which each field begins, and the end of the last one. Fixed up to the first field of variable size.
   */
  private readonly starts: Int32Array
  private readonly fixedCount: number
  /** By field index: the size of the field or of its count, and the size of each counted item. */
  private readonly sizes: Int32Array
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

  /**
   * Whether the record ends at the end of a field, or after all known fields. Then it is of a version of this layout.
   */
  get isWhole(): boolean {
    return this.leftover === 0 || this.fieldCount === this.types.length
  }

  /** Starts reading the record, which fills all of these bytes. */
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

  /** Null if the record's version does not have the field. */
  u64(field: number): bigint | null {
    return this.has(field) ? this.source.view.getBigUint64(this.startOf(field), true) : null
  }

  /** An unsigned 64-bit amount. Zero if the record's version does not have the field. */
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

  /** An address that every version has. Asserts that it is there. */
  address(field: number): Address {
    const address = this.hex(field)
    assert.ok(address, 'a field that every version has')
    return address
  }

  text(field: number): string | null {
    return this.has(field) ? this.source.bytes.toString('utf8', this.startOf(field) + 4, this.startOf(field + 1)) : null
  }

  /** The offset of the field in the record, for readers of bytes such as a text cache. */
  startOf(field: number): number {
    return this.starts[field] ?? 0
  }

  /** For records that end within the fields of fixed size. */
  private countFixed(end: number): number {
    let count = this.fixedCount
    while (count > 0 && this.startOf(count) > end) count--
    return count
  }

  /** Walks over the fields from the first of variable size on, as far as the bytes reach. */
  private walk(end: number): number {
    const { starts, sizes, itemSizes } = this
    const { view } = this.source
    const count = sizes.length
    let at = this.startOf(this.fixedCount)
    for (let index = this.fixedCount; index < count; index++) {
      let next = at + (sizes[index] ?? 0)
      const itemSize = itemSizes[index] ?? 0
      // A hostile 32-bit count at most points past the end, because no loop runs over the items.
      if (itemSize > 0 && next <= end) next += view.getUint32(at, true) * itemSize
      if (next > end) return index
      at = next
      starts[index + 1] = at
    }
    return count
  }
}
