/** A payment network as the gate uses it. The code of the gate depends on no particular chain. */
import type { AssetAmount, PaymentPayload, SchemeNetworkServer } from '@x402/core/types'
import type { EpochMs } from '../../schemas/units.ts'

export type PaymentNetwork = Readonly<{
  /** The CAIP-2 id of the network, as in `accepts`: `eip155:8453`. */
  network: `${string}:${string}`
  asset: string
  payTo: string
  /** Whether the money is worthless, because the chain runs in this process. */
  isLocal: boolean
  /** The URL of a local chain's node, for clients. Null for a public chain, whose nodes clients know. */
  localRpcUrl: string | null
  scheme: SchemeNetworkServer
  /**
   * Checks the `extra` that a facilitator reports for the network. If the result is false, the network cannot be
   * offered. Default: true.
   */
  isOfferable?: (extra: Readonly<Record<string, unknown>> | undefined) => boolean
  priceOf: (usdMicros: number) => AssetAmount
  /**
   * Whether a text has the form of a transaction id on this network. The answer of a facilitator may contain any text.
   */
  isTransaction: (text: string) => boolean
  /**
   * The codes with which facilitators refuse a wrong amount, a wrong signer, and payment terms that they no
   * longer accept.
   */
  codes: Readonly<{ amount: string; signature: string; outdated?: string }>
  /**
   * Returns the claimed payer and the identity of the payment on the chain. Calls no node. Verifies the
   * signature if this is quick on the network. On other networks the facilitator verifies the signature.
   */
  identify: (payload: PaymentPayload) => PaymentIdentity | PayloadRefusal
  /**
   * Verifies the signer without the facilitator. Takes some milliseconds of CPU time, and sometimes one call to the
   * node. Never throws. Null for a network whose `identify` verifies the signature.
   */
  signerOf: ((payload: PaymentPayload) => Promise<Signer>) | null
  /**
   * Returns whether the payer holds enough of the stablecoin, on Solana in the associated token account. Throws
   * if the node does not answer. Absent if the network has no such check.
   */
  hasFunds?: (payload: PaymentPayload) => Promise<boolean>
  /**
   * Returns the time of the chain's newest block. Throws if the node does not answer. Absent for a chain that makes
   * blocks only on demand.
   */
  headAtMs?: () => Promise<number>
  /** Searches the chain for the transfer. Throws if the node does not answer. */
  probe: (payment: ProbedPayment) => Promise<ChainFinding>
}>

export type PaymentIdentity = Readonly<{
  /** The id `network|asset|payer|nonce`, in lower case if upper and lower case do not matter in the chain's addresses. */
  paymentId: string
  payer: string
  /** The amount that the authorization transfers, in millionths of a dollar. */
  usdMicros: number
  validAfterMs: EpochMs
  /**
   * When the payment expires. With `saysNoTime`, the payment contains no such time. The value is then an
   * assumed time, until which the ledger remembers the payment.
   */
  validBeforeMs: EpochMs
  /** Whether the payment contains no end of its validity. Default: false. */
  saysNoTime?: boolean
  /** The hash of the authorization and its signature bytes. It does not reveal the signature. */
  signedHash: string
  /** The hash of the signature bytes alone. Several payments may have the same hash; see `shared-signature.ts`. */
  signatureHash?: string
}>

/**
 * The maximum time from now to `validBefore`, in ms. It is the 120 s of the offer plus ten minutes for a
 * client whose clock is ahead. The limit bounds how long the ledger remembers a payment, and how far back the
 * chain is searched.
 */
export const validityMsMax = 120_000 + 600_000

/**
 * The maximum differences between the time of the newest block and this machine's clock, in ms. Blocks are
 * normally a few seconds old, and a node may be a little behind.
 */
export const aheadMsMax = 30_000
export const behindMsMax = 90_000

/**
 * The reason why a payload is not a valid payment. It is a code of x402 or of this service that clients may
 * see.
 */
export type PayloadRefusal = Readonly<{ refusal: string }>

/** The signer of a payment, as far as this service can tell. `unknown`: only the facilitator can decide. */
export type Signer = 'payer' | 'other' | 'unknown'

export type ProbedPayment = Readonly<{
  paymentId: string
  usdMicros: number
  validBeforeMs: EpochMs
  /**
   * The transaction that the facilitator reported, or null. The report is no proof, but the search begins
   * with the reported transaction.
   */
  transaction?: string | null
}>

/** The result of a search of the chain. `expired`: the payment was not made and can no longer be made. */
export type ChainFinding =
  | Readonly<{ kind: 'paid'; transaction: string }>
  | Readonly<{ kind: 'unpaid' }>
  | Readonly<{ kind: 'expired' }>
