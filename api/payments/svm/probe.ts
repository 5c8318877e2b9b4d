/**
 * Whether a Solana payment reached us: a transaction with its message is on the chain and succeeded. The transaction is known
 * by the signature of the fee payer, which only the facilitator knows, so it is looked for among those of the payer.
 */
import { hash } from 'node:crypto'
import {
  type Address,
  type Blockhash,
  getBase64Encoder,
  getTransactionDecoder,
  type Rpc,
  type Signature,
  type SolanaRpcApi,
} from '@solana/kit'
import { hexOfBase58 } from '../../../infra/base58.ts'
import type { ChainFinding, ProbedPayment } from '../payment-network.ts'

type SvmNode = Rpc<
  Pick<SolanaRpcApi, 'getSignaturesForAddress' | 'getTransaction' | 'isBlockhashValid' | 'getBlockTime'>
>

/** The chain's clock may run behind ours by this much. */
const clockSlackMs = 120_000
const timeoutMs = 3_000
/** Transactions of the payer since the payment was seen: pages of the node, and how many are read for one answer. */
const pageSize = 1_000
const pagesMax = 5
const readMax = 100
/** Messages of transactions, which do not change. */
const knownMax = 5_000

type Listed = Readonly<{ signature: Signature; err: unknown; blockTime: bigint | null }>

/** A transaction is named by the signature of its fee payer, of 64 bytes. A node or a facilitator may answer with anything. */
export const isTransactionSignature = (text: string): boolean => hexOfBase58(text, 64) !== null

function isPossible({ err, signature }: Listed): boolean {
  if (!isTransactionSignature(signature)) throw new TypeError('the node names a transaction as none is named')
  return err === null
}

export function createSvmProbe(
  node: SvmNode,
  { rememberedMs, nowMs }: Readonly<{ rememberedMs: number; nowMs: () => number }>,
): (payment: ProbedPayment) => Promise<ChainFinding> {
  const messages = createMessageReader(node)

  /** The transactions of the payer that can be the payment. `isWhole`: none is missing. */
  const list = async ({ payer, seenAtMs }: Sought, at: At) => {
    const candidates: Signature[] = []
    let before: Signature | undefined
    for (let page = 0; page < pagesMax; page++) {
      const listed: readonly Listed[] = await node
        .getSignaturesForAddress(payer, { limit: pageSize, ...at, ...(before === undefined ? {} : { before }) })
        .send(inTime())
      const young = listed.filter(({ blockTime }) => !isBefore(blockTime, seenAtMs - clockSlackMs))
      candidates.push(...young.filter(isPossible).map(({ signature }) => signature))
      if (young.length < pageSize) return { candidates, isWhole: true }
      before = young.at(-1)?.signature
    }
    return { candidates, isWhole: false }
  }
  /** `isWhole`: all that can be it were looked at. */
  const find = async (payment: Sought, at: At): Promise<Found> => {
    let { candidates, isWhole } = await list(payment, at)
    let reads = 0
    for (const signature of candidates) {
      if (!messages.isKnown(signature) && ++reads > readMax) return { transaction: null, isWhole: false }
      const messageHash = await messages.hashOf(signature)
      if (messageHash === payment.messageHash) return { transaction: signature, isWhole: true }
      isWhole &&= messageHash !== null
    }
    return { transaction: null, isWhole }
  }
  /** The slot of a final block that no block with this blockhash can follow any more; null: it can, as far as is known. */
  const deadSince = async ({ blockhash, seenAtMs }: Sought): Promise<bigint | null> => {
    if (nowMs() < seenAtMs + clockSlackMs) return null
    const { context, value: isValid } = await node
      .isBlockhashValid(blockhash, { commitment: 'finalized' })
      .send(inTime())
    if (isValid) return null
    // A node that lags behind does not know it yet. The blockhash was there when the payment was seen.
    const blockTime = await node.getBlockTime(context.slot).send(inTime())
    return blockTime !== null && Number(blockTime) * 1000 > seenAtMs + clockSlackMs ? context.slot : null
  }
  return async (payment) => {
    const sought = soughtOf(payment, rememberedMs)
    const told = payment.transaction ?? null
    if (told !== null && (await messages.hashOf(told as Signature)) === sought.messageHash)
      return { kind: 'paid', transaction: told }
    const { transaction } = await find(sought, { commitment: 'confirmed' })
    if (transaction !== null) return { kind: 'paid', transaction }
    const slot = await deadSince(sought)
    if (slot === null) return { kind: 'unpaid' }
    // Looked for once more, at that block: it may have landed just before, or the first list came from a node behind.
    const last = await find(sought, { commitment: 'finalized', minContextSlot: slot })
    if (last.transaction !== null) return { kind: 'paid', transaction: last.transaction }
    return { kind: last.isWhole ? 'expired' : 'unpaid' }
  }
}

type At = Readonly<{ commitment: 'confirmed' | 'finalized'; minContextSlot?: bigint }>
type Found = Readonly<{ transaction: string | null; isWhole: boolean }>
type Sought = Readonly<{ payer: Address; blockhash: Blockhash; messageHash: string; seenAtMs: number }>

function soughtOf({ paymentId, validBeforeMs }: ProbedPayment, rememberedMs: number): Sought {
  const [, , payer, blockhash, messageHash] = paymentId.split('|') as [string, string, Address, Blockhash, string]
  return { payer, blockhash, messageHash, seenAtMs: validBeforeMs - rememberedMs }
}

const isBefore = (blockTime: bigint | null, atMs: number): boolean =>
  blockTime !== null && Number(blockTime) * 1000 < atMs

const inTime = () => ({ abortSignal: AbortSignal.timeout(timeoutMs) })

type MessageReader = Readonly<{
  isKnown: (signature: Signature) => boolean
  /** Null: the node does not have it, or not yet, or it failed. */
  hashOf: (signature: Signature) => Promise<string | null>
}>

function createMessageReader(node: SvmNode): MessageReader {
  const known = new Map<Signature, string>()
  const read = async (signature: Signature): Promise<string | null> => {
    const found = await node
      .getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send(inTime())
    if (found === null || (found.meta?.err ?? null) !== null) return null
    const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(found.transaction[0]))
    const messageHash = hash('sha256', Uint8Array.from(messageBytes), 'hex')
    known.set(signature, messageHash)
    const [oldest] = known.keys()
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest)
    return messageHash
  }
  return {
    isKnown: (signature) => known.has(signature),
    hashOf: async (signature) => known.get(signature) ?? read(signature),
  }
}
