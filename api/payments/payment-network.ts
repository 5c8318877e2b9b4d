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
  /** The codes with which facilitators refuse a wrong amount, a wrong signer, and an offer that they no longer accept. */
  codes: Readonly<{ amount: string; signature: string; outdated?: string }>
  /**
   * Returns the claimed payer and the identity that the chain gives the payment. Calls no node. Also verifies the
   * signature if that is quick on this network; otherwise the facilitator verifies it.
   */
  identify: (payload: PaymentPayload) => PaymentIdentity | PayloadRefusal
  /**
   * Verifies the signer without the facilitator. Takes some milliseconds of CPU time, and sometimes one call to the
   * node. Never throws. Null for a network whose `identify` verifies the signature.
   */
  signerOf: ((payload: PaymentPayload) => Promise<Signer>) | null
  /**
   * Whether the payer has enough money in the usual account. Throws if the node does not answer. Absent if the network
   * has no such check.
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
   * When the payment expires. If the payment contains no such time (`saysNoTime`), this is an assumed time, until which
   * the ledger remembers the payment.
   */
  validBeforeMs: EpochMs
  /** Whether the payment contains no end of its validity. Default: false. */
  saysNoTime?: boolean
  /** The hash of the authorization and its signature bytes. The hash does not reveal them. */
  signedHash: string
  /** The hash of the signature bytes alone. Several payments may have the same hash; see `shared-signature.ts`. */
  signatureHash?: string
}>

/**
 * How far in the future `validBefore` may be, in ms: the 120 s of the offer, plus ten minutes for a client whose clock is ahead. So
 * the ledger can forget a payment, and its transfer cannot be older.
 */
export const validityMsMax = 120_000 + 600_000

/**
 * The maximum by which the time of the newest block may be ahead of, or behind, this machine's clock, in ms. Blocks are
 * normally a few seconds old, and a node may be a little behind.
 */
export const aheadMsMax = 30_000
export const behindMsMax = 90_000

/** Why a payload is not a valid payment: a code of x402 or of this service that clients may see. */
export type PayloadRefusal = Readonly<{ refusal: string }>

/** Who signed a payment. `unknown`: only the facilitator can decide. */
export type Signer = 'payer' | 'other' | 'unknown'

export type ProbedPayment = Readonly<{
  paymentId: string
  usdMicros: number
  validBeforeMs: EpochMs
  /**
   * The transaction that the facilitator reported, or null. The report is no proof, but the search begins with this
   * transaction.
   */
  transaction?: string | null
}>

/** What a search of the chain found. `expired`: the payment was not made and never can be. */
export type ChainFinding =
  | Readonly<{ kind: 'paid'; transaction: string }>
  | Readonly<{ kind: 'unpaid' }>
  | Readonly<{ kind: 'expired' }>
