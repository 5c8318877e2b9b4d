/**
 * Converts the transactions of another parser's fixtures to the shape that a node sends. In the fixtures, a
 * transaction is a tree of calls, and bytes are lists of numbers.
 */
import { base58 } from '@scure/base'
import type { WireInstruction, WireTransaction } from '../../../ingest/chain-b/decode/transaction/wire.ts'

type Bytes = readonly number[]
type VixenInstruction = Readonly<{
  ix_index: readonly number[]
  program: Bytes
  accounts: readonly Bytes[]
  data: Bytes
  inner: readonly VixenInstruction[]
}>
export type VixenTransaction = Readonly<{
  instructions: readonly VixenInstruction[]
  log_messages: readonly string[]
}>

const textOf = (bytes: Bytes): string => base58.encode(Uint8Array.from(bytes))

const innerOf = ({ inner }: VixenInstruction): readonly WireInstruction[] =>
  inner.flatMap((call) => [
    { programId: textOf(call.program), accounts: call.accounts.map(textOf), data: textOf(call.data) },
    ...innerOf(call),
  ])

/**
 * Converts a transaction. The fixtures contain the signature only in their file names, so `signature` is
 * given.
 */
export function fromVixen({ instructions, log_messages }: VixenTransaction, signature: string): WireTransaction {
  const innerInstructions = instructions.map((instruction) => ({
    index: instruction.ix_index[0] ?? 0,
    instructions: innerOf(instruction),
  }))
  return {
    transaction: { signatures: [signature], message: { accountKeys: [] } },
    meta: { err: null, innerInstructions, logMessages: log_messages },
  }
}
