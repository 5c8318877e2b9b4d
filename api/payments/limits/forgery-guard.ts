/**
 * Limits what worthless payments cost and how much they disturb other clients. An honest payment goes to the
 * facilitator at once. Only after recent refusals is the signer recovered here first, in fair turns; a validly signed
 * payment then waits for a fair turn at the facilitator. A payer who has bought before is not affected by other clients
 * at the same address.
 */

import type { DurationMs } from '../../../schemas/units.ts'
import type { Verification } from '../facilitator/verification.ts'
import type { Client } from './client.ts'
import { createConduct } from './conduct.ts'
import { createFacilitatorTurns, refusedMax as refusedOfAddressMax } from './facilitator-turns.ts'
import type { Clock, Wish } from './fair-queue.ts'
import { createOwnLimit } from './own-limit.ts'
import { createPacedTurns } from './paced-turns.ts'
import { type Checkable, createRecovery, type Recovery } from './recovery.ts'

type Screened =
  /** Signed by another key. The facilitator was not asked. */
  Readonly<{ kind: 'forged' }> | Limited

/** The payment may be valid and may be sent again. */
type Limited = Readonly<{
  kind: 'limited'
  reason: 'too_many_refused' | 'too_many_unsold' | 'too_many_at_once'
  retryAfterSec: number
}>

type Guarded = Verification | Screened

type Checks = Checkable & Readonly<{ verify: () => Promise<Verification> }>

export type ForgeryGuard = Readonly<{
  verify: (client: Client, checks: Checks) => Promise<Guarded>
  /** Verifies the signer of a payment whose payer has bought before. */
  signerOf: Recovery['signerOf']
  /** Call it when the facilitator verified a payment and then refused to settle it. */
  noteRefused: (clientAddress: string) => void
  /**
   * Call it when an answer was built for a verified payment and not sold: the client had gone, or the payment did not
   * settle.
   */
  noteUnsold: (client: Client) => void
  /** Call it when a verified payment was for data that does not exist. */
  noteNothing: (payer: string) => void
  noteBought: (payer: string) => void
}>

/** Signers recovered per second: for payers who have bought before, and for others. */
const recoveredOfBuyersMax = 120
const recoveredOfOthersMax = 60
/** Calls to a node per second that check whether payers have the money. */
const fundsAskedMax = 40
/**
 * From this many refusals within a minute, or payments at once, of addresses without a purchase, their signers are
 * recovered too.
 */
const strangersRefusedMax = 20
const strangersAtOnceMax = 16
const later: Limited = { kind: 'limited', reason: 'too_many_refused', retryAfterSec: 1 }
const notInTime: Limited = { kind: 'limited', reason: 'too_many_at_once', retryAfterSec: 2 }

/** `hasBought`: takes the payer in lower case. */
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
  /** Whether recent refusals, unsold answers or a crowd of strangers delay a payment of this address. */
  const isInTheWay = (address: string) =>
    conduct.refusedOf(address) > 0 || conduct.isUnsold(address) || (conduct.isStranger(address) && isCrowded())

  /** Null if the facilitator should be asked. */
  const screen = async (client: Client, checks: Checks): Promise<Screened | null> => {
    const signedBy = await ofOthers.signerOf(client, checks)
    if (signedBy === 'other') return { kind: 'forged' }
    // A verified signature justifies a call to the facilitator. An unknown one does so below the address's limit of
    // refusals, and a late check only without refusals.
    const refusedMax = { payer: Number.POSITIVE_INFINITY, unknown: refusedOfAddressMax, late: 1 }[signedBy]
    return conduct.refusedOf(client.address) < refusedMax ? null : later
  }
  /**
   * Checked only while turns are scarce. It refuses no payment: a payer without money in the usual account only goes
   * later.
   */
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
    // If refusals of others begin to delay this address while the payment waits, the payment is checked like one that
    // arrives later.
    const verified = await ask(client, checks, { isGone: () => checks.isGone() || isWarned() })
    return verified ?? (!checks.isGone() && isWarned() ? verifyWarned(client, checks) : notInTime)
  }
  const verifyInTurn = async (client: Client, checks: Checks): Promise<Guarded> => {
    const weight = conduct.isStranger(client.address) ? 1 : 0
    // Called before this payment is counted, so that it does not block itself.
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

const limited = (reason: Limited['reason'], waitMs: DurationMs): Limited => ({
  kind: 'limited',
  reason,
  retryAfterSec: Math.ceil(waitMs / 1000),
})
