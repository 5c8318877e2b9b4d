/**
 * Decodes transfers of position NFTs. The log of a transfer does not name the pool. The transaction that mints the NFT has another log with
 * the pool.
 */

import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, PoolId, PositionId } from '../../../schemas/units.ts'
import type { DecodedLog } from './decoded-log.ts'
import { logTopics } from './log-topics.ts'
import { addressOf, type RawLog, wordsOf, wordText } from './log-words.ts'
import type { RangeAddresses } from './range-addresses.ts'

export type Transfer = Readonly<{ positionId: PositionId; from: Address; to: Address }>

/** Reads the transfer of a position NFT. Returns null if the log is malformed. */
export function readTransfer(log: RawLog): Transfer | null {
  const words = wordsOf(log, { topicCount: 4, dataCount: 0 })
  const from = words && addressOf(words.topics[1] ?? 0n)
  const to = words && addressOf(words.topics[2] ?? 0n)
  return words && from && to ? { from, to, positionId: wordText(words.topics[3] ?? 0n) } : null
}

export type Changers = Readonly<{ poolManager: Address; positionManager: Address }>

/**
 * Returns the pool of each position whose liquidity the position manager changes in these logs. A key
 * combines the transaction and the position.
 */
export function changedPools(logs: readonly RawLog[], { poolManager, positionManager }: Changers) {
  const pools = new Map<string, PoolId>()
  for (const log of logs) {
    if (log.topics[0] !== logTopics.v4ModifyLiquidity || log.address.toLowerCase() !== poolManager) continue
    const words = wordsOf(log, { topicCount: 3, dataCount: 4 })
    if (!words || addressOf(words.topics[2] ?? 0n) !== positionManager) continue
    const positionId = wordText(words.data[3] ?? 0n)
    pools.set(keyOf(log, positionId), wordText(words.topics[1] ?? 0n))
  }
  return pools
}

const keyOf = ({ transactionHash }: RawLog, positionId: PositionId): string =>
  `${transactionHash.toLowerCase()}:${positionId}`

const nobody: Address = `0x${'0'.repeat(40)}` as const

/**
 * Finds the pool of a transferred position. At a mint, the log with the pool comes after the transfer. So `changed` is built before
 * transfers are decoded.
 */
export function poolOfTransfer(
  log: RawLog,
  { from, positionId }: Transfer,
  { book, changed }: Readonly<{ book: RangeAddresses; changed: ReadonlyMap<string, PoolId> }>,
) {
  if (from !== nobody) return book.poolOfPosition(positionId)
  const pool = book.poolOf(changed.get(keyOf(log, positionId)) ?? '')
  if (!pool) book.disown(positionId)
  return pool
}

/** The fact of a transfer in a followed pool. A mint also adds the position to the address book. */
export function transferFact(
  transfer: Transfer,
  { place, pool, token }: Readonly<{ place: ChainPlace; pool: PoolId; token: Address }>,
): DecodedLog {
  const { positionId, from, to } = transfer
  return {
    kind: 'fact',
    token,
    fact: { type: 'PositionTransferred', data: { pool, positionId, from, to, ...place } },
    address: from === nobody ? { type: 'PositionAddress', data: { positionId, pool } } : null,
  }
}
