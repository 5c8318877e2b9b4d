/**
 * The key and the partition of all tables about followed buys. The key is the time of the buy, the mint and
 * the place of the buy on the chain.
 */

import { base58OfHex } from '../../../infra/base58.ts'
import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import { dayMs } from '../../../schemas/units.ts'

export const copyKey = ['at_ms', 'mint', 'tx_hash', 'log_index'] as const

/** A query about one wallet reads two weeks of buys. Each partition that it reads costs time. */
export const copyPartition = { column: 'at_ms', everyMs: 7 * dayMs } as const

export const withdrawnCopy = ({ atMs, txHash, logIndex }: RowKey, mint: string) => ({
  mint,
  at_ms: atMs,
  tx_hash: txHash && base58OfHex(txHash),
  log_index: logIndex,
})
