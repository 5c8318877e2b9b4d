/**
 * The gate between a payment and an answer, independent of the transport. A payment makes at most one
 * transfer and buys one answer. The payer gets the same bytes even if the connection, the facilitator or this
 * process fails after the payment.
 */
import type { FacilitatorClient } from '@x402/core/server'
import type { Logger } from '../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { createPaymentClock } from './clock.ts'
import { createFacilitatorLink, type Served } from './facilitator/facilitator-link.ts'
import { createSettlementAudit } from './facilitator/settlement-audit.ts'
import { createInFlight } from './in-flight.ts'
import { type AnswerStore, createAnswerStore } from './ledger/answer-store.ts'
import { createFailureCounts, mergeFailures } from './ledger/failure-counts.ts'
import type { PaymentLedger } from './ledger/ledger.ts'
import { createLedgerWriter } from './ledger/ledger-writer.ts'
import { reconcilePayments } from './ledger/reconcile.ts'
import { createForgeryGuard } from './limits/forgery-guard.ts'
import { createOffers, type PaymentRefusal, type ServiceName } from './offers/offers.ts'
import type { LedgerStats, PaymentGate, UnavailableOutcome } from './payment.ts'
import type { PaymentNetwork } from './payment-network.ts'
import { createPaymentRunner } from './payment-runner.ts'
import type { PurchaseDependencies } from './purchase.ts'
import { notLive, retryDownSec } from './unavailable.ts'

export type PaymentGateOptions = Readonly<{
  /** The facilitators in order of preference. The first facilitator that serves a network settles the payments of the network. */
  facilitators: readonly FacilitatorClient[]
  networks: readonly PaymentNetwork[]
  ledger: PaymentLedger
  /** The public base URL of the service, with which `resource.url` begins. */
  publicBaseUrl: string
  service?: ServiceName
  nowMs: () => EpochMs
  sleep: (durationMs: DurationMs) => Promise<void>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /**
   * The maximum time in ms for which the chain is searched while the client waits. The search runs if the
   * outcome of a settlement is unknown. Default: 10 s.
   */
  reconcileMs?: DurationMs
  /** The maximum total length, in bytes, of the sold answers that are stored for repeated payments. Default: 64 MiB. */
  answerBytesMax?: number
  /**
   * Called one time, when another process has fenced this process from the ledger. This process then takes no
   * more payments.
   */
  onLedgerLost?: () => void
}>

/** Creates the gate. Payments are live as soon as a facilitator has answered. See `runPaymentUpkeep`. */
export async function createPaymentGate(options: PaymentGateOptions): Promise<PaymentGate> {
  const { networks, ledger, nowMs, logger } = options
  const link = createFacilitatorLink(options)
  const offers = createOffers(options)
  const answers = createAnswerStore(options.answerBytesMax ?? 64 * 1024 * 1024)
  const inFlight = createInFlight()
  const ownership = createOwnership(options)

  const live = (): Served | UnavailableOutcome => {
    if (ownership.isOver()) return notLive('ledger_lost', 30)
    return link.current() ?? notLive('facilitator_down', retryDownSec)
  }
  const unavailable = (): UnavailableOutcome | null => {
    const served = live()
    return 'kind' in served ? served : null
  }
  const failures = createFailureCounts()
  const noteFailed: PurchaseDependencies['noteFailed'] = ({ routeId: route }, code) =>
    failures.add({ atMs: nowMs(), route, code })
  const refuse: PurchaseDependencies['refuse'] = async (resource, refusal) => {
    if (isOfNothing(refusal)) noteFailed(resource, refusal.reason ?? refusal.code)
    const served = live()
    return 'kind' in served ? served : offers.refuse(served, resource, refusal)
  }
  const ledgerWriter = createLedgerWriter({ ledger, logger, loseLedger: ownership.lose })
  const guard = createForgeryGuard({ ...options, hasBought: ledger.hasBought })
  const audit = createSettlementAudit({ ...options, distrust: link.distrust, noteFailed })
  const clock = createPaymentClock(options)
  const tools = {
    reconcileMs: 10_000,
    ...options,
    link,
    audit,
    guard,
    offers,
    answers,
    ledgerWriter,
    refuse,
    noteFailed,
  }

  const runner = createPaymentRunner({ ...tools, networks, inFlight, isOver: ownership.isOver, unavailable })

  await link.refresh()
  return {
    unavailable,
    requirePayment: async (resource) => refuse(resource, { code: 'payment_required' }),
    run: runner.run,
    isOwed: runner.isOwed,
    markDelivered: (paymentId) => {
      answers.markDelivered(paymentId)
      const payment = ledger.find(paymentId)
      if (payment?.state === 'settled')
        void ledgerWriter.noteDelivered({ ...payment, state: 'delivered', atMs: nowMs() })
    },
    stats: () => ({ ...withFailures(ledger.stats(), failures.read()), settlements: audit.counts() }),
    describe: () => describe(networks, unavailable() === null),
    reconcile: async () => {
      await tidyLedger({
        ...tools,
        isInFlight: (paymentId) => inFlight.find(paymentId) !== undefined,
        isOver: ownership.isOver,
      })
      await Promise.all([audit.run(), clock.run()])
    },
    clockDifferences: clock.differences,
    refresh: link.refresh,
    close: async () => {
      ownership.giveUp()
      await Promise.allSettled(inFlight.all())
      await ledger.close()
    },
  }
}

/**
 * Returns whether a refused payment was never sent to a facilitator. The gate counts such refusals, because
 * the ledger does not count them.
 */
const isOfNothing = ({ code, receipt, isUnproven }: PaymentRefusal): boolean =>
  code !== 'payment_required' && receipt === undefined && isUnproven !== true

const withFailures = (stats: LedgerStats, failures: LedgerStats['payFailures']): LedgerStats => ({
  ...stats,
  payFailures: mergeFailures(stats.payFailures, failures),
})

async function tidyLedger(
  tools: Parameters<typeof reconcilePayments>[0] & Readonly<{ answers: AnswerStore }>,
): Promise<void> {
  const { ledger, ledgerWriter, answers, isOver } = tools
  await ledger.flush()
  if (!isOver()) await ledgerWriter.confirm()
  for (const paymentId of ledger.sweep()) answers.drop(paymentId)
  await reconcilePayments(tools)
}

/** Whether this process may write to the ledger. It may write until another process fences it, or until it closes the ledger itself. */
function createOwnership({ logger, onLedgerLost }: Pick<PaymentGateOptions, 'logger' | 'onLedgerLost'>) {
  let isLost = false
  let isClosing = false
  return {
    isOver: () => isLost || isClosing,
    giveUp: () => {
      isClosing = true
    },
    lose: () => {
      if (isLost) return
      isLost = true
      logger.error(
        'another process opened the payment ledger, which fenced this process. This process takes no more payments',
      )
      onLedgerLost?.()
    },
  }
}

const describe = (networks: readonly PaymentNetwork[], isLive: boolean): ReturnType<PaymentGate['describe']> => ({
  protocol: 'x402',
  version: 2,
  scheme: 'exact',
  isLive,
  networks: networks.map(({ network, asset, payTo, isLocal, localRpcUrl }) => {
    return { network, asset, payTo, isLocal, localRpcUrl }
  }),
})
