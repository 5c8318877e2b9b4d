import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * The fewest and the most places of a cache, powers of two. A place holds one string and its bytes, at most 72, which is
 * enough for a pool id as text. A cache with the most places takes about 3 MB, and a service has fifteen caches.
 */
const slotsFewest = 1 << 10
const slotsMost = 1 << 14
const slotBytes = 72

/**
 * The time that this number of texts takes decides how many places the cache has from then on. Texts come fast while a
 * stage catches up. At the head of a chain there are a few texts a second. To create them again then costs nearly nothing,
 * and a small cache saves memory.
 */
const textsPerReview = 1 << 12
const fastMs = 1_000
const slowMs = 20_000
/** Each time this number of texts has come, the cache checks whether more than `slowMs` have already passed. */
const textsPerLook = 1 << 8

/**
 * Returns the same string for repeated bytes, such as token addresses and pool ids. Comparing bytes is cheaper than creating a string. A
 * map also finds the same string much faster, because the string keeps its hash. A new text may replace a cached string, and a change of
 * the number of places drops all strings. A dropped string is later created again, so the cache affects only speed and memory.
 */
export class TextCache<Text extends string = string> {
  readonly #toText: (bytes: Buffer, start: number, end: number) => Text
  readonly #nowMs: () => number
  #texts!: (Text | undefined)[]
  #lengths!: Uint8Array
  #bytes!: DataView
  #untilLook = textsPerLook
  #untilReview = textsPerReview
  #reviewedAtMs: number

  /** `nowMs` is a clock that never goes back. */
  constructor(
    toText: (bytes: Buffer, start: number, end: number) => Text,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#toText = toText
    this.#nowMs = nowMs
    this.#reviewedAtMs = nowMs()
    this.#empty(slotsFewest)
  }

  /** The number of texts that the cache can hold at present. */
  get size(): number {
    return this.#lengths.length
  }

  textOf({ bytes, view }: ViewedBytes, start: number, end: number): Text {
    const length = end - start
    if (length < 16 || length > slotBytes) return this.#toText(bytes, start, end)
    if (--this.#untilLook === 0) this.#look()
    const slot = hashOf(view, start + (length >>> 1)) & (this.#lengths.length - 1)
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

  #look(): void {
    const nowMs = this.#nowMs()
    const tookMs = nowMs - this.#reviewedAtMs
    const isSlow = tookMs > slowMs
    this.#untilLook = textsPerLook
    this.#untilReview -= textsPerLook
    if (this.#untilReview > 0 && !isSlow) return
    this.#reviewedAtMs = nowMs
    this.#untilReview = textsPerReview
    if (isSlow && this.size > slotsFewest) this.#empty(slotsFewest)
    else if (tookMs < fastMs && this.size < slotsMost) this.#empty(this.size * 2)
  }

  #empty(slotCount: number): void {
    this.#texts = new Array(slotCount)
    this.#lengths = new Uint8Array(slotCount)
    this.#bytes = new DataView(new ArrayBuffer(slotCount * slotBytes))
  }
}

/**
 * Hashes eight bytes in the middle of the text, because many token addresses are chosen to share a beginning or an end.
 */
function hashOf(view: DataView, middle: number): number {
  const mixed = Math.imul(view.getInt32(middle - 4), 0x9e3779b1) ^ Math.imul(view.getInt32(middle), 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}
