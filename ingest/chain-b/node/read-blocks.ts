import { z } from 'zod'
import { isOperationError } from '../../../infra/errors.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { blockAnswer, parsed, seconds, signatureOf, slotNumber, transactionAnswer } from './answers.ts'
import { inconsistent, isNoBlock } from './failures.ts'
import { listOf } from './list-shape.ts'
import type { ChainBReader, NodeBlock, NodeTransaction } from './reader.ts'
import type { Rpc } from './rpc.ts'

/** The highest transaction version that is requested. A block with a transaction of a higher version cannot be read at all. */
export const transactionVersionMax = 1

const confirmed = { commitment: 'confirmed' } as const
const contents = { encoding: 'json', maxSupportedTransactionVersion: transactionVersionMax, rewards: false } as const

const wholeAnswer = z.object({ transactions: listOf(transactionAnswer) })

type BlockReader = Pick<ChainBReader, 'headSlot' | 'slotsWithBlocks' | 'block' | 'wholeBlock'>

export function createBlockReader({ request }: Rpc): BlockReader {
  const getBlock = async (slot: BlockNumber, transactionDetails: 'none' | 'full', signal: AbortSignal) => {
    try {
      return await request('getBlock', [slot, { ...confirmed, ...contents, transactionDetails }], signal)
    } catch (error) {
      if (isOperationError(error) && isNoBlock(error)) return null
      throw error
    }
  }
  return {
    async headSlot(signal) {
      return parsed(slotNumber, await request('getSlot', [confirmed], signal), 'getSlot')
    },
    async slotsWithBlocks({ fromSlot, toSlot }, signal) {
      const answer = await request('getBlocks', [fromSlot, toSlot, confirmed], signal)
      const slots = parsed(listOf(slotNumber), answer, 'getBlocks')
      if (slots.some((slot, index) => slot < fromSlot || slot > toSlot || slot <= (slots[index - 1] ?? -1)))
        throw inconsistent(`the node sent slots that are outside ${fromSlot}-${toSlot} or not in order`)
      return slots
    },
    async block(slot, signal) {
      const answer = await getBlock(slot, 'none', signal)
      return answer === null ? null : blockOf(slot, answer)
    },
    async wholeBlock(slot, signal) {
      const answer = await getBlock(slot, 'full', signal)
      if (answer === null) return null
      const { transactions } = parsed(wholeAnswer, answer, 'getBlock')
      return {
        block: blockOf(slot, answer),
        transactions: transactions.flatMap((wire, index): readonly NodeTransaction[] =>
          wire.meta?.err === null ? [{ signature: signatureOf(wire.transaction, 'getBlock'), slot, index, wire }] : [],
        ),
      }
    },
  }
}

function blockOf(slot: BlockNumber, answer: unknown): NodeBlock {
  const { blockhash, previousBlockhash, parentSlot, blockTime } = parsed(blockAnswer, answer, 'getBlock')
  return { number: slot, hash: blockhash, atMs: blockTime * 1000, parentSlot, parentHash: previousBlockhash }
}

const answerShape = transactionAnswer.extend({ slot: slotNumber, blockTime: seconds.nullish() }).nullable()

/**
 * Requests the encoding `json`, which stays readable if a later transaction version changes the binary form.
 */
const config = {
  commitment: 'confirmed',
  encoding: 'json',
  maxSupportedTransactionVersion: transactionVersionMax,
} as const

/** Reads one transaction. Its `index` is null, because getTransaction gives no index. */
export const createTransactionReader =
  ({ request }: Rpc): ChainBReader['transaction'] =>
  async (signature, signal) => {
    const method = 'getTransaction'
    const answer = parsed(answerShape, await request(method, [signature, config], signal), method)
    if (answer === null || answer.meta?.err !== null) return null
    const { slot, transaction, meta } = answer
    if (signatureOf(transaction, method) !== signature)
      throw inconsistent('the node sent a different transaction than the requested one')
    return { signature, slot, index: null, wire: { transaction, meta } }
  }
