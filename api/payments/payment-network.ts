/** A payment network as the gate uses it. The gate depends on no chain. */
import type { AssetAmount, PaymentPayload, SchemeNetworkServer } from '@x402/core/types'
import type { EpochMs } from '../../schemas/units.ts'

export type PaymentNetwork = Readonly<{
  /** CAIP-2, as in `accepts`: `eip155:8453`. */
  network: `${string}:${string}`
  asset: string
  payTo: string
  /** Whether the money is worthless, on a chain of this process. */
  isLocal: boolean
  /** Address of a local chain's node for clients. Null for a public chain, which clients know. */
  localRpcUrl: string | null
  scheme: SchemeNetworkServer
  /**
   * Checks the `extra` that a facilitator reports for the network. If false, the network cannot be offered. Default:
   * true.
   */
  isOfferable?: (extra: Readonly<Record<string, unknown>> | undefined) => boolean
  priceOf: (usdMicros: number) => AssetAmount
  /**
   * Whether a text has the form of a transaction id on this network. The answer of a facilitator may contain any text.
   */
  isTransaction: (text: string) => boolean
  /** Facilitator codes for a wrong amount, a wrong signer, and an offer that the facilitator no longer accepts. */
  codes: Readonly<{ amount: string; signature: string; outdated?: string }>
  /**
   * The claimed payer, and the identity that the chain gives the payment. Calls no node. Also verifies the signature if
   * that is quick on this network; otherwise the facilitator does.
   */
  identify: (payload: PaymentPayload) => PaymentIdentity | PayloadRefusal
  /**
   * Verifies the signer locally: takes some milliseconds of CPU time and sometimes one call to the node. Never throws.
   * Null if `identify` already verifies the signature.
   */
  signerOf: ((payload: PaymentPayload) => Promise<Signer>) | null
  /** Whether the payer has enough money in the usual account. Throws if the node cannot be asked. Default: unknown. */
  hasFunds?: (payload: PaymentPayload) => Promise<boolean>
  /**
   * Time of the chain's newest block. Throws if the node cannot be asked. Absent for a chain that makes blocks only on
   * demand.
   */
  headAtMs?: () => Promise<number>
  /** Searches the chain for the transfer. Throws if the node cannot be asked. */
  probe: (payment: ProbedPayment) => Promise<ChainFinding>
}>

export type PaymentIdentity = Readonly<{
  /** `network|asset|payer|nonce`, in lower case if the chain's addresses have no case. */
  paymentId: string
  payer: string
  /** Amount that the authorization transfers. */
  usdMicros: number
  validAfterMs: EpochMs
  /** When the payment expires. If it names no such time (`saysNoTime`), an assumed time, up to which it is remembered. */
  validBeforeMs: EpochMs
  /** Whether the payment has no end of validity of its own. Default: it has one. */
  saysNoTime?: boolean
  /** Hash of the authorization and its signature bytes. It reveals neither. */
  signedHash: string
  /** Hash of the signature bytes alone. Several payments may share it; see `shared-signature.ts`. */
  signatureHash?: string
}>

/**
 * The latest accepted `validBefore`, from now: the 120 s of the offer, plus ten minutes for a client whose clock is
 * ahead. It bounds how long a payment is remembered and how old its transfer can be.
 */
export const validityMsMax = 120_000 + 600_000

/**
 * Greatest accepted difference between the newest block and this clock. Blocks are normally a few seconds old, and a
 * node may lag a little.
 */
export const aheadMsMax = 30_000
export const behindMsMax = 90_000

/** Why a payload is not a valid payment: a code of x402 or of this service that clients may see. */
export type PayloadRefusal = Readonly<{ refusal: string }>

/** `unknown`: only the facilitator can decide. */
export type Signer = 'payer' | 'other' | 'unknown'

export type ProbedPayment = Readonly<{
  paymentId: string
  usdMicros: number
  validBeforeMs: EpochMs
  /** The transaction that is said to hold the transfer. It is no proof, but the search looks there first. */
  transaction?: string | null
}>

/** `expired`: the payment was not made and never can be. */
export type ChainFinding =
  | Readonly<{ kind: 'paid'; transaction: string }>
  | Readonly<{ kind: 'unpaid' }>
  | Readonly<{ kind: 'expired' }>
