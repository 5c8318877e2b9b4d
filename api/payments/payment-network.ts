/** What the gate needs to know of a payment network, so that it depends on no chain. */
import type { AssetAmount, PaymentPayload, SchemeNetworkServer } from '@x402/core/types'

export type PaymentNetwork = Readonly<{
  /** CAIP-2, as in `accepts`: `eip155:8453`. */
  network: `${string}:${string}`
  asset: string
  payTo: string
  /** Money without value on a chain of this process. */
  isLocal: boolean
  /** Where clients ask a local chain, which they do not know. Null: they know the chain. */
  localRpcUrl: string | null
  scheme: SchemeNetworkServer
  /** What a facilitator says of a network that it serves; false: no offer can be made of it. Default: true. */
  isOfferable?: (extra: Readonly<Record<string, unknown>> | undefined) => boolean
  priceOf: (usdMicros: number) => AssetAmount
  /** Whether a text has the form in which this network names transactions: facilitators may answer with anything. */
  isTransaction: (text: string) => boolean
  /**
   * What facilitators say of a payment of the wrong amount, of one that another signed, and of one for an offer that they no
   * longer stand by.
   */
  codes: Readonly<{ amount: string; signature: string; outdated?: string }>
  /**
   * The claimed payer, and the identity that the chain itself gives this payment. Whether he signed it, the facilitator
   * verifies, or a network whose signatures are quick to check. Asks no node.
   */
  identify: (payload: PaymentPayload) => PaymentIdentity | PayloadRefusal
  /**
   * Who signed, found out here: some milliseconds of the processor, and sometimes one question to the node. Never throws. Null:
   * what another signed has no identity.
   */
  signerOf: ((payload: PaymentPayload) => Promise<Signer>) | null
  /** Whether the payer has the money in his usual account. Throws when the chain cannot be asked. Default: nobody knows. */
  hasFunds?: (payload: PaymentPayload) => Promise<boolean>
  /** The time of the chain's newest block. Throws when the chain cannot be asked. Default: the chain makes blocks only on demand. */
  headAtMs?: () => Promise<number>
  /** Looks for the transfer on the chain. Throws when the chain cannot be asked. */
  probe: (payment: ProbedPayment) => Promise<ChainFinding>
}>

export type PaymentIdentity = Readonly<{
  /** `network|asset|payer|nonce`, in lower case where the chain's addresses have no case. */
  paymentId: string
  payer: string
  /** What the authorization moves. */
  usdMicros: number
  validAfterMs: number
  /** Where the payment itself does not say: how long it is remembered. */
  validBeforeMs: number
  /** The payment does not say when it ends. Default: it does. */
  saysNoTime?: boolean
  /** Equal only for the same authorization under the same signature bytes; reveals neither. */
  signedHash: string
  /** The hash of the signature's bytes alone. Several payments may share it: see `shared-signature.ts`. */
  signatureHash?: string
}>

/**
 * The latest `validBefore` that is accepted, from now: the offer's 120 s, and ten minutes for a client whose clock is ahead.
 * It bounds how long a payment must be remembered and how far back its transfer can be.
 */
export const validityMsMax = 120_000 + 600_000

/** How far the newest block of a chain may be from now: it is a few seconds old, and a node may be a little behind. */
export const aheadMsMax = 30_000
export const behindMsMax = 90_000

/** Why a payload is not a payment: a code of x402 or ours, safe to show. */
export type PayloadRefusal = Readonly<{ refusal: string }>

/** `unknown`: only the facilitator can tell. */
export type Signer = 'payer' | 'other' | 'unknown'

export type ProbedPayment = Readonly<{
  paymentId: string
  usdMicros: number
  validBeforeMs: number
  /** Where its transfer is said to be, which proves nothing: it is looked at first. */
  transaction?: string | null
}>

/** `expired`: not paid, and it never can be. */
export type ChainFinding =
  | Readonly<{ kind: 'paid'; transaction: string }>
  | Readonly<{ kind: 'unpaid' }>
  | Readonly<{ kind: 'expired' }>
