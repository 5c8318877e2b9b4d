/**
 * An answer of a broker is a frame: its length in four bytes, then so many bytes, of which the first four number the request.
 * kafkajs believes any length: it buffers up to 2 GB, and ends the process at a negative one.
 */

/** A fetch answers with about 1 MB, or with one batch that is larger; a record has little more than 1 MB at most. */
export const frameBytesMax = 32 << 20
const lengthBytes = 4
const numberBytes = 4

/** Takes the bytes of one connection in their order. Answers what is wrong; null: nothing so far. */
export type FrameCheck = (chunk: Uint8Array) => string | null

export function createFrameCheck(): FrameCheck {
  let length = 0
  let lengthRead = 0
  let left = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(left, chunk.length - at)
      left -= skipped
      at += skipped
      for (; left === 0 && at < chunk.length && lengthRead < lengthBytes; lengthRead++)
        length = length * 256 + (chunk[at++] ?? 0)
      if (lengthRead < lengthBytes) continue
      if (length < numberBytes || length > frameBytesMax) return `an answer of ${length} bytes is none of Kafka`
      ;[left, length, lengthRead] = [length, 0, 0]
    }
    return null
  }
}
