/** What a proof about payments needs of a chain, whether it is played or real. */
import type { PaymentPayload, PaymentRequirements, SupportedKind } from '@x402/core/types'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'

/** Of all that is sold here. */
export const priceUsdMicros = 10_000

export type Transfer = Readonly<{
  /** As the chain knows the payment: see `identityOf`. */
  payment: string
  transaction: string
  atMs: number
  /** When the facilitator was asked to settle it. */
  handedAtMs: number
}>

type Broadcast = Readonly<{ handedAtMs: number; afterMs: number }>

export type ChainDouble = Readonly<{
  network: PaymentNetwork
  /** What a facilitator says that it supports. */
  kind: SupportedKind
  /** Signs as the buyer does, for so long. */
  sign: (accepted: PaymentRequirements, validSec: number) => PaymentPayload | Promise<PaymentPayload>
  /** The same payment in other bytes. */
  respell: (payload: PaymentPayload) => PaymentPayload
  /** What a stranger can send who saw the payment: none of it may buy anything. */
  forge: (payload: PaymentPayload) => readonly PaymentPayload[]
  identityOf: (payload: PaymentPayload) => string
  /** Why the chain would not take it now; null: it would. */
  refusalOf: (payload: PaymentPayload, atMs: number) => string | null | Promise<string | null>
  /** Sends its transaction. `transaction`: empty where nobody knows it before. `moved`: the one that moved the money; null: none did. */
  broadcast: (
    payload: PaymentPayload,
    how: Broadcast,
  ) => Readonly<{ transaction: string; moved: Promise<string | null> }>
  /** Looks for transfers, where they do not show by themselves. */
  look?: () => Promise<void>
  transfers: readonly Transfer[]
  /** The node that the service asks. */
  node: { isDown: boolean; behindMs: number }
}>
