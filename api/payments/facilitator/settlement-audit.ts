/**
 * Compares the settlements that facilitators reported with the chain. A buyer gets the answer as soon as the
 * facilitator reports the settlement. The comparison runs later, so that it does not delay the answer. A
 * facilitator that reported a false settlement is no longer used.
 */
import type { FacilitatorClient } from '@x402/core/server'
import type { Logger } from '../../../infra/telemetry.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { ChainFinding, PaymentNetwork } from '../payment-network.ts'
import type { Served } from './facilitator-link.ts'
import type { Settlement } from './settlement.ts'

export type SettlementCounts = Readonly<{
  /**
   * The number of payments that a facilitator reported as settled and that are not compared with the chain
   * yet.
   */
  waiting: number
  found: number
  /** The number of payments for which the chain proves that the transfer does not exist and never can. */
  missing: number
  /**
   * The number of payments that were not compared with the chain. The node did not answer for too long, or
   * too many payments waited.
   */
  unchecked: number
}>

export type SettlementAudit = Readonly<{
  /**
   * Adds a payment that a facilitator reported as settled, so that it is later compared with the chain.
   * `served`: the facilitators in use.
   */
  add: (payment: PaymentChanged, settlement: Settlement, served: Pick<Served, 'settledBy'>) => void
  /** Compares the payments that are due with the chain. Never throws. */
  run: () => Promise<void>
  counts: () => SettlementCounts
}>

type AuditDependencies = Readonly<{
  networks: readonly PaymentNetwork[]
  facilitators: readonly FacilitatorClient[]
  /** Excludes the facilitator from further sales. */
  distrust: (facilitator: FacilitatorClient) => void
  noteFailed: (resource: Readonly<{ routeId: string }>, code: string) => void
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn' | 'error'>
}>

/**
 * The time from a settlement until it is first compared with the chain, in ms. A node may get the newest
 * blocks a little later than the facilitator.
 */
const firstLookMs = 10_000
const lookAgainMs = 30_000
/**
 * The number of searches that must find no transfer before the transfer counts as missing. One search is not enough,
 * because a node can briefly lack a transaction.
 */
const denialsMin = 2
/**
 * The time in ms from the end of a payment's validity until the service stops trying to compare the payment
 * with the chain.
 */
const givenUpMs = 600_000
const waitingMax = 10_000
/**
 * The limits of one run on one network: the number of payments in total, and the number of payments that are
 * compared at the same time.
 */
const looksMax = 500
const looksAtOnce = 8

type Entry = { payment: PaymentChanged; facilitator: FacilitatorClient; dueAtMs: EpochMs; denials: number }

export function createSettlementAudit(dependencies: AuditDependencies): SettlementAudit {
  const { networks, nowMs, logger } = dependencies
  /** The payments to compare with the chain, by id, the oldest first. */
  const waiting = new Map<string, Entry>()
  const counts = { found: 0, missing: 0, unchecked: 0 }
  const end = ({ payment }: Entry, as: keyof typeof counts) => {
    if (waiting.delete(payment.paymentId)) counts[as] += 1
  }
  const accuse = ({ payment, facilitator }: Entry) => {
    const { route, transaction, network } = payment
    const number = dependencies.facilitators.indexOf(facilitator) + 1
    logger.error(
      { facilitator: number, network, route, transaction },
      'a facilitator reported a settlement, but the chain has no such transfer. The service no longer uses this facilitator. Replace it in X402_FACILITATOR_URL',
    )
    dependencies.noteFailed({ routeId: route }, 'transfer_missing')
    dependencies.distrust(facilitator)
  }
  const judge = (entry: Entry, { kind }: ChainFinding) => {
    entry.dueAtMs = nowMs() + lookAgainMs
    switch (kind) {
      case 'paid':
        return end(entry, 'found')
      case 'unpaid':
        return
      case 'expired':
        entry.denials += 1
        if (entry.denials < denialsMin) return
        end(entry, 'missing')
        return accuse(entry)
      default:
        return kind satisfies never
    }
  }
  /**
   * Compares the due payments of one network with the chain. Stops at the first call that the node does not
   * answer.
   */
  const runOn = async ({ network, probe }: PaymentNetwork): Promise<void> => {
    const isDue = ({ payment, dueAtMs }: Entry) => payment.network === network && dueAtMs <= nowMs()
    const due = [...waiting.values()].filter(isDue).slice(0, looksMax)
    try {
      for (let at = 0; at < due.length; at += looksAtOnce) {
        const look = async (entry: Entry) => judge(entry, await probe(entry.payment))
        await Promise.all(due.slice(at, at + looksAtOnce).map(look))
      }
    } catch {
      logger.warn(
        { network, waiting: due.length },
        'settled payments could not be compared with the chain, because a request to its node failed. The service compares them later',
      )
    }
  }
  return {
    add: (settling, settlement, { settledBy }) => {
      const facilitator = settledBy(settling.network)
      if (settlement.kind !== 'paid' || !facilitator) return
      const payment = { ...settling, transaction: settlement.transaction }
      // The waiting payments are older and thus due earlier, so a full map rejects the new payment.
      if (waiting.size >= waitingMax) counts.unchecked += 1
      else waiting.set(payment.paymentId, { payment, facilitator, dueAtMs: nowMs() + firstLookMs, denials: 0 })
    },
    run: async () => {
      for (const entry of waiting.values())
        if (nowMs() > entry.payment.validBeforeMs + givenUpMs) end(entry, 'unchecked')
      await Promise.all(networks.map(runOn))
    },
    counts: () => ({ waiting: waiting.size, ...counts }),
  }
}
