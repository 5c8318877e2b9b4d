/**
 * Limits the cost of worthless payments and their effect on other clients.
 *
 * A payment goes to the facilitator at once if no payment from its address was refused recently. Otherwise
 * this process first recovers the signer, and the addresses take fair turns. A payment with a valid signature
 * then waits for a fair turn at the facilitator. A payer who has bought before is not affected by other
 * clients at the same address.
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
  /** The payment was signed by a key other than the payer's. The facilitator was not called. */
  Readonly<{ kind: 'forged' }> | Limited

/** The payment was not judged, because a limit was reached. It may be valid and may be sent again. */
type Limited = Readonly<{
  kind: 'limited'
  reason: 'too_many_refused' | 'too_many_unsold' | 'too_many_at_once'
  retryAfterSec: number
}>

type Guarded = Verification | Screened

type Checks = Checkable & Readonly<{ verify: () => Promise<Verification> }>

export type ForgeryGuard = Readonly<{
  verify: (client: Client, checks: Checks) => Promise<Guarded>
  /** Returns the signer of a payment whose payer has bought before. */
  signerOf: Recovery['signerOf']
  /** Must be called when the facilitator verified a payment and then refused to settle it. */
  noteRefused: (clientAddress: string) => void
  /** Must be called when a verified payment was not sold, because its clients had disconnected or it did not settle. */
  noteUnsold: (client: Client) => void
  /** Must be called when a verified payment was for data that does not exist. */
  noteNothing: (payer: string) => void
  noteBought: (payer: string) => void
}>

/**
 * The maximum number of signers that are recovered per second. The first limit is for payers who have bought
 * before, and the other limit is for all other payers.
 */
const recoveredOfBuyersMax = 120
const recoveredOfOthersMax = 60
/** The maximum number of calls per second to a payment node that check whether payers have the money. */
const fundsAskedMax = 40
/**
 * Two limits for all unproven addresses together: their refusals within a minute, and their payments at the same time.
 * An address is unproven without a recent valid payment. If one limit is reached, the signers of unproven addresses
 * are recovered before the facilitator is called.
 */
const unprovenRefusedMax = 20
const unprovenAtOnceMax = 16
const later: Limited = { kind: 'limited', reason: 'too_many_refused', retryAfterSec: 1 }
const notInTime: Limited = { kind: 'limited', reason: 'too_many_at_once', retryAfterSec: 2 }

/** `hasBought`: whether the payer, given in lower case, has bought before. */
export function createForgeryGuard(options: Clock & Readonly<{ hasBought: (payer: string) => boolean }>): ForgeryGuard {
  const { nowMs, sleep, hasBought } = options
  const conduct = createConduct(nowMs)
  const ofBuyers = createRecovery({ nowMs, sleep, perSecond: recoveredOfBuyersMax })
  const ofOthers = createRecovery({ nowMs, sleep, perSecond: recoveredOfOthersMax })
  const ofNode = createPacedTurns({ nowMs, sleep, perSecond: fundsAskedMax })
  const ownLimit = createOwnLimit({ nowMs, hasBought, recovery: ofBuyers })
  let unprovenAtOnce = 0

  const turns = createFacilitatorTurns({ nowMs, sleep, conduct })
  const isCrowded = () => unprovenAtOnce >= unprovenAtOnceMax || conduct.refusedOfUnproven() >= unprovenRefusedMax
  /**
   * Returns whether this process must check a payment of this address before the facilitator is called. The
   * reasons are recent refusals, unsold answers, or too many unproven addresses.
   */
  const isInTheWay = (address: string) =>
    conduct.refusedOf(address) > 0 || conduct.isUnsold(address) || (conduct.isUnproven(address) && isCrowded())

  /** Returns null if the facilitator should be called, and otherwise the result for the payment. */
  const screen = async (client: Client, checks: Checks): Promise<Screened | null> => {
    const signedBy = await ofOthers.signerOf(client, checks)
    if (signedBy === 'other') return { kind: 'forged' }
    // The facilitator is called in these cases:
    // - The payer signed.
    // - The signer is unknown, and the address is below its limit of refusals.
    // - The turn to recover the signer did not come in time, and the address has no refusals.
    const refusedMax = { payer: Number.POSITIVE_INFINITY, unknown: refusedOfAddressMax, late: 1 }[signedBy]
    return conduct.refusedOf(client.address) < refusedMax ? null : later
  }
  /**
   * Returns true only if the check found that the payer has the money. Payers are checked only while the
   * address is limited to slow turns. Payments with a positive check go before the other waiting payments of
   * the address. The other payments are not refused.
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
    // While this payment waits, refused payments of other clients may cause checks of all payments of its
    // address. This payment is then checked too.
    const verified = await ask(client, checks, { isGone: () => checks.isGone() || isWarned() })
    return verified ?? (!checks.isGone() && isWarned() ? verifyWarned(client, checks) : notInTime)
  }
  const verifyInTurn = async (client: Client, checks: Checks): Promise<Guarded> => {
    const weight = conduct.isUnproven(client.address) ? 1 : 0
    // `verifyAtOnce` starts before this payment is counted, so that the payment does not delay itself.
    const verified = verifyAtOnce(client, checks)
    unprovenAtOnce += weight
    try {
      return await verified
    } finally {
      unprovenAtOnce -= weight
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
