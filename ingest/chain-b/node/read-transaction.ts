import { parsed, seconds, signatureOf, slotNumber, transactionAnswer } from './answers.ts'
import { inconsistent } from './failures.ts'
import { transactionVersionMax } from './read-blocks.ts'
import type { ChainBReader } from './reader.ts'
import type { Rpc } from './rpc.ts'

const answerShape = transactionAnswer.extend({ slot: slotNumber, blockTime: seconds.nullish() }).nullable()

/** Requests JSON, which stays readable if a later version changes the binary form. */
const config = {
  commitment: 'confirmed',
  encoding: 'json',
  maxSupportedTransactionVersion: transactionVersionMax,
} as const

/** The node does not give the index. */
export const createTransactionReader =
  ({ request }: Rpc): ChainBReader['transaction'] =>
  async (signature, signal) => {
    const method = 'getTransaction'
    const answer = parsed(answerShape, await request(method, [signature, config], signal), method)
    if (answer === null || answer.meta?.err !== null) return null
    const { slot, transaction, meta } = answer
    if (signatureOf(transaction, method) !== signature) throw inconsistent('the node sent another transaction')
    return { signature, slot, index: null, wire: { transaction, meta } }
  }
