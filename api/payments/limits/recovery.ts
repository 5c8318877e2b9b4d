/**
 * Recovers signers at a limited rate, because each recovery takes about 2.4 ms of CPU time. Payers whose
 * payments are forged by others wait behind the other payers.
 */
import type { PaymentPayload } from '@x402/core/types'
import type { PaymentNetwork, Signer } from '../payment-network.ts'
import type { Client } from './client.ts'
import type { Clock } from './fair-queue.ts'
import { createPacedTurns } from './paced-turns.ts'

export type Recoverable = Readonly<{
  /** Null if the network has already verified the signature. */
  signer: (() => Promise<Signer>) | null
  isGone: () => boolean
}>

export type Recovery = Readonly<{
  /** `late`: the turn did not come in time. */
  signerOf: (client: Client, payment: Recoverable) => Promise<Signer | 'late'>
  /** Must be called for an honest payer, so that the payer's last turn does not count. */
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

/**
 * The checks of a payment that need no facilitator. `hasFunds`: see `PaymentNetwork`. `hasFunds` is null if
 * the network has no such check.
 */
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
