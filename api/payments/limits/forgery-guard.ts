/**
 * Keeps payments without money behind them from costing much, and from hurting others. An honest buyer's payment goes to the
 * facilitator at once. Only where payments were refused lately is the signer recovered here first, in fair turns, and what is
 * well signed waits for a fair turn at the facilitator. Who has bought before is not bound by what others do at his address.
 */
import type { Verification } from '../facilitator/verification.ts'
import type { Client } from './client.ts'
import { createConduct } from './conduct.ts'
import { createFacilitatorTurns, refusedMax as refusedOfAddressMax } from './facilitator-turns.ts'
import type { Clock, Wish } from './fair-queue.ts'
import { createOwnLimit } from './own-limit.ts'
import { createPacedTurns } from './paced-turns.ts'
import { type Checkable, createRecovery, type Recovery } from './recovery.ts'

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

type Checks = Checkable & Readonly<{ verify: () => Promise<Verification> }>

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
/** Questions to a node within a second, whether payers have money. */
const fundsAskedMax = 40
/**
 * Of addresses without a purchase: more refusals than this within a minute, or payments asked about at once, and their signers
 * are recovered too.
 */
const strangersRefusedMax = 20
const strangersAtOnceMax = 16
const later: Limited = { kind: 'limited', reason: 'too_many_refused', retryAfterSec: 1 }
const notInTime: Limited = { kind: 'limited', reason: 'too_many_at_once', retryAfterSec: 2 }

/** `hasBought`: by the payer, in lower case. */
export function createForgeryGuard(options: Clock & Readonly<{ hasBought: (payer: string) => boolean }>): ForgeryGuard {
  const { nowMs, sleep, hasBought } = options
  const conduct = createConduct(nowMs)
  const ofBuyers = createRecovery({ nowMs, sleep, perSecond: recoveredOfBuyersMax })
  const ofOthers = createRecovery({ nowMs, sleep, perSecond: recoveredOfOthersMax })
  const ofNode = createPacedTurns({ nowMs, sleep, perSecond: fundsAskedMax })
  const ownLimit = createOwnLimit({ nowMs, hasBought, recovery: ofBuyers })
  let strangersAtOnce = 0

  const turns = createFacilitatorTurns({ nowMs, sleep, conduct })
  const isCrowded = () => strangersAtOnce >= strangersAtOnceMax || conduct.refusedOfStrangers() >= strangersRefusedMax
  /** Whether what others do keeps a payment of this address from the facilitator, or may. */
  const isInTheWay = (address: string) =>
    conduct.refusedOf(address) > 0 || conduct.isUnsold(address) || (conduct.isStranger(address) && isCrowded())

  /** Null: the facilitator is to be asked. */
  const screen = async (client: Client, checks: Checks): Promise<Screened | null> => {
    const signedBy = await ofOthers.signerOf(client, checks)
    if (signedBy === 'other') return { kind: 'forged' }
    // What is certain costs a turn. Who has sent nothing bad need not wait for it.
    const refusedMax = { payer: Number.POSITIVE_INFINITY, unknown: refusedOfAddressMax, late: 1 }[signedBy]
    return conduct.refusedOf(client.address) < refusedMax ? null : later
  }
  /** Asked only where turns are rare. Nobody is refused for it: who pays from another account than the usual one comes later. */
  const isFunded = async (client: Client, { hasFunds, isGone }: Checks): Promise<boolean> => {
    if (hasFunds === null || !turns.isSlow(client.address) || !(await ofNode.take(client, isGone))) return false
    return hasFunds().catch(() => false)
  }
  const ask = async (client: Client, { verify }: Checks, wish: Wish) => {
    const verification = await turns.take(client, { ask: verify, ...wish })
    if (verification === null) return null
    if (verification.kind === 'valid') {
      conduct.noteValid(client.address)
      turns.giveBack(client)
    } else conduct.noteRefused(client.address)
    return verification
  }
  const verifyWarned = async (client: Client, checks: Checks): Promise<Guarded> => {
    const own = await ownLimit.judge(client, checks)
    if (own === 'forged') return { kind: 'forged' }
    if (own === 'late') return later
    if (own === 'own') return checks.verify()
    const screened = await screen(client, own === 'signed' ? { ...checks, signer: null } : checks)
    if (screened !== null) return screened
    const isFirst = await isFunded(client, checks)
    return (await ask(client, checks, { isGone: checks.isGone, isFirst })) ?? notInTime
  }
  const verifyAtOnce = async (client: Client, checks: Checks): Promise<Guarded> => {
    const isWarned = () => isInTheWay(client.address)
    if (isWarned()) return verifyWarned(client, checks)
    // What comes in the way while it waits is judged as if it had been there.
    const verified = await ask(client, checks, { isGone: () => checks.isGone() || isWarned() })
    return verified ?? (!checks.isGone() && isWarned() ? verifyWarned(client, checks) : notInTime)
  }
  const verifyInTurn = async (client: Client, checks: Checks): Promise<Guarded> => {
    const weight = conduct.isStranger(client.address) ? 1 : 0
    // What is in the way is judged before this payment counts.
    const verified = verifyAtOnce(client, checks)
    strangersAtOnce += weight
    try {
      return await verified
    } finally {
      strangersAtOnce -= weight
    }
  }
  const { noteRefused, noteUnsold, noteNothing } = conduct
  return {
    signerOf: ofBuyers.signerOf,
    ...{ noteRefused, noteUnsold, noteNothing, noteBought: ownLimit.noteBought },
    verify: async (client, checks) => {
      if (conduct.isBarred(client.payer)) return limited('too_many_unsold', conduct.forgottenInMs())
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
