/** Converts the transactions of a parser's fixtures to a node's shape: a tree of calls, with bytes as lists of numbers. */
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

/** The fixtures have the signature only in their file names. */
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
