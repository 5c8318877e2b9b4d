/**
 * Keeps forged payments from costing much. An honest buyer's payment goes to the facilitator at once. Only where payments
 * were refused lately is the signer recovered here first (some 2.4 ms), and both that and the refusals of one address
 * are bounded.
 */

import { createRecentCounts } from '../recent-counts.ts'
import type { Signer } from './payment-network.ts'
import type { Verification } from './verification.ts'

type Screened =
  /** Signed by somebody else: the facilitator was not asked. */
  Readonly<{ kind: 'forged' }> | Limited

type Limited = Readonly<{
  kind: 'limited'
  reason: 'too_many_refused' | 'too_many_unsold' | 'too_many_at_once'
  retryAfterSec: number
}>

type Guarded = Verification | Screened

export type ForgeryGuard = Readonly<{
  verify: (
    client: Client,
    checks: Readonly<{ signer: () => Promise<Signer>; verify: () => Promise<Verification> }>,
  ) => Promise<Guarded>
  /** The facilitator verified a payment and then refused to settle it. */
  noteRefused: (clientAddress: string) => void
  /** An answer was made for a verified payment, and not sold: nobody was there any more, or the payment did not settle. */
  noteUnsold: (client: Client) => void
}>

export type Client = Readonly<{ address: string; payer: string }>

/** Payments of one address that the facilitator refused within a minute. */
const refusedMax = 30
/** Signers recovered within a second: of one address, and in all (a tenth of a core). */
const recoveredMax = 10
const recoveredOfAllMax = 40
/** Of addresses without a purchase: more refusals than this within a minute, or payments asked about at once, and their signers are recovered too. */
const strangersRefusedMax = 20
const strangersAtOnceMax = 16

/** Payments of strangers under way at once: each holds a connection to the facilitator. */
const strangersUnderWayMax = 256
/** Answers made for an address or a payer within a minute, and not sold. */
const unsoldMax = 10

const all = ''

export function createForgeryGuard(nowMs: () => number): ForgeryGuard {
  const refused = createRecentCounts({ generationMs: 30_000, nowMs })
  const bought = createRecentCounts({ generationMs: 600_000, nowMs })
  const unsold = createRecentCounts({ generationMs: 30_000, nowMs })
  const mayRecover = createRecoveryBudget(nowMs)
  let strangersAtOnce = 0

  const isStranger = (clientAddress: string) => bought.count(clientAddress) === 0
  const noteRefused = (clientAddress: string) => {
    refused.add(clientAddress)
    if (isStranger(clientAddress)) refused.add(all)
    bought.clear(clientAddress)
  }
  const isCrowded = () => strangersAtOnce > strangersAtOnceMax || refused.count(all) >= strangersRefusedMax

  /** Null: the facilitator is to be asked. */
  const screen = async (clientAddress: string, signer: () => Promise<Signer>): Promise<Screened | null> => {
    const refusals = refused.count(clientAddress)
    if (refusals >= refusedMax) return limited('too_many_refused', refused.forgottenInMs())
    if (refusals === 0 && !(isStranger(clientAddress) && isCrowded())) return null
    if (mayRecover(clientAddress)) return (await signer()) === 'other' ? { kind: 'forged' } : null
    return refusals > 0 ? limited('too_many_refused', 1_000) : null
  }
  const isUnsold = ({ address, payer }: Client) =>
    unsold.count(address) >= unsoldMax || unsold.count(payer) >= unsoldMax
  const verifyScreened: ForgeryGuard['verify'] = async (client, { signer, verify }) => {
    if (isUnsold(client)) return limited('too_many_unsold', unsold.forgottenInMs())
    const clientAddress = client.address
    const screened = await screen(clientAddress, signer)
    if (screened) return screened
    const verification = await verify()
    if (verification.kind === 'valid') bought.add(clientAddress)
    else noteRefused(clientAddress)
    return verification
  }
  return {
    noteRefused,
    noteUnsold: ({ address, payer }) => {
      unsold.add(address)
      unsold.add(payer)
    },
    verify: async (client, checks) => {
      const weight = isStranger(client.address) ? 1 : 0
      if (weight > 0 && strangersAtOnce >= strangersUnderWayMax) return limited('too_many_at_once', 1_000)
      strangersAtOnce += weight
      try {
        return await verifyScreened(client, checks)
      } finally {
        strangersAtOnce -= weight
      }
    },
  }
}

const limited = (reason: Limited['reason'], waitMs: number): Limited => ({
  kind: 'limited',
  reason,
  retryAfterSec: Math.ceil(waitMs / 1000),
})

function createRecoveryBudget(nowMs: () => number): (clientAddress: string) => boolean {
  const recovered = createRecentCounts({ generationMs: 500, nowMs })
  return (clientAddress) => {
    if (recovered.count(clientAddress) >= recoveredMax || recovered.count(all) >= recoveredOfAllMax) return false
    recovered.add(clientAddress)
    recovered.add(all)
    return true
  }
}
