/**
 * The gate between a payment and an answer, free of any transport. One payment makes at most one transfer and buys one set
 * of bytes. The payer gets them even if the connection, the facilitator or this process fails in between.
 */
import type { FacilitatorClient } from '@x402/core/server'
import type { Logger } from '../../infra/telemetry.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import { type AnswerStore, createAnswerStore } from './answer-store.ts'
import { createFacilitatorLink, type Served } from './facilitator-link.ts'
import { createForgeryGuard } from './forgery-guard.ts'
import type { PaymentLedger } from './ledger.ts'
import { createLedgerWriter } from './ledger-writer.ts'
import { createOffers } from './offers.ts'
import type { PaidRequest, PaymentGate, PaymentOutcome, UnavailableOutcome } from './payment.ts'
import { isInDoubt } from './payment-change.ts'
import type { PaymentNetwork } from './payment-network.ts'
import { type ReadPayment, readPayment } from './payment-reader.ts'
import { type PurchaseTools, runPurchase } from './purchase.ts'
import { reconcilePayments } from './reconcile.ts'
import { notLive, retryDownSec } from './unavailable.ts'

export type PaymentGateOptions = Readonly<{
  /** Asked in order; the first that serves a network gets its payments. */
  facilitators: readonly FacilitatorClient[]
  networks: readonly PaymentNetwork[]
  ledger: PaymentLedger
  /** Where buyers reach this service: the base of `resource.url`. */
  publicBaseUrl: string
  nowMs: () => number
  sleep: (durationMs: number) => Promise<void>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** How long the chain is asked about a lost settlement while the client waits. Default 10 s. */
  reconcileMs?: number
  /** Bytes of sold answers kept for a repeat of their payment. Default 64 MiB. */
  answerBytesMax?: number
  /** Called once when another process has fenced this one from the ledger: no more payments are taken here. */
  onLedgerLost?: () => void
}>

/** A purchase that has started and not ended. Concurrent duplicates of its payment share the outcome. */
type InFlight = Readonly<{
  requestId: string
  signedHash: string
  clients: Set<() => boolean>
  outcome: Promise<PaymentOutcome>
}>

/** Payments are live as soon as a facilitator answers; see `runPaymentUpkeep`. */
export async function createPaymentGate(options: PaymentGateOptions): Promise<PaymentGate> {
  const { networks, ledger, nowMs, logger } = options
  const link = createFacilitatorLink(options)
  const offers = createOffers(options.publicBaseUrl, nowMs)
  const answers = createAnswerStore(options.answerBytesMax ?? 64 * 1024 * 1024)
  const inFlight = new Map<string, InFlight>()
  const ownership = createOwnership(options)

  const live = (): Served | UnavailableOutcome => {
    if (ownership.isOver()) return notLive('ledger_lost', 30)
    return link.current() ?? notLive('facilitator_down', retryDownSec)
  }
  const unavailable = (): UnavailableOutcome | null => {
    const served = live()
    return 'kind' in served ? served : null
  }
  const refuse: PurchaseTools['refuse'] = async (resource, refusal) => {
    const served = live()
    return 'kind' in served ? served : offers.refuse(served, resource, refusal)
  }
  const ledgerWriter = createLedgerWriter({ ledger, logger, loseLedger: ownership.lose })
  const guard = createForgeryGuard(nowMs, ledger.hasBought)
  const tools = { reconcileMs: 10_000, ...options, link, guard, offers, answers, ledgerWriter, refuse }

  const start = (request: PaidRequest, payment: ReadPayment): Promise<PaymentOutcome> => {
    const { paymentId, signedHash } = payment.identity
    const known = ledger.find(paymentId)
    const down = ownership.isOver() ? unavailable() : null
    if (down && known?.state !== 'settled' && known?.state !== 'delivered')
      return Promise.resolve(isInDoubt(known) ? notLive('outcome_unknown', down.retryAfterSec) : down)
    const clients = new Set([request.isClientGone])
    const isEveryClientGone = () => [...clients].every((isGone) => isGone())
    const outcome = runPurchase(tools, { request, payment, known, isEveryClientGone }).finally(() =>
      inFlight.delete(paymentId),
    )
    inFlight.set(paymentId, { requestId: request.requestId, signedHash, clients, outcome })
    return outcome
  }

  const run = async (request: PaidRequest): Promise<PaymentOutcome> => {
    if (request.payment === null) return refuse(request, { code: 'payment_required' })
    const payment = readPayment(request.payment, networks)
    if ('refusal' in payment) return refuse(request, { code: 'payment_invalid', reason: payment.refusal })
    // No await from here to the start: concurrent duplicates share one purchase.
    const { paymentId } = payment.identity
    const running = inFlight.get(paymentId)
    const first = running ?? ledger.find(paymentId)
    if (first && !isSamePurchase(first, request, payment)) return refuse(request, { code: 'payment_already_used' })
    if (!running) return start(request, payment)
    running.clients.add(request.isClientGone)
    return running.outcome
  }

  await link.refresh()
  return {
    unavailable,
    requirePayment: async (resource) => refuse(resource, { code: 'payment_required' }),
    run,
    isOwed: (request) => isOwed(request, { networks, first: (id) => inFlight.get(id) ?? ownedBy(ledger.find(id)) }),
    markDelivered: (paymentId) => {
      answers.markDelivered(paymentId)
      const payment = ledger.find(paymentId)
      if (payment?.state === 'settled')
        void ledgerWriter.noteDelivered({ ...payment, state: 'delivered', atMs: nowMs() })
    },
    stats: ledger.stats,
    describe: () => describe(networks, unavailable() === null),
    reconcile: () =>
      tidyLedger({ ...tools, isInFlight: (paymentId) => inFlight.has(paymentId), isOver: ownership.isOver }),
    refresh: link.refresh,
    close: async () => {
      ownership.giveUp()
      await Promise.allSettled([...inFlight.values()].map(({ outcome }) => outcome))
      await ledger.close()
    },
  }
}

async function tidyLedger(
  tools: Parameters<typeof reconcilePayments>[0] & Readonly<{ answers: AnswerStore }>,
): Promise<void> {
  const { ledger, ledgerWriter, answers, isOver } = tools
  await ledger.flush()
  if (!isOver()) await ledgerWriter.confirm()
  for (const paymentId of ledger.sweep()) answers.drop(paymentId)
  await reconcilePayments(tools)
}

/** Whether this process may write to the ledger: until another one fences it, or it closes the ledger. */
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
      logger.error('another process has fenced this one from the ledger of payments: it takes no more payments')
      onLedgerLost?.()
    },
  }
}

const describe = (networks: readonly PaymentNetwork[], isLive: boolean): ReturnType<PaymentGate['describe']> => ({
  protocol: 'x402',
  version: 2,
  scheme: 'exact',
  isLive,
  networks: networks.map(({ network, asset, payTo, isLocal }) => ({ network, asset, payTo, isLocal })),
})

function isOwed(
  { payment, requestId }: Pick<PaidRequest, 'payment' | 'requestId'>,
  {
    networks,
    first,
  }: Readonly<{ networks: readonly PaymentNetwork[]; first: (paymentId: string) => Bought | undefined }>,
): boolean {
  if (payment === null) return false
  const read = readPayment(payment, networks)
  if ('refusal' in read) return false
  const bought = first(read.identity.paymentId)
  return bought !== undefined && isSamePurchase(bought, { requestId }, read)
}

type Bought = Pick<PaymentChanged, 'requestId' | 'signedHash'>

const ownedBy = (known: PaymentChanged | undefined): Bought | undefined =>
  known?.state === 'released' ? undefined : known

/**
 * Whether a payment repeats the first one under its id: the same signed bytes for the same request. The facilitator has
 * verified those bytes and no others.
 */
const isSamePurchase = (
  first: Bought,
  { requestId }: Pick<PaidRequest, 'requestId'>,
  { identity }: ReadPayment,
): boolean => first.requestId === requestId && (first.signedHash === null || first.signedHash === identity.signedHash)
