/**
 * Keeps payments without money behind them from costing much, and from hurting others. An honest buyer's payment goes to the
 * facilitator at once. Only where payments were refused lately is the signer recovered here first, in fair turns, and what is
 * well signed waits for a fair turn at the facilitator. Who has bought before is not bound by what others do at his address.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Verification } from '../facilitator/verification.ts'
import type { Client } from './client.ts'
import { createFacilitatorTurns, refusedMax as refusedOfAddressMax } from './facilitator-turns.ts'
import type { Clock } from './fair-queue.ts'
import { createOwnLimit } from './own-limit.ts'
import { createRecovery, type Recoverable, type Recovery } from './recovery.ts'

type Screened =
  /** Signed by somebody else: the facilitator was not asked. */
  Readonly<{ kind: 'forged' }> | Limited

/** It may be a good payment, and may be sent again. */
type Limited = Readonly<{
  kind: 'limited'
  reason: 'too_many_refused' | 'too_many_unsold' | 'too_many_at_once'
  retryAfterSec: number
}>

type Guarded = Verification | Screened

type Checks = Recoverable & Readonly<{ verify: () => Promise<Verification> }>

export type ForgeryGuard = Readonly<{
  verify: (client: Client, checks: Checks) => Promise<Guarded>
  /** Who signed a payment that names a payer who has bought before. */
  signerOf: Recovery['signerOf']
  /** The facilitator verified a payment and then refused to settle it. */
  noteRefused: (clientAddress: string) => void
  /** An answer was made for a verified payment, and not sold: nobody was there any more, or the payment did not settle. */
  noteUnsold: (client: Client) => void
  /** A verified payment was for something that is not there. */
  noteNothing: (payer: string) => void
  noteBought: (payer: string) => void
}>

/** Signers recovered within a second: of payments that name a payer who has bought, and of others. */
const recoveredOfBuyersMax = 120
const recoveredOfOthersMax = 60
/**
 * Of addresses without a purchase: more refusals than this within a minute, or payments asked about at once, and their signers
 * are recovered too.
 */
const strangersRefusedMax = 20
const strangersAtOnceMax = 16
/** Answers made for an address or a payer within a minute, and not sold. */
const unsoldMax = 10
/** Verified payments of a payer within a minute, for what is not there: each costs a query. */
const nothingMax = 60

const all = ''
const later: Limited = { kind: 'limited', reason: 'too_many_refused', retryAfterSec: 1 }
const notInTime: Limited = { kind: 'limited', reason: 'too_many_at_once', retryAfterSec: 2 }

/** `hasBought`: by the payer, in lower case. */
export function createForgeryGuard(options: Clock & Readonly<{ hasBought: (payer: string) => boolean }>): ForgeryGuard {
  const { nowMs, sleep, hasBought } = options
  const refused = createRecentCounts({ generationMs: 30_000, nowMs })
  const bought = createRecentCounts({ generationMs: 600_000, nowMs })
  const unsold = createRecentCounts({ generationMs: 30_000, nowMs })
  const nothing = createRecentCounts({ generationMs: 30_000, nowMs })
  const ofBuyers = createRecovery({ nowMs, sleep, perSecond: recoveredOfBuyersMax })
  const ofOthers = createRecovery({ nowMs, sleep, perSecond: recoveredOfOthersMax })
  const ownLimit = createOwnLimit({ nowMs, hasBought, recovery: ofBuyers })
  let strangersAtOnce = 0

  const isStranger = (clientAddress: string) => bought.count(clientAddress) === 0
  const isUnsold = (clientOrPayer: string) => unsold.count(clientOrPayer) >= unsoldMax
  const turns = createFacilitatorTurns({ nowMs, sleep, isStranger, refused: refused.count, isSlowed: isUnsold })
  const noteRefused = (clientAddress: string) => {
    refused.add(clientAddress)
    if (isStranger(clientAddress)) refused.add(all)
    bought.clear(clientAddress)
  }
  const isCrowded = () => strangersAtOnce >= strangersAtOnceMax || refused.count(all) >= strangersRefusedMax
  /** Whether what others do keeps a payment of this address from the facilitator, or may. */
  const isInTheWay = (clientAddress: string) =>
    refused.count(clientAddress) > 0 || isUnsold(clientAddress) || (isStranger(clientAddress) && isCrowded())

  /** Null: the facilitator is to be asked. */
  const screen = async (client: Client, checks: Checks): Promise<Screened | null> => {
    const signedBy = await ofOthers.signerOf(client, checks)
    if (signedBy === 'other') return { kind: 'forged' }
    // What is certain costs a turn. Who has sent nothing bad need not wait for it.
    const refusedMax = { payer: Number.POSITIVE_INFINITY, unknown: refusedOfAddressMax, late: 1 }[signedBy]
    return refused.count(client.address) < refusedMax ? null : later
  }
  const ask = async (client: Client, question: Readonly<{ ask: Checks['verify']; isGone: () => boolean }>) => {
    const verification = await turns.take(client, question)
    if (verification === null) return null
    if (verification.kind === 'valid') {
      bought.add(client.address)
      turns.giveBack(client)
    } else noteRefused(client.address)
    return verification
  }
  const verifyWarned = async (client: Client, checks: Checks): Promise<Guarded> => {
    const own = await ownLimit.judge(client, checks)
    if (own === 'forged') return { kind: 'forged' }
    if (own === 'late') return later
    if (own === 'own') return checks.verify()
    const screened = await screen(client, own === 'signed' ? { ...checks, signer: null } : checks)
    return screened ?? (await ask(client, { ask: checks.verify, isGone: checks.isGone })) ?? notInTime
  }
  const verifyAtOnce = async (client: Client, checks: Checks): Promise<Guarded> => {
    const isWarned = () => isInTheWay(client.address)
    if (isWarned()) return verifyWarned(client, checks)
    // What comes in the way while it waits is judged as if it had been there.
    const verified = await ask(client, { ask: checks.verify, isGone: () => checks.isGone() || isWarned() })
    return verified ?? (!checks.isGone() && isWarned() ? verifyWarned(client, checks) : notInTime)
  }
  const verifyInTurn = async (client: Client, checks: Checks): Promise<Guarded> => {
    const weight = isStranger(client.address) ? 1 : 0
    // What is in the way is judged before this payment counts.
    const verified = verifyAtOnce(client, checks)
    strangersAtOnce += weight
    try {
      return await verified
    } finally {
      strangersAtOnce -= weight
    }
  }
  return {
    signerOf: ofBuyers.signerOf,
    noteRefused,
    noteUnsold: ({ address, payer }) => {
      unsold.add(address)
      unsold.add(payer)
    },
    noteNothing: nothing.add,
    noteBought: ownLimit.noteBought,
    verify: async (client, checks) => {
      if (isUnsold(client.payer) || nothing.count(client.payer) >= nothingMax)
        return limited('too_many_unsold', unsold.forgottenInMs())
      return verifyInTurn(client, { ...checks, signer: checks.signer && once(checks.signer) })
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
