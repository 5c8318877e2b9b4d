/**
 * Reads a Solana payment out of its transaction. Strict: what one reader could take for another transfer than the next one is
 * no payment, and neither is what the scheme forbids.
 */
import { hash } from 'node:crypto'
import {
  type Address,
  type CompiledTransactionMessage,
  getBase64Decoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit'
import type { PaymentPayload } from '@x402/core/types'
import { z } from 'zod'
import type { PayloadRefusal } from './payment-network.ts'
import { refusalOfInstructions, transferIn } from './svm-instructions.ts'

export type SvmTransfer = Readonly<{
  payer: Address
  amount: bigint
  blockhash: string
  /** What was signed, without any signature. */
  messageBytes: Uint8Array
  /** SHA-256 of the message, in hex. */
  messageHash: string
  /** The payer's. The slot of the fee payer says nothing: the facilitator fills it. */
  signature: Uint8Array
}>

export type SvmReceiver = Readonly<{
  mint: Address
  /** The seller's account for the mint. */
  account: Address
}>

/** A packet of the network has no more. */
const transactionBytesMax = 1_232

const payloadSchema = z.strictObject({
  // Base64 of the bytes, at most.
  transaction: z.string().max(Math.ceil(transactionBytesMax / 3) * 4),
})

const notDecoded: PayloadRefusal = { refusal: 'invalid_exact_svm_payload_transaction_could_not_be_decoded' }

export function readSvmTransfer(payload: PaymentPayload, receiver: SvmReceiver): SvmTransfer | PayloadRefusal {
  const parsed = payloadSchema.safeParse(payload.payload)
  if (!parsed.success) return { refusal: 'unsupported_payload_type' }
  if (payload.accepted.asset !== receiver.mint) return { refusal: 'asset_mismatch' }
  const decoded = decode(parsed.data.transaction)
  if (decoded === null) return notDecoded
  const refusal = refusalOfHeader(decoded.message) ?? refusalOfInstructions(decoded.message, receiver)
  return refusal === null ? toTransfer(decoded, payload.accepted) : { refusal }
}

type Decoded = Readonly<{
  message: CompiledTransactionMessage & Readonly<{ lifetimeToken: string }>
  messageBytes: Uint8Array
  signatures: Readonly<Record<Address, Uint8Array | null>>
}>

/** Null: it is not the one way to write this transaction. */
function decode(text: string): Decoded | null {
  try {
    const bytes = getBase64Encoder().encode(text)
    if (getBase64Decoder().decode(bytes) !== text) return null
    const transaction = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    const messageBytes = Uint8Array.from(transaction.messageBytes)
    const isCanonical =
      isEqual(getTransactionEncoder().encode(transaction), bytes) &&
      isEqual(getCompiledTransactionMessageEncoder().encode(message), messageBytes)
    return isCanonical
      ? { message: message as Decoded['message'], messageBytes, signatures: transaction.signatures }
      : null
  } catch {
    return null
  }
}

const isEqual = (left: Readonly<ArrayLike<number>>, right: Readonly<ArrayLike<number>>): boolean =>
  Buffer.compare(Uint8Array.from(left), Uint8Array.from(right)) === 0

/** The fee payer and the payer sign, nobody else; and every account stands in the message itself. */
function refusalOfHeader(message: CompiledTransactionMessage): string | null {
  const { version, header, staticAccounts } = message
  const isKnown = version === 'legacy' || (version === 0 && (message.addressTableLookups ?? []).length === 0)
  if (!isKnown || new Set(staticAccounts).size !== staticAccounts.length) return notDecoded.refusal
  return header.numSignerAccounts === 2 ? null : 'invalid_exact_svm_payload_excessive_signers'
}

function toTransfer({ message, messageBytes, signatures }: Decoded, accepted: PaymentPayload['accepted']) {
  const [feePayer, payer] = message.staticAccounts as [Address, Address]
  const { amount } = transferIn(message)
  if (feePayer !== accepted.extra?.feePayer) return { refusal: 'invalid_exact_svm_fee_payer_mismatch' }
  if (String(amount) !== accepted.amount) return { refusal: 'invalid_exact_svm_payload_amount_mismatch' }
  const signature = signatures[payer]
  if (!signature) return { refusal: 'invalid_exact_svm_payload_signature_invalid' }
  const messageHash = hash('sha256', messageBytes, 'hex')
  return {
    payer,
    amount,
    blockhash: message.lifetimeToken,
    messageBytes,
    messageHash,
    signature: Uint8Array.from(signature),
  }
}
