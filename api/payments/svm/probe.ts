/**
 * Searches the chain for a Solana payment: a successful transaction with the payment's message. The id of the
 * transaction is the fee payer's signature, which only the facilitator knows. So the search lists the payer's
 * transactions.
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

/** The maximum by which the chain's clock may be behind this machine's clock, in ms. */
const clockSlackMs = 120_000
const timeoutMs = 3_000
/**
 * Limits of one search through the payer's transactions since the payment was first seen: the length of a
 * page, the number of pages, and the number of transactions that are read.
 */
const pageSize = 1_000
const pagesMax = 5
const readMax = 100
/** The maximum number of cached message hashes. The message of a transaction never changes. */
const knownMax = 5_000

type Listed = Readonly<{ signature: Signature; err: unknown; blockTime: bigint | null }>

/**
 * Whether the text is a transaction id: the 64-byte signature of its fee payer. Nodes and facilitators may answer with
 * any text.
 */
export const isTransactionSignature = (text: string): boolean => hexOfBase58(text, 64) !== null

function isPossible({ err, signature }: Listed): boolean {
  if (!isTransactionSignature(signature)) throw new TypeError('the node returned an invalid transaction id')
  return err === null
}

export function createSvmProbe(
  node: SvmNode,
  { rememberedMs, nowMs }: Readonly<{ rememberedMs: number; nowMs: () => number }>,
): (payment: ProbedPayment) => Promise<ChainFinding> {
  const messages = createMessageReader(node)

  /** Lists the payer's transactions among which the payment may be. `isWhole`: the list is complete. */
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
  /** Searches for the payment among the candidates. `isWhole`: the search is complete, because every candidate was read. */
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
  /**
   * Returns the slot of a finalized block after which no block can accept this blockhash. Returns null if
   * this is not certain yet.
   */
  const deadSince = async ({ blockhash, seenAtMs }: Sought): Promise<bigint | null> => {
    if (nowMs() < seenAtMs + clockSlackMs) return null
    const { context, value: isValid } = await node
      .isBlockhashValid(blockhash, { commitment: 'finalized' })
      .send(inTime())
    if (isValid) return null
    // A node that is behind may not know the blockhash yet, and then reports it as invalid. The blockhash
    // existed when the payment was seen. So the result counts only if the node's block is later than that
    // instant.
    const blockTime = await node.getBlockTime(context.slot).send(inTime())
    return blockTime !== null && Number(blockTime) * 1000 > seenAtMs + clockSlackMs ? context.slot : null
  }
  return async (payment) => {
    const sought = soughtOf(payment, rememberedMs)
    const reported = payment.transaction ?? null
    if (reported !== null && (await messages.hashOf(reported as Signature)) === sought.messageHash)
      return { kind: 'paid', transaction: reported }
    const { transaction } = await find(sought, { commitment: 'confirmed' })
    if (transaction !== null) return { kind: 'paid', transaction }
    const slot = await deadSince(sought)
    if (slot === null) return { kind: 'unpaid' }
    // Searches one more time, up to `slot`. The transaction may have arrived just before this slot. The first
    // list may also have come from a node that is behind.
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
  /** Returns null if the transaction failed, or if the node does not have the transaction yet. */
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
