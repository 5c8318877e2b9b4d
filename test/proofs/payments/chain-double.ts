/**
 * The interface to a chain for a proof about payments. The chain behind it is simulated or a real local
 * chain.
 */
import type { PaymentPayload, PaymentRequirements, SupportedKind } from '@x402/core/types'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'

/** The price of every answer. */
export const priceUsdMicros = 10_000

export type Transfer = Readonly<{
  /** The identity of the payment on the chain, as `identityOf` returns it. */
  payment: string
  transaction: string
  atMs: number
  /** The time at which the facilitator was asked to settle the payment. */
  handedAtMs: number
}>

type Broadcast = Readonly<{ handedAtMs: number; afterMs: number }>

export type ChainDouble = Readonly<{
  network: PaymentNetwork
  /** The facilitator's entry for this chain in its supported kinds. */
  kind: SupportedKind
  /** Signs as the buyer. The payment is valid for `validSec`. */
  sign: (accepted: PaymentRequirements, validSec: number) => PaymentPayload | Promise<PaymentPayload>
  /** Returns the same payment in other bytes. */
  respell: (payload: PaymentPayload) => PaymentPayload
  /** Returns the payments that a stranger can make who has seen this payment. None of them may buy anything. */
  forge: (payload: PaymentPayload) => readonly PaymentPayload[]
  identityOf: (payload: PaymentPayload) => string
  /**
   * Returns the reason for which the chain would refuse the payment now. Null: the chain would accept the
   * payment.
   */
  refusalOf: (payload: PaymentPayload, atMs: number) => string | null | Promise<string | null>
  /**
   * Sends the transaction of the payment. `transaction` is its hash, or empty if the hash is not known yet.
   * `moved` is the hash of the transaction that moved the money, or null if no money moved.
   */
  broadcast: (
    payload: PaymentPayload,
    how: Broadcast,
  ) => Readonly<{ transaction: string; moved: Promise<string | null> }>
  /** Looks for new transfers, if the chain does not report them. */
  look?: () => Promise<void>
  transfers: readonly Transfer[]
  /** The node that the service uses. */
  node: { isDown: boolean; behindMs: number }
}>
