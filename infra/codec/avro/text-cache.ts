import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * The number of places in the cache, a power of two. A place contains one string and its bytes, of which
 * there can be 72. This is enough for a pool id as text. A full cache takes about 3 MB.
 */
const slotCount = 1 << 14
const slotBytes = 72

/**
 * Returns the same string for repeated bytes, such as token addresses and pool ids. Comparing bytes is cheaper than creating a string. A
 * map also finds the same string much faster, because the string keeps its hash. A new text may replace a cached string. The replaced
 * string is later created again, so the cache affects only the speed.
 */
export class TextCache<Text extends string = string> {
  readonly #toText: (bytes: Buffer, start: number, end: number) => Text
  readonly #texts: (Text | undefined)[] = new Array(slotCount)
  readonly #lengths = new Uint8Array(slotCount)
  readonly #bytes = new DataView(new ArrayBuffer(slotCount * slotBytes))

  constructor(toText: (bytes: Buffer, start: number, end: number) => Text) {
    this.#toText = toText
  }

  textOf({ bytes, view }: ViewedBytes, start: number, end: number): Text {
    const length = end - start
    if (length < 16 || length > slotBytes) return this.#toText(bytes, start, end)
    const slot = slotOf(view, start + (length >>> 1))
    const known = this.#texts[slot]
    if (known !== undefined && this.#lengths[slot] === length && this.#holds(slot * slotBytes, view, start))
      return known
    const text = this.#toText(bytes, start, end)
    this.#texts[slot] = text
    this.#lengths[slot] = length
    for (let at = 0; at < length; at++) this.#bytes.setUint8(slot * slotBytes + at, view.getUint8(start + at))
    return text
  }

  /** Whether the bytes from `start` on equal the bytes of the cached text at `slotStart`. */
  #holds(slotStart: number, view: DataView, start: number): boolean {
    const length = this.#lengths[slotStart / slotBytes] ?? 0
    let at = 0
    for (; at + 4 <= length; at += 4)
      if (this.#bytes.getInt32(slotStart + at) !== view.getInt32(start + at)) return false
    for (; at < length; at++) if (this.#bytes.getUint8(slotStart + at) !== view.getUint8(start + at)) return false
    return true
  }
}

/**
 * Hashes eight bytes in the middle of the text, because many token addresses are chosen to share a beginning or an end.
 */
function slotOf(view: DataView, middle: number): number {
  const mixed = Math.imul(view.getInt32(middle - 4), 0x9e3779b1) ^ Math.imul(view.getInt32(middle), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) & (slotCount - 1)
}
