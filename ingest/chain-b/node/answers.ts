/**
 * The shapes of a node's answers. A node may send anything, so missing or mistyped parts fail with
 * `node_inconsistent`.
 */
import { z } from 'zod'
import { hexOfBase58 } from '../../../infra/base58.ts'
import type { BlockHash } from '../../../schemas/units.ts'
import type { WireMeta } from '../decode/transaction/wire.ts'
import { inconsistent } from './failures.ts'
import { listOf } from './list-shape.ts'

export const slotNumber = z.int().nonnegative()
export const seconds = z.int().positive()
const blockHash = z.string().transform((text, context): BlockHash => {
  const hash = hexOfBase58(text, 32)
  if (hash !== null) return hash
  context.addIssue({ code: 'custom', message: 'is not a hash' })
  return z.NEVER
})

/**
 * A block without a time fails with `node_inconsistent`, and ingest reads it again later. For a short time, a
 * node may not know the time of a new block.
 */
export const blockAnswer = z.object({
  blockhash: blockHash,
  previousBlockhash: blockHash,
  parentSlot: slotNumber,
  blockTime: seconds,
})

/** This shape does not check the contents of `transaction` and `meta`. The code that reads them does. */
export const transactionAnswer = z.object({
  transaction: z.unknown(),
  meta: z.custom<WireMeta | null>((value) => typeof value === 'object'),
})

const accountAnswer = z.object({ data: z.tuple([z.string(), z.literal('base64')]), owner: z.string() }).nullable()

const withContext = <Value extends z.ZodType>(value: Value) =>
  z.object({ context: z.object({ slot: slotNumber }), value })

export const accountsAnswer = withContext(listOf(accountAnswer))
export const largestAnswer = withContext(
  listOf(z.object({ address: z.string(), amount: z.string().regex(/^\d+$/).transform(BigInt) })),
)

export function parsed<Shape extends z.ZodType>(shape: Shape, answer: unknown, method: string): z.output<Shape> {
  const result = shape.safeParse(answer)
  if (result.success) return result.data
  const { path = [], message = '' } = result.error.issues[0] ?? {}
  throw inconsistent(`the node's answer to ${method} is invalid: ${path.join('.')} ${message}`)
}

/** Returns the signature of a transaction in the encoding `json`. */
export function signatureOf(transaction: unknown, method: string): string {
  const [signature] = parsed(z.object({ signatures: listOf(z.string()) }), transaction, method).signatures
  if (signature === undefined)
    throw inconsistent(`the node's answer to ${method} contains a transaction without a signature`)
  return signature
}
