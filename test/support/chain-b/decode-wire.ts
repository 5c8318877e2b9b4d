import { expect } from 'chai'
import { type DecodedTransaction, decodeTransaction } from '../../../ingest/chain-b/decode/decode-transaction.ts'
import type { KnownPool } from '../../../ingest/chain-b/decode/decoded-event.ts'
import { type Channel, readTransaction } from '../../../ingest/chain-b/decode/transaction/read-transaction.ts'
import type { WireTransaction } from '../../../ingest/chain-b/decode/transaction/wire.ts'
import type { Hex } from '../../../schemas/units.ts'

export type DecodeOptions = Readonly<{
  channel?: Channel
  slot?: number
  /** The time of the transaction. Null: the node did not give a time. */
  atMs?: number | null
  pools?: ReadonlyMap<Hex, KnownPool>
}>

const slotHash: Hex = `0x${'ab'.repeat(32)}`

/** Returns the facts of a transaction. The test fails if the transaction cannot be read. */
export function decodeWire(wire: WireTransaction, options: DecodeOptions = {}): DecodedTransaction {
  const { channel = 'inner', slot = 1, atMs = null, pools } = options
  const read = readTransaction(wire, channel)
  if (read.kind !== 'read') expect.fail(`the transaction is ${JSON.stringify(read)}`)
  const place = { blockNumber: slot, blockAtMs: atMs, txIndex: 0, blockHash: slotHash, txHash: read.signature }
  return decodeTransaction(read.events, { place, poolOf: (pool) => pools?.get(pool) })
}
