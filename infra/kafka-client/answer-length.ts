/**
 * Limits the length of a broker's answer. An answer is a length of four bytes, then that many bytes, and the first four
 * of them identify the request. kafkajs accepts any length.
 */

/** A fetch returns about 1 MB, or one larger batch. A record has at most little more than 1 MB. */
const frameBytesMax = 32 << 20
const lengthBytes = 4

/**
 * The reason to refuse an answer as too long, or null. `bytesNeeded` is the number of bytes that kafkajs waits for,
 * including the four bytes of the length.
 */
export const tooLong = (bytesNeeded: number): string | null =>
  bytesNeeded - lengthBytes > frameBytesMax
    ? `an answer of ${bytesNeeded - lengthBytes} bytes is too long for Kafka`
    : null

/**
 * The error that kafkajs throws for an answer that is too short to identify its request, or that has a negative length.
 * Null if it throws none.
 */
export function wrongIn(process: () => unknown): string | null {
  try {
    process()
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
