/**
 * Checks the instructions of an `exact` payment on Solana. Allowed are a compute limit, a compute price, and
 * one `transferChecked` of USDC into the seller's account. At most four memos or wallet assertions may
 * follow.
 */
import assert from 'node:assert/strict'
import { bytesOfBase58 } from '../../../infra/base58.ts'
import type { SvmInstruction, SvmTransaction } from './message.ts'
import { svmTokenProgram, svmUsdc } from './names.ts'

/** The seller's token account for USDC. */
export type SvmReceiver = Readonly<{ account: Buffer }>

export function addressBytesOf(address: string): Buffer {
  const bytes = bytesOfBase58(address)
  assert(bytes?.length === 32)
  return bytes
}

const usdc = addressBytesOf(svmUsdc)
const tokenProgram = addressBytesOf(svmTokenProgram)
const computeBudgetProgram = addressBytesOf('ComputeBudget111111111111111111111111111111')
const memoProgram = addressBytesOf('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
/** The program of wallet assertions. The wallet Phantom appends such instructions to the transactions that it signs. */
const lighthouseProgram = addressBytesOf('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95')

const instructionsMax = 7
const decimals = 6
/**
 * The maximum price in micro-lamports per compute unit, as x402's scheme `exact` specifies. The facilitator
 * pays this price.
 */
const unitPriceMax = 5_000_000n

/** Returns the x402 code of a refusal, or null if the instructions are accepted. */
export function refusalOfInstructions(transaction: SvmTransaction, receiver: SvmReceiver): string | null {
  const { instructions, accounts } = transaction
  const [limit, price, transfer, ...others] = instructions
  if (!limit || !price || !transfer || instructions.length > instructionsMax)
    return 'invalid_exact_svm_payload_transaction_instructions_length'
  const [feePayer, payer] = accounts as [Buffer, Buffer]
  // The fee payer must not take part in any instruction, because the payer could then move the facilitator's money.
  if (instructions.some((instruction) => instruction.accounts.some((account) => account.equals(feePayer))))
    return 'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds'
  return refusalOfBudget(limit, price) ?? refusalOfTransfer(transfer, payer, receiver) ?? refusalOfOthers(others)
}

/** The amount that an accepted transaction transfers. */
export const amountOf = ({ instructions }: SvmTransaction): bigint =>
  (instructions[2] as SvmInstruction).data.readBigUInt64LE(1)

function refusalOfBudget(limit: SvmInstruction, price: SvmInstruction): string | null {
  const isBudget = ({ program, accounts }: SvmInstruction) =>
    program.equals(computeBudgetProgram) && accounts.length === 0
  if (!isBudget(limit) || limit.data[0] !== 2 || limit.data.length !== 5)
    return 'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction'
  const code = 'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction'
  if (!isBudget(price) || price.data[0] !== 3 || price.data.length !== 9) return code
  return price.data.readBigUInt64LE(1) > unitPriceMax ? `${code}_too_high` : null
}

const transferBytes = 10

function refusalOfTransfer(
  { program, accounts, data }: SvmInstruction,
  payer: Buffer,
  receiver: SvmReceiver,
): string | null {
  const [source, mint, destination, authority] = accounts
  const isTransfer = program.equals(tokenProgram) && data[0] === 12 && data.length === transferBytes
  if (!isTransfer || accounts.length !== 4 || !authority?.equals(payer) || data[9] !== decimals)
    return 'invalid_exact_svm_payload_no_transfer_instruction'
  if (!mint?.equals(usdc)) return 'invalid_exact_svm_payload_mint_mismatch'
  // A transfer from an account to itself pays nothing.
  return destination?.equals(receiver.account) && source !== destination
    ? null
    : 'invalid_exact_svm_payload_recipient_mismatch'
}

const unknownInstruction = ['fourth', 'fifth', 'sixth', 'seventh'] as const

function refusalOfOthers(others: readonly SvmInstruction[]): string | null {
  const index = others.findIndex(({ program }) => !program.equals(memoProgram) && !program.equals(lighthouseProgram))
  return index < 0 ? null : `invalid_exact_svm_payload_unknown_${unknownInstruction[index]}_instruction`
}
