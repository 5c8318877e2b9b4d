import assert from 'node:assert/strict'
import { hexOfBase58 } from '../../../infra/base58.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { Address } from '../../../schemas/units.ts'
import { decodeTransaction, type KeyedEvent } from '../decode/decode-transaction.ts'
import type { KnownPool } from '../decode/decoded-event.ts'
import type { SlotTransaction } from '../reserves/order-slot.ts'
import type { EventTransaction } from './read-events.ts'
import type { LinkedSlot } from './slot-reader.ts'

type PoolOf = (pool: Address) => KnownPool | undefined

/** Decodes the transactions of a slot to facts. The transactions are not in chain order yet. */
export function decodeSlot(
  { block, transactions }: LinkedSlot,
  poolOf: PoolOf,
  logger: Logger,
): readonly SlotTransaction[] {
  return transactions.map((transaction) => ({
    index: transaction.index,
    facts: decodeOne(transaction, { block, poolOf, logger }),
  }))
}

type Context = Readonly<{ block: Block; poolOf: PoolOf; logger: Pick<Logger, 'error'> }>

function decodeOne({ txHash, events }: EventTransaction, { block, poolOf, logger }: Context): readonly KeyedEvent[] {
  const { number: blockNumber, atMs: blockAtMs, hash: blockHash } = block
  const place = { blockNumber, blockAtMs, blockHash, txHash, txIndex: 0 }
  const { facts, refusals } = decodeTransaction(events, { place, poolOf })
  for (const { logIndex, reason } of refusals)
    logger.error(
      { txHash, slot: blockNumber, logIndex, reason },
      'an event cannot be decoded and is left out of the log',
    )
  return facts
}

const nowhere: Block = { number: 0, hash: '0x', atMs: 0 }
const nobody = { error: () => {} }

/** Returns the pools that these transactions open. */
export const openedIn = (transactions: Iterable<EventTransaction>): readonly Address[] =>
  [...transactions]
    .flatMap((transaction) => decodeOne(transaction, { block: nowhere, poolOf: () => undefined, logger: nobody }))
    .flatMap(({ fact }) => (fact.type === 'CurveMigrated' ? [fact.data.pool] : []))

/** Converts the key of a fact, which is its mint in base58, to hex. */
export function mintOfKey(key: string): Address {
  const mint = hexOfBase58(key, 32)
  assert.ok(mint !== null, 'the key of a fact must be its mint')
  return mint
}
