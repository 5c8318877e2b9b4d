/**
 * The instructions of an `exact` payment on Solana: a compute limit and price, one `transferChecked` of the mint into the
 * seller's account, and at most four memos or assertions of wallets.
 */
import { type Address, address, type CompiledTransactionMessage } from '@solana/kit'
import { svmTokenProgram } from './svm-names.ts'
import type { SvmReceiver } from './svm-transfer.ts'

const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111')
const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
/** Phantom puts its assertions behind what it signs. */
const lighthouseProgram = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95')

const instructionsMax = 7
const decimals = 6
/** In millionths of a lamport for a unit, as the scheme has it: the facilitator pays it. */
const unitPriceMax = 5_000_000n

type Instruction = Readonly<{ program: Address | undefined; accounts: readonly (Address | undefined)[]; data: Buffer }>

/** A code of x402, or null. */
export function refusalOfInstructions(message: CompiledTransactionMessage, receiver: SvmReceiver): string | null {
  const instructions = instructionsOf(message)
  const [limit, price, transfer, ...others] = instructions
  if (!limit || !price || !transfer || instructions.length > instructionsMax)
    return 'invalid_exact_svm_payload_transaction_instructions_length'
  // Nobody may make the facilitator's account a part of what it pays the fees for.
  if (instructions.some(({ accounts }) => accounts.includes(message.staticAccounts[0])))
    return 'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds'
  return refusalOfBudget(limit, price) ?? refusalOfTransfer(transfer, message, receiver) ?? refusalOfOthers(others)
}

/** Of a message without a refusal. */
export function transferIn(message: CompiledTransactionMessage): Readonly<{ amount: bigint }> {
  const data = instructionsOf(message)[2]?.data ?? Buffer.alloc(transferBytes)
  return { amount: data.readBigUInt64LE(1) }
}

function instructionsOf(message: CompiledTransactionMessage): readonly Instruction[] {
  if (!('instructions' in message)) return []
  const accountAt = (index: number) => message.staticAccounts[index]
  return message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
    program: accountAt(programAddressIndex),
    accounts: accountIndices.map(accountAt),
    data: Buffer.from(data ?? []),
  }))
}

function refusalOfBudget(limit: Instruction, price: Instruction): string | null {
  const isBudget = ({ program, accounts }: Instruction) => program === computeBudgetProgram && accounts.length === 0
  if (!isBudget(limit) || limit.data[0] !== 2 || limit.data.length !== 5)
    return 'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction'
  const code = 'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction'
  if (!isBudget(price) || price.data[0] !== 3 || price.data.length !== 9) return code
  return price.data.readBigUInt64LE(1) > unitPriceMax ? `${code}_too_high` : null
}

const transferBytes = 10

function refusalOfTransfer(
  { program, accounts, data }: Instruction,
  { staticAccounts }: CompiledTransactionMessage,
  receiver: SvmReceiver,
): string | null {
  const [source, mint, destination, authority] = accounts
  const isTransfer = program === svmTokenProgram && data[0] === 12 && data.length === transferBytes
  if (!isTransfer || accounts.length !== 4 || authority !== staticAccounts[1] || data[9] !== decimals)
    return 'invalid_exact_svm_payload_no_transfer_instruction'
  if (mint !== receiver.mint) return 'invalid_exact_svm_payload_mint_mismatch'
  // From an account into itself nothing is paid.
  return destination === receiver.account && source !== destination
    ? null
    : 'invalid_exact_svm_payload_recipient_mismatch'
}

const unknownInstruction = ['fourth', 'fifth', 'sixth', 'seventh'] as const

function refusalOfOthers(others: readonly Instruction[]): string | null {
  const index = others.findIndex(({ program }) => program !== memoProgram && program !== lighthouseProgram)
  return index < 0 ? null : `invalid_exact_svm_payload_unknown_${unknownInstruction[index]}_instruction`
}
