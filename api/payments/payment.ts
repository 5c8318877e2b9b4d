/** The types of the payment gate: what is sold, how a payment arrives, and its outcomes. */
import type { PaymentRequired } from '@x402/core/types'
import type { ClockDifference } from './clock.ts'
import type { SettlementCounts } from './facilitator/settlement-audit.ts'

/** One thing to buy. Two requests with equal `requestId` buy the same thing, over HTTP or MCP. */
export type PaidResource = Readonly<{
  /** The route's pattern under `/v1`, aliases folded: `GET /v1/rh/pools/{id}/flow`. */
  routeId: string
  /** Route and canonical parameters, after defaults: see `requestIdOf`. */
  requestId: string
  /** Whole micro-dollars: 10_000 is one cent. */
  priceUsdMicros: number
  description: string
  /** Path and query as bought, put behind the public base address: never taken from the Host header. */
  resourcePath: string
  /** What catalogues are told of it: the value of x402's extension bazaar. */
  discovery?: Readonly<Record<string, unknown>>
}>

/** The bytes of an answer and the cut from which the same bytes can be made again. */
export type BuiltBody = Readonly<{ bytes: Buffer; cutAtMs: number }>

/** Thrown by `buildBody` where there is no answer to sell after all. Nothing is charged, and a payer may ask so a bounded number of times. */
export class NothingToSell extends Error {}

export type PaidRequest = PaidResource &
  Readonly<{
    /** The PAYMENT-SIGNATURE header (HTTP) or the decoded payload (MCP); null: not paid yet. Never logged. */
    payment: Readonly<{ header: string }> | Readonly<{ payload: unknown }> | null
    /** Who is asking, as the transport knows: what one customer owns as a whole. Refused payments are counted by it. */
    clientAddress: string
    /** Asked right before the money moves: a client that has gone is not charged. */
    isClientGone: () => boolean
    /** Called at most once per payment, after it was verified and before it is settled. A throw costs the buyer nothing. */
    buildBody: (paymentId: string) => Promise<BuiltBody>
    /** The same bytes again, for a payment whose stored answer is gone (a restart). Default: `buildBody`. */
    rebuildBody?: (cutAtMs: number, paymentId: string) => Promise<Buffer>
  }>

export type PaymentRefusalCode = 'payment_required' | 'payment_invalid' | 'payment_already_used'

/** The answer of 402: the x402 object (the body), its PAYMENT-REQUIRED header and, after a refused settlement, the receipt. */
export type PaymentRequiredOutcome = Readonly<{
  kind: 'paymentRequired'
  code: PaymentRefusalCode
  body: PaymentRequired & Readonly<{ error: string }>
  header: string
  receiptHeader: string | null
}>

/**
 * Nothing was charged; or it is not known yet (`outcome_unknown`); or the payment has arrived and its answer is late
 * (`answer_delayed`). Repeating the same payment is always safe and costs nothing more.
 */
export type UnavailableOutcome = Readonly<{
  kind: 'unavailable'
  code: 'payments_not_live' | 'warming_up'
  reason:
    | 'facilitator_down'
    | 'facilitator_failed'
    | 'ledger_lost'
    | 'outcome_unknown'
    | 'answer_delayed'
    | 'too_many_refused'
    | 'too_many_unsold'
    | 'too_many_at_once'
  message: string
  retryAfterSec: number
}>

export type PaidOutcome = Readonly<{
  kind: 'paid'
  paymentId: string
  bytes: Buffer
  /** Null: nothing was paid, in a replay. */
  receiptHeader: string | null
  /** The instant the bytes are an answer of. */
  cutAtMs: number
}>

export type PaymentOutcome =
  | PaidOutcome
  | PaymentRequiredOutcome
  | UnavailableOutcome
  | Readonly<{ kind: 'clientGone' }>
  | Readonly<{ kind: 'handlerFailed'; error: unknown }>

/** The gate, free of any transport. */
export type PaymentGate = Readonly<{
  /** Null when payments are live; the refusal to give, before any 402, when they are not. */
  unavailable: () => UnavailableOutcome | null
  /** What an unpaid call gets: the 402, or the 503 that comes before it. Never runs a handler. */
  requirePayment: (resource: PaidResource) => Promise<PaymentRequiredOutcome | UnavailableOutcome>
  /** Takes a payment and answers it exactly once, however often and from however many connections it is sent. */
  run: (request: PaidRequest) => Promise<PaymentOutcome>
  /**
   * True when this payment was already taken for this request. The answer is owed: the call skips the refusals
   * `warming_up`, 404 untracked, `data_stale` and `payments_not_live`.
   */
  isOwed: (request: Pick<PaidRequest, 'payment' | 'requestId'>) => boolean
  /** To be called once the response was sent completely. */
  markDelivered: (paymentId: string) => void
  stats: () => PaymentStats
  /** What `/` says of payments. */
  describe: () => Readonly<{
    protocol: 'x402'
    version: 2
    scheme: 'exact'
    isLive: boolean
    networks: readonly NetworkDescription[]
  }>
  /**
   * Looks on the chain for every payment whose outcome is not known, compares with it what facilitators called settled, and the
   * clock of this machine. Called by the upkeep.
   */
  reconcile: () => Promise<void>
  /** The payment networks whose time is too far from this machine's clock. */
  clockDifferences: () => readonly ClockDifference[]
  /** Asks the facilitator again what it supports. Called by the upkeep. */
  refresh: () => Promise<void>
  /** Waits for payments under way, then gives up the ledger. */
  close: () => Promise<void>
}>

type NetworkDescription = Readonly<{
  network: string
  asset: string
  payTo: string
  /** Money without value on a chain of this process. */
  isLocal: boolean
  localRpcUrl: string | null
}>

/**
 * Settled calls and failed payments by UTC day and route. No payer is named. What failed before it was handed over to a
 * facilitator is counted since the start of the process; the rest comes from the ledger.
 */
export type PaymentStats = LedgerStats & Readonly<{ settlements: SettlementCounts }>

export type LedgerStats = Readonly<{
  totals: Readonly<{ n: number; usd: number }>
  days: readonly Readonly<{
    day: string
    n: number
    usd: number
    routes: Readonly<Record<string, Readonly<{ n: number; usd: number }>>>
  }>[]
  payFailures: readonly Readonly<{
    day: string
    route: string
    code: string
    n: number
  }>[]
}>

/** The identity of a request: its route and its parameters after defaults, in the order of their names. */
export function requestIdOf(routeId: string, parameters: Readonly<Record<string, string | number>>): string {
  const sorted = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1))
  return `${routeId}?${JSON.stringify(sorted)}`
}
