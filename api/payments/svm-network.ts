/** Payments on Solana: a transaction with one `transferChecked` of USDC, of which a facilitator pays the fees. */
import { hash } from 'node:crypto'
import {
  type Address,
  address,
  createSolanaRpc,
  getAddressEncoder,
  getProgramDerivedAddress,
  isAddress,
} from '@solana/kit'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import type { PaymentIdentity, PaymentNetwork } from './payment-network.ts'
import { createSvmProbe } from './svm-probe.ts'
import { createSvmSignatureCheck } from './svm-signature.ts'
import { readSvmTransfer, type SvmTransfer } from './svm-transfer.ts'

/** Solana mainnet: the beginning of its genesis hash. */
export const svmNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const usdcMint = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')

export type SvmNetworkOptions = Readonly<{
  payTo: string
  /** A node of Solana, to look for transfers whose outcome the facilitator did not report. */
  rpcUrl: string
  nowMs: () => number
  isLocal?: boolean
}>

/**
 * How long a payment is remembered from when it was seen. The transaction says no time: the chain takes it until its
 * blockhash is 150 blocks old, a minute or two, longer only while the chain stands still. Remembered for ten minutes more, so
 * that a repeat finds its answer; and by then a node has seen far more than 150 blocks. Below `validityMsMax`.
 */
export const rememberedMs = 660_000

export async function createSvmNetwork(options: SvmNetworkOptions): Promise<PaymentNetwork> {
  const { payTo, rpcUrl, nowMs, isLocal = false } = options
  const receiver = { mint: usdcMint, account: await tokenAccountOf(payTo) }
  const isSigned = createSvmSignatureCheck()
  return {
    network: svmNetwork,
    asset: usdcMint,
    payTo,
    isLocal,
    scheme: new ExactSvmScheme(),
    codes: {
      amount: 'invalid_exact_svm_payload_amount_mismatch',
      signature: 'invalid_exact_svm_payload_signature_invalid',
      // It pays the fees from other accounts now.
      outdated: 'invalid_exact_svm_fee_payer_not_managed_by_facilitator',
    },
    isOfferable: (extra) => typeof extra?.feePayer === 'string' && isAddress(extra.feePayer),
    priceOf: (usdMicros) => ({ asset: usdcMint, amount: String(usdMicros), extra: {} }),
    identify: (payload) => {
      const transfer = readSvmTransfer(payload, receiver)
      if ('refusal' in transfer) return transfer
      const identity = identityOf(transfer, nowMs() + rememberedMs)
      return isSigned(transfer, identity.signedHash)
        ? identity
        : { refusal: 'invalid_exact_svm_payload_signature_invalid' }
    },
    // What another signed has no identity.
    signerOf: async () => 'payer',
    probe: createSvmProbe(createSolanaRpc(rpcUrl), { rememberedMs, nowMs }),
  }
}

/** The account of an owner for USDC. It may not be there. */
export async function tokenAccountOf(owner: string): Promise<Address> {
  const seeds = [address(owner), address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'), usdcMint].map((part) =>
    getAddressEncoder().encode(part),
  )
  const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
  const [account] = await getProgramDerivedAddress({ programAddress, seeds })
  return account
}

/** By the message, which the chain takes once, under whatever signature of the fee payer. */
function identityOf(transfer: SvmTransfer, validBeforeMs: number): PaymentIdentity {
  const { payer, amount, blockhash, messageHash, messageBytes, signature } = transfer
  return {
    paymentId: [svmNetwork, usdcMint, payer, blockhash, messageHash].join('|'),
    payer,
    usdMicros: Number(amount),
    validAfterMs: 0,
    validBeforeMs,
    signedHash: hash('sha256', Buffer.concat([messageBytes, signature]), 'base64url'),
  }
}
