/**
 * Reads a Solana payment from its transaction. Rejects everything that x402's scheme `exact` forbids. Also
 * rejects a transaction that two programs could interpret differently.
 */
import { hash } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { z } from 'zod'
import { bytesOfBase58, toBase58 } from '../../../infra/base58.ts'
import type { PayloadRefusal } from '../payment-network.ts'
import { amountOf, refusalOfInstructions, type SvmReceiver } from './instructions.ts'
import { readSvmTransaction, type SvmTransaction } from './message.ts'
import { svmUsdc } from './names.ts'

export type SvmTransfer = Readonly<{
  /** The payer's address in base58. */
  payer: string
  payerKey: Buffer
  amount: bigint
  /** The blockhash of the transaction in base58. */
  blockhash: string
  /** The bytes that the payer signed: the transaction without its signatures. */
  messageBytes: Buffer
  /** The SHA-256 of `messageBytes`, in hex. */
  messageHash: string
  /** The payer's signature. The fee payer's signature is not read, because the facilitator adds it later. */
  signature: Buffer
}>

/** The maximum length of a transaction in bytes, which must fit into one network packet. */
const transactionBytesMax = 1_232

const payloadSchema = z.strictObject({
  // The length of the longest base64 text of `transactionBytesMax` bytes.
  transaction: z.string().max(Math.ceil(transactionBytesMax / 3) * 4),
})

export function readSvmTransfer(payload: PaymentPayload, receiver: SvmReceiver): SvmTransfer | PayloadRefusal {
  const parsed = payloadSchema.safeParse(payload.payload)
  if (!parsed.success) return { refusal: 'unsupported_payload_type' }
  if (payload.accepted.asset !== svmUsdc) return { refusal: 'asset_mismatch' }
  const { transaction: text } = parsed.data
  const bytes = Buffer.from(text, 'base64')
  const transaction = bytes.toString('base64') === text ? readSvmTransaction(bytes) : null
  if (transaction === null) return { refusal: 'invalid_exact_svm_payload_transaction_could_not_be_decoded' }
  const refusal = refusalOfSigners(transaction) ?? refusalOfInstructions(transaction, receiver)
  return refusal === null ? toTransfer(transaction, payload.accepted) : { refusal }
}

/** Accepts only a transaction that exactly two accounts sign: the fee payer and the payer. */
const refusalOfSigners = ({ signatures }: SvmTransaction): string | null =>
  signatures.length === 2 ? null : 'invalid_exact_svm_payload_excessive_signers'

function toTransfer(transaction: SvmTransaction, accepted: PaymentPayload['accepted']): SvmTransfer | PayloadRefusal {
  const { accounts, signatures, messageBytes, blockhash } = transaction
  const [feePayer, payerKey] = accounts as [Buffer, Buffer]
  const [, signature] = signatures as [Buffer, Buffer]
  const amount = amountOf(transaction)
  if (!isAddressOf(feePayer, accepted.extra?.feePayer)) return { refusal: 'invalid_exact_svm_fee_payer_mismatch' }
  if (String(amount) !== accepted.amount) return { refusal: 'invalid_exact_svm_payload_amount_mismatch' }
  const messageHash = hash('sha256', messageBytes, 'hex')
  return {
    ...{ payer: toBase58(payerKey), payerKey, amount, blockhash: toBase58(blockhash) },
    ...{ messageBytes, messageHash, signature },
  }
}

const addressCharsMax = 44

const isAddressOf = (key: Buffer, text: unknown): boolean =>
  typeof text === 'string' && text.length <= addressCharsMax && bytesOfBase58(text)?.equals(key) === true
