/**
 * Keeps forged payments from costing much. An honest buyer's payment goes to the facilitator at once. Only where payments
 * were refused lately is the signer recovered here first (some 2.4 ms), and both that and the refusals of one address
 * are bounded. Who has bought before is not bound by what others do at his address.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Verification } from '../facilitator/verification.ts'
import type { Signer } from '../payment-network.ts'
import { type Client, createOwnLimit } from './own-limit.ts'
import { createRecoveryBudget } from './recovery-budget.ts'

type Screened =
  /** Signed by somebody else: the facilitator was not asked. */
  Readonly<{ kind: 'forged' }> | Limited

type Limited = Readonly<{
  kind: 'limited'
  reason: 'too_many_refused' | 'too_many_unsold' | 'too_many_at_once'
  retryAfterSec: number
}>

type Guarded = Verification | Screened

type Checks = Readonly<{ signer: () => Promise<Signer>; verify: () => Promise<Verification> }>

export type ForgeryGuard = Readonly<{
  verify: (client: Client, checks: Checks) => Promise<Guarded>
  /** The facilitator verified a payment and then refused to settle it. */
  noteRefused: (clientAddress: string) => void
  /** An answer was made for a verified payment, and not sold: nobody was there any more, or the payment did not settle. */
  noteUnsold: (client: Client) => void
  noteBought: (payer: string) => void
}>

/** Payments of one address that the facilitator refused within a minute. Beyond it every other second one is let through. */
const refusedMax = 30
const beyondEveryMs = 2_000
/** Signers recovered within a second: of one address, and in all (a tenth of a core). */
const recoveredMax = 10
const recoveredOfAllMax = 40
/**
 * Of addresses without a purchase: more refusals than this within a minute, or payments asked about at once, and their signers
 * are recovered too.
 */
const strangersRefusedMax = 20
const strangersAtOnceMax = 16

/** Payments of strangers under way at once: each holds a connection to the facilitator. */
const strangersUnderWayMax = 256
/** Answers made for an address or a payer within a minute, and not sold. */
const unsoldMax = 10

const all = ''

/** `hasBought`: by the payer, in lower case. */
export function createForgeryGuard(nowMs: () => number, hasBought: (payer: string) => boolean): ForgeryGuard {
  const refused = createRecentCounts({ generationMs: 30_000, nowMs })
  const passedBeyond = createRecentCounts({ generationMs: beyondEveryMs / 2, nowMs })
  const bought = createRecentCounts({ generationMs: 600_000, nowMs })
  const unsold = createRecentCounts({ generationMs: 30_000, nowMs })
  const budget = createRecoveryBudget(nowMs, { ofOneMax: recoveredMax, ofAllMax: recoveredOfAllMax })
  const ownLimit = createOwnLimit({ nowMs, hasBought })
  let strangersAtOnce = 0

  const isStranger = (clientAddress: string) => bought.count(clientAddress) === 0
  const noteRefused = (clientAddress: string) => {
    refused.add(clientAddress)
    if (isStranger(clientAddress)) refused.add(all)
    bought.clear(clientAddress)
  }
  const isCrowded = () => strangersAtOnce >= strangersAtOnceMax || refused.count(all) >= strangersRefusedMax
  const isUnsold = (clientOrPayer: string) => unsold.count(clientOrPayer) >= unsoldMax
  /** Whether what others do keeps a payment of this address from the facilitator, or may. */
  const isInTheWay = (clientAddress: string) =>
    refused.count(clientAddress) > 0 || isUnsold(clientAddress) || (isStranger(clientAddress) && isCrowded())

  const screenBeyond = async (clientAddress: string, signer: Checks['signer']): Promise<Screened | null> => {
    const later = limited('too_many_refused', beyondEveryMs)
    if (passedBeyond.count(clientAddress) > 0 || !budget.take(clientAddress)) return later
    const signedBy = await signer()
    if (signedBy === 'other') return { kind: 'forged' }
    if (signedBy === 'unknown' || passedBeyond.count(clientAddress) > 0) return later
    passedBeyond.add(clientAddress)
    return null
  }
  const screenNear = async (clientAddress: string, signer: Checks['signer']): Promise<Screened | null> => {
    if (budget.take(clientAddress)) return (await signer()) === 'other' ? { kind: 'forged' } : null
    return refused.count(clientAddress) > 0 ? limited('too_many_refused', 1_000) : null
  }
  /** Null: the facilitator is to be asked. */
  const screen = async ({ address, payer }: Client, signer: Checks['signer']): Promise<Screened | null> => {
    if (isUnsold(address) || isUnsold(payer)) return limited('too_many_unsold', unsold.forgottenInMs())
    if (refused.count(address) >= refusedMax) return screenBeyond(address, signer)
    return isInTheWay(address) ? screenNear(address, signer) : null
  }
  const verifyScreened = async (client: Client, { signer, verify }: Checks): Promise<Guarded> => {
    const screened = await screen(client, signer)
    if (screened) return screened
    const verification = await verify()
    if (verification.kind === 'valid') bought.add(client.address)
    else noteRefused(client.address)
    return verification
  }
  const verifyInTurn = async (client: Client, checks: Checks): Promise<Guarded> => {
    const weight = isStranger(client.address) ? 1 : 0
    if (weight > 0 && strangersAtOnce >= strangersUnderWayMax) return limited('too_many_at_once', 1_000)
    // What is in the way is judged before this payment counts.
    const verified = verifyScreened(client, checks)
    strangersAtOnce += weight
    try {
      return await verified
    } finally {
      strangersAtOnce -= weight
    }
  }
  return {
    noteRefused,
    noteUnsold: ({ address, payer }) => {
      unsold.add(address)
      unsold.add(payer)
    },
    noteBought: ownLimit.noteBought,
    verify: async (client, checks) => {
      const signer = once(checks.signer)
      const isOwnAsked = isInTheWay(client.address) && !isUnsold(client.payer)
      const own = isOwnAsked ? await ownLimit.judge(client, signer) : null
      if (own === 'forged') return { kind: 'forged' }
      return own === 'own' ? checks.verify() : verifyInTurn(client, { ...checks, signer })
    },
  }
}

function once<Result>(find: () => Promise<Result>): () => Promise<Result> {
  let found: Promise<Result> | null = null
  return () => {
    found ??= find()
    return found
  }
}

const limited = (reason: Limited['reason'], waitMs: number): Limited => ({
  kind: 'limited',
  reason,
  retryAfterSec: Math.ceil(waitMs / 1000),
})
