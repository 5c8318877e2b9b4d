/**
 * An answer of a broker is its length in four bytes, then so many bytes, of which the first four number the request. kafkajs believes
 * any length.
 */

/** A fetch answers with about 1 MB, or with one batch that is larger; a record has little more than 1 MB at most. */
const frameBytesMax = 32 << 20
const lengthBytes = 4

/** Why an answer is refused as too long; null: it is not. `bytesNeeded` is what kafkajs waits for, the four bytes of the length included. */
export const tooLong = (bytesNeeded: number): string | null =>
  bytesNeeded - lengthBytes > frameBytesMax ? `an answer of ${bytesNeeded - lengthBytes} bytes is none of Kafka` : null

/** What kafkajs throws at an answer that is too short to name its request, or has a negative length. Null: nothing. */
export function wrongIn(process: () => unknown): string | null {
  try {
    process()
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
