/** Payments on Solana. A payment is a transaction with one `transferChecked` of USDC. A facilitator pays its fees. */
import { createPublicKey, hash, verify } from 'node:crypto'
import { address, isAddress } from '@solana/kit'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import type { PaymentIdentity, PaymentNetwork } from '../payment-network.ts'
import { addressBytesOf } from './instructions.ts'
import { svmNetwork, svmUsdc } from './names.ts'
import { createSvmNode } from './node.ts'
import { createSvmProbe, isTransactionSignature } from './probe.ts'
import { tokenAccountOf } from './token-account.ts'
import { readSvmTransfer, type SvmTransfer } from './transfer.ts'

export type SvmNetworkOptions = Readonly<{
  payTo: string
  /**
   * The URL of a Solana node. The service searches it for transfers whose outcome is unknown, and for transfers that a
   * facilitator reported.
   */
  rpcUrl: string
  nowMs: () => number
  isLocal?: boolean
}>

/**
 * How long a payment is remembered after it was first seen, in ms. Must be below `validityMsMax`.
 *
 * A transaction has no end of validity. The chain accepts it until its blockhash is 150 blocks old, which
 * takes one or two minutes unless the chain halts. The ten extra minutes let a repeated payment find its
 * answer. After this time, a node has seen far more than 150 blocks.
 */
export const rememberedMs = 660_000

export async function createSvmNetwork(options: SvmNetworkOptions): Promise<PaymentNetwork> {
  const { payTo, rpcUrl, nowMs, isLocal = false } = options
  const receiver = { account: addressBytesOf(await tokenAccountOf(payTo)) }
  const node = createSvmNode(rpcUrl)
  const isSigned = createSvmSignatureCheck()
  return {
    network: svmNetwork,
    asset: svmUsdc,
    payTo,
    isLocal,
    localRpcUrl: isLocal ? rpcUrl : null,
    scheme: new ExactSvmScheme(),
    codes: {
      amount: 'invalid_exact_svm_payload_amount_mismatch',
      signature: 'invalid_exact_svm_payload_signature_invalid',
      // This code means that the facilitator now pays the fees from other accounts than the offer names.
      outdated: 'invalid_exact_svm_fee_payer_not_managed_by_facilitator',
    },
    isOfferable: (extra) => typeof extra?.feePayer === 'string' && isAddress(extra.feePayer),
    isTransaction: isTransactionSignature,
    priceOf: (usdMicros) => ({ asset: svmUsdc, amount: String(usdMicros), extra: {} }),
    identify: (payload) => {
      const transfer = readSvmTransfer(payload, receiver)
      if ('refusal' in transfer) return transfer
      const identity = identityOf(transfer, nowMs() + rememberedMs)
      return isSigned(transfer, identity.signedHash)
        ? identity
        : { refusal: 'invalid_exact_svm_payload_signature_invalid' }
    },
    signerOf: null,
    hasFunds: async (payload) => {
      const transfer = readSvmTransfer(payload, receiver)
      return !('refusal' in transfer) && (await balanceOf(node, transfer.payer)) >= transfer.amount
    },
    ...(!isLocal && { headAtMs: () => headAtMs(node) }),
    probe: createSvmProbe(node, { rememberedMs, nowMs }),
  }
}

const questionMsMax = 1_500
/** Offset of the amount in a token account, after the mint and the owner. */
const amountAt = 64

async function balanceOf(node: ReturnType<typeof createSvmNode>, owner: string): Promise<bigint> {
  const request = node.getAccountInfo(await tokenAccountOf(owner), { encoding: 'base64', commitment: 'confirmed' })
  const { value } = await request.send({ abortSignal: AbortSignal.timeout(questionMsMax) })
  return value === null ? 0n : Buffer.from(value.data[0], 'base64').readBigUInt64LE(amountAt)
}

/**
 * The account of the clock. It contains the slot, the epoch's start, the epoch, the leader schedule's epoch, and the
 * Unix time in seconds, with eight bytes each.
 */
const clockSysvar = address('SysvarC1ock11111111111111111111111111111111')
const unixTimeAt = 32

async function headAtMs(node: ReturnType<typeof createSvmNode>): Promise<number> {
  const request = node.getAccountInfo(clockSysvar, { encoding: 'base64', commitment: 'confirmed' })
  const { value } = await request.send({ abortSignal: AbortSignal.timeout(questionMsMax) })
  if (value === null) throw new RangeError('the Solana node returned no clock account')
  return Number(Buffer.from(value.data[0], 'base64').readBigInt64LE(unixTimeAt)) * 1000
}

/**
 * Identifies a payment by its message. The chain accepts a message at most one time, whatever signature the
 * fee payer adds.
 */
function identityOf(transfer: SvmTransfer, validBeforeMs: number): PaymentIdentity {
  const { payer, amount, blockhash, messageHash, messageBytes, signature } = transfer
  return {
    paymentId: [svmNetwork, svmUsdc, payer, blockhash, messageHash].join('|'),
    payer,
    usdMicros: Number(amount),
    validAfterMs: 0,
    validBeforeMs,
    saysNoTime: true,
    signedHash: hash('sha256', Buffer.concat([messageBytes, signature]), 'base64url'),
  }
}

/** The DER prefix of an Ed25519 public key. The bytes of the key follow the prefix. */
const keyPrefix = Buffer.from('302a300506032b6570032100', 'hex')
/** The maximum number of remembered signatures. A payment is read twice per request, and most repeated payments come soon. */
const knownMax = 1_000

/** Verifies the payer's signature of a Solana message. This takes only about 0.2 ms, so it is done before all other checks. */
type SvmSignatureCheck = (transfer: SvmTransfer, signedHash: string) => boolean

/** `signedHash`: hash of the message and the signature. */
function createSvmSignatureCheck(): SvmSignatureCheck {
  /** The hashes of valid signatures, in the order of their last use. */
  const known = new Set<string>()
  return (transfer, signedHash) => {
    if (!known.delete(signedHash) && !isSigned(transfer)) return false
    known.add(signedHash)
    const [oldest] = known
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest)
    return true
  }
}

function isSigned({ payerKey, messageBytes, signature }: SvmTransfer): boolean {
  try {
    const der = Buffer.concat([keyPrefix, payerKey])
    return verify(null, messageBytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
  } catch {
    // The verification throws if the payer's address is not a point on the curve.
    return false
  }
}
