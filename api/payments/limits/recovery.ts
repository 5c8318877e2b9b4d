/**
 * Recovers signers, some 2.4 ms of the processor each, at a bounded pace and in fair turns of the addresses and payers that
 * are named. A payer who signs goes before one in whose name others forge.
 */
import type { PaymentPayload } from '@x402/core/types'
import type { PaymentNetwork, Signer } from '../payment-network.ts'
import type { Client } from './client.ts'
import { type Clock, createFairQueue } from './fair-queue.ts'
import { createPace } from './pace.ts'

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

const waitMsMax = 5_000

export function createRecovery(options: Clock & Readonly<{ perSecond: number }>): Recovery {
  const pace = createPace(options.perSecond, options.nowMs)
  const place = () => {
    if (!pace.isOpen()) return null
    pace.take()
    return 'its turn'
  }
  const queue = createFairQueue({ ...options, isOpen: pace.isOpen, place, waitMsMax })

  return {
    signerOf: async (client, { signer, isGone }) => {
      if (signer === null) return 'payer'
      return (await queue.take(client, isGone)) === null ? 'late' : signer()
    },
    giveBack: (client) => {
      pace.giveBack()
      queue.giveBack(client)
    },
  }
}

export const signedBy = ({ network, payload }: Signed, isGone: () => boolean): Recoverable => {
  const { signerOf } = network
  return { signer: signerOf && (() => signerOf(payload)), isGone }
}

type Signed = Readonly<{ network: Pick<PaymentNetwork, 'signerOf'>; payload: PaymentPayload }>
