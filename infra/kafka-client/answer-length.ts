/**
 * An answer of a broker is its length in four bytes, then so many bytes, of which the first four number the request. kafkajs believes
 * any length.
 */

/** A fetch answers with about 1 MB, or with one batch that is larger; a record has little more than 1 MB at most. */
const frameBytesMax = 32 << 20
const lengthBytes = 4

/** What is wrong with an answer for which kafkajs waits for so many bytes, the length itself among them: it would buffer up to 2 GB. */
export const tooLong = (bytesNeeded: number): string | null =>
  bytesNeeded - lengthBytes > frameBytesMax ? `an answer of ${bytesNeeded - lengthBytes} bytes is none of Kafka` : null

/** An answer that is too short for the number of its request, or of a negative length. */
export function wrongIn(process: () => unknown): string | null {
  try {
    process()
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
