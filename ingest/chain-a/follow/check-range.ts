/**
 * Checks that the logs and headers of a range belong to one branch. A failed check throws `node_inconsistent`, and the
 * range is read again.
 */
import { OperationError } from '../../../infra/errors.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import type { RawLog } from '../decode/log-words.ts'
import type { ChainHeader } from '../node/headers.ts'

type Blocks = Readonly<{ fromBlock: BlockNumber; toBlock: BlockNumber }>
type Headers = ReadonlyMap<number, ChainHeader>

const texts = [
  'address',
  'data',
  'blockNumber',
  'blockHash',
  'transactionHash',
  'transactionIndex',
  'logIndex',
] as const

export function isWhole(raw: unknown): raw is RawLog {
  if (typeof raw !== 'object' || raw === null) return false
  const log = raw as Record<string, unknown>
  const { topics } = log
  if (!Array.isArray(topics) || !topics.every((topic) => typeof topic === 'string')) return false
  return texts.every((name) => typeof log[name] === 'string')
}

export const byPlace = (one: RawLog, other: RawLog): number =>
  Number(one.blockNumber) - Number(other.blockNumber) || Number(one.logIndex) - Number(other.logIndex)

/** Checks that each log is in a block of the range, and that no log occurs twice. The logs must be in chain order. */
export function checkPlaces(logs: readonly RawLog[], { fromBlock, toBlock }: Blocks): void {
  for (const [index, log] of logs.entries()) {
    const number = Number(log.blockNumber)
    if (log.removed || !(number >= fromBlock && number <= toBlock))
      throw inconsistent(`the node sent a log of block ${number} that is removed or outside ${fromBlock}-${toBlock}`)
    const before = logs[index - 1]
    if (before && !(byPlace(before, log) < 0)) throw inconsistent(`the node sent a log of block ${number} twice`)
  }
}

/**
 * Checks that all logs of a block have the same hash. If the header of the block was read, this must be the
 * hash of the header.
 */
export function checkHashes(logs: readonly RawLog[], headers: Headers): void {
  const hashes = new Map<number, string>()
  for (const [number, header] of headers) hashes.set(number, header.hash)
  for (const log of logs) {
    const number = Number(log.blockNumber)
    const hash = log.blockHash.toLowerCase()
    const expected = hashes.get(number)
    if (expected === undefined) hashes.set(number, hash)
    else if (expected !== hash) throw inconsistent(`logs and header of block ${number} belong to different branches`)
  }
}

export function checkLinks(headers: Headers): void {
  for (const { number, parentHash } of headers.values()) {
    const parent = headers.get(number - 1)
    if (parent && parent.hash !== parentHash) throw inconsistent(`block ${number} does not follow block ${number - 1}`)
  }
}

/**
 * Whether each block has one time, and the times never fall. The time comes from the header if the header was
 * read, otherwise from the logs. The logs must be in chain order.
 */
export function areTimesSound(logs: readonly RawLog[], headers: Headers, { fromBlock, toBlock }: Blocks): boolean {
  let block = fromBlock
  let atMs = headers.get(fromBlock)?.atMs ?? 0
  for (const log of logs) {
    const number = Number(log.blockNumber)
    const header = headers.get(number)
    const itsMs = header ? header.atMs : (timeOf(log) ?? atMs)
    if (itsMs < atMs || (number === block && itsMs !== atMs)) return false
    block = number
    atMs = itsMs
  }
  return atMs <= (headers.get(toBlock)?.atMs ?? 0)
}

/** The time of the log's block, in epoch ms. Null if the node did not put the time into the log. */
export function timeOf(log: RawLog): number | null {
  const seconds = typeof log.blockTimestamp === 'string' ? Number(log.blockTimestamp) : Number.NaN
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1000 : null
}

export const inconsistent = (message: string): OperationError => new OperationError('node_inconsistent', message)
