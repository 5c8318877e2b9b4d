/**
 * Reads the 32-byte words of an EVM log. The functions return null if the log has another shape. The caller decides whether to ignore or
 * reject the log.
 */
import type { Address, BlockHash, Hex, TxHash } from '../../../schemas/units.ts'

/** A log as the node sends it. Its numbers are hex. Many nodes do not send `blockTimestamp`, which is in seconds. */
export type RawLog = Readonly<{
  address: Address
  topics: readonly Hex[]
  data: Hex
  blockNumber: Hex
  blockHash: BlockHash
  transactionHash: TxHash
  transactionIndex: Hex
  logIndex: Hex
  blockTimestamp?: Hex | null
  removed?: boolean
}>

const wordDigits = 64
const hexText = /^0x[0-9a-f]*$/i

/** The data of a log as exactly `dataCount` words, and all its topics as words. */
export type LogWords = Readonly<{ data: readonly bigint[]; topics: readonly bigint[] }>

export function wordsOf(
  log: RawLog,
  { topicCount, dataCount }: Readonly<{ topicCount: number; dataCount: number }>,
): LogWords | null {
  if (log.topics.length !== topicCount) return null
  if (log.data.length !== 2 + dataCount * wordDigits || !hexText.test(log.data)) return null
  const data: bigint[] = []
  for (let at = 2; at < log.data.length; at += wordDigits) data.push(BigInt(`0x${log.data.slice(at, at + wordDigits)}`))
  const topics: bigint[] = []
  for (const topic of log.topics) {
    if (topic.length !== 2 + wordDigits || !hexText.test(topic)) return null
    topics.push(BigInt(topic))
  }
  return { data, topics }
}

export const wordText = (word: bigint): Hex => `0x${word.toString(16).padStart(wordDigits, '0')}`

/** The address in the word. Null if the upper twelve bytes are not zero, because the word is then no address. */
export const addressOf = (word: bigint): Address | null =>
  word >> 160n === 0n ? (`0x${word.toString(16).padStart(40, '0')}` as const) : null

/** The signed number in the word. Null if the number and its sign need more than `bits` bits. */
export const signedOf = (word: bigint, bits: number): bigint | null => {
  const value = BigInt.asIntN(256, word)
  return BigInt.asIntN(bits, value) === value ? value : null
}

/** The unsigned number in the word. Null if it needs more than `bits` bits. */
export const unsignedOf = (word: bigint, bits: number): bigint | null => (word >> BigInt(bits) === 0n ? word : null)
