/**
 * Builds payments on Solana. Some are those of the official client, and others are variations that this
 * client never makes.
 */
import { hash } from 'node:crypto'
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase64Decoder,
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { PaymentPayload } from '@x402/core/types'
import { svmNetwork, svmTokenProgram, svmUsdc } from '../../../api/payments/svm/names.ts'
import { tokenAccountOf } from '../../../api/payments/svm/token-account.ts'
import { toBase58 } from '../../../infra/base58.ts'

export const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111')

export const signerOfSeed = (seed: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(hash('sha256', seed, 'buffer'))

export const svmSeller = 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH'
export const svmFeePayer: Address = address('EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd')
export const someBlockhash = toBase58(hash('sha256', 'a block', 'buffer')) as Blockhash

export type Made = Readonly<{
  payer: KeyPairSigner
  payTo?: string
  amount?: bigint
  feePayer?: Address
  blockhash?: Blockhash
  memo?: string
  /** Returns the instructions to use instead of those of the official client. */
  change?: (instructions: readonly Instruction[]) => readonly Instruction[]
  version?: 'legacy' | 0
}>

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer)

export async function transferOf({ payer, payTo = svmSeller, amount = 10_000n }: Made): Promise<Instruction> {
  return {
    programAddress: address(svmTokenProgram),
    accounts: [
      { address: await tokenAccountOf(payer.address), role: AccountRole.WRITABLE },
      { address: address(svmUsdc), role: AccountRole.READONLY },
      { address: await tokenAccountOf(payTo), role: AccountRole.WRITABLE },
      { address: payer.address, role: AccountRole.READONLY_SIGNER, signer: payer } as never,
    ],
    data: Buffer.concat([Buffer.of(12), u64(amount), Buffer.of(6)]),
  }
}

/** Returns a transaction in base64. The payer has signed it, but the fee payer has not. */
export async function makeTransaction(made: Made): Promise<string> {
  const { feePayer = svmFeePayer, blockhash = someBlockhash, memo = 'a memo', change = (same) => same } = made
  const instructions = change([
    { programAddress: computeBudgetProgram, data: Buffer.concat([Buffer.of(2), u32(20_000)]) },
    { programAddress: computeBudgetProgram, data: Buffer.concat([Buffer.of(3), u64(1n)]) },
    await transferOf(made),
    { programAddress: memoProgram, accounts: [], data: Buffer.from(memo) },
  ])
  const message = pipe(
    createTransactionMessage({ version: made.version ?? 0 }),
    (empty) => setTransactionMessageFeePayer(feePayer, empty),
    (paid) => appendTransactionMessageInstructions([...instructions], paid),
    (whole) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, whole),
  )
  const signed = await partiallySignTransactionMessageWithSigners(message as never)
  return getBase64Decoder().decode(getTransactionEncoder().encode(signed as never))
}

export function toSvmPayload(transaction: string, accepted: object = {}): PaymentPayload {
  return {
    x402Version: 2,
    resource: { url: 'https://data.example/v1/rh/bursts/live' },
    accepted: {
      ...{ scheme: 'exact', network: svmNetwork, asset: svmUsdc, amount: '10000', payTo: svmSeller },
      ...{ maxTimeoutSeconds: 120, extra: { feePayer: svmFeePayer } },
      ...accepted,
    },
    payload: { transaction },
  }
}

/** Returns the same transaction, with another signature for one signer. */
export function withSignature(transaction: string, signer: Address, signature: Uint8Array): string {
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction))
  const signatures = { ...decoded.signatures, [signer]: signature }
  return getBase64Decoder().decode(getTransactionEncoder().encode({ ...decoded, signatures } as never))
}
