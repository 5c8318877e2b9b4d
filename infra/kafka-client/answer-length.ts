/**
 * Limits the length of a broker's answer, because kafkajs accepts any length. An answer begins with its length in four
 * bytes. The next four bytes identify the request.
 */

/**
 * The maximum length of an answer, in bytes. A fetch returns about 1 MB, or one larger batch. The largest
 * record is a little larger than 1 MB.
 */
const frameBytesMax = 32 << 20
const lengthBytes = 4

/**
 * Returns the reason why an answer is too long, or null. `bytesNeeded` is the number of bytes that kafkajs
 * waits for. It includes the four bytes of the length.
 */
export const tooLong = (bytesNeeded: number): string | null =>
  bytesNeeded - lengthBytes > frameBytesMax
    ? `an answer of ${bytesNeeded - lengthBytes} bytes is over the limit of ${frameBytesMax} bytes`
    : null

/**
 * Runs the code with which kafkajs processes received bytes. Returns the message of a RangeError, or null if
 * there was none. kafkajs throws a RangeError for an answer with a negative length, or with too few bytes to
 * identify its request.
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
