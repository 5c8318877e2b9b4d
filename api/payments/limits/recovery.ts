/** Recovers signers, some 2.4 ms of the processor each. A payer who signs goes before one in whose name others forge. */
import type { PaymentPayload } from '@x402/core/types'
import type { PaymentNetwork, Signer } from '../payment-network.ts'
import type { Client } from './client.ts'
import type { Clock } from './fair-queue.ts'
import { createPacedTurns } from './paced-turns.ts'

export type Recoverable = Readonly<{
  /** Null: the network has checked the signature already. */
  signer: (() => Promise<Signer>) | null
  isGone: () => boolean
}>

export type Recovery = Readonly<{
  /** `late`: its turn did not come in time. */
  signerOf: (client: Client, payment: Recoverable) => Promise<Signer | 'late'>
  /** This one was paid for: it does not count. */
  giveBack: (client: Client) => void
}>

export function createRecovery(options: Clock & Readonly<{ perSecond: number }>): Recovery {
  const turns = createPacedTurns(options)
  return {
    signerOf: async (client, { signer, isGone }) => {
      if (signer === null) return 'payer'
      return (await turns.take(client, isGone)) ? signer() : 'late'
    },
    giveBack: turns.giveBack,
  }
}

/** What can be found out about a payment without the facilitator. `hasFunds`: see `PaymentNetwork`; null: nobody knows. */
export type Checkable = Recoverable & Readonly<{ hasFunds: (() => Promise<boolean>) | null }>

export function checksOf(
  { network, payload }: Readonly<{ network: Pick<PaymentNetwork, 'signerOf' | 'hasFunds'>; payload: PaymentPayload }>,
  isGone: () => boolean,
): Checkable {
  const { signerOf, hasFunds } = network
  return {
    signer: signerOf && (() => signerOf(payload)),
    hasFunds: hasFunds ? () => hasFunds(payload) : null,
    isGone,
  }
}
