/** The types of the payment gate: what is sold, how a payment arrives, and its outcomes. */
import type { PaymentRequired } from '@x402/core/types'
import type { EpochMs } from '../../schemas/units.ts'
import type { ClockDifference } from './clock.ts'
import type { SettlementCounts } from './facilitator/settlement-audit.ts'

/** A resource that can be bought. Requests with equal `requestId` buy the same thing, over HTTP or MCP. */
export type PaidResource = Readonly<{
  /** The route's pattern under `/v1`, such as `GET /v1/rh/pools/{id}/flow`. Aliases of the route share this id. */
  routeId: string
  /** The route and its parameters, with defaults filled in. See `requestIdOf`. */
  requestId: string
  /** The price in millionths of a dollar, a whole number: 10_000 is one cent. */
  priceUsdMicros: number
  description: string
  /** The path and query as bought, relative to the public base URL. The base URL never comes from the Host header. */
  resourcePath: string
  /** The description for catalogues: the value of x402's extension bazaar. */
  discovery?: Readonly<Record<string, unknown>>
}>

/**
 * The bytes of an answer. `cutAtMs`: the time for which the answer was computed. The same bytes can be
 * rebuilt for this time.
 */
export type BuiltBody = Readonly<{ bytes: Buffer; cutAtMs: EpochMs }>

/**
 * Thrown by `buildBody` if it finds that there is no answer to sell. Nothing is charged. The number of such
 * requests is limited per payer.
 */
export class NothingToSell extends Error {}

export type PaidRequest = PaidResource &
  Readonly<{
    /**
     * The PAYMENT-SIGNATURE header (HTTP) or the decoded payload (MCP). Null for a request without a payment. Must
     * never be logged.
     */
    payment: Readonly<{ header: string }> | Readonly<{ payload: unknown }> | null
    /** Identifies the client by a range of addresses that one customer owns. Refused payments are counted per range. */
    clientAddress: string
    /** Whether the client has disconnected. Called right before the money moves, because such a client is not charged. */
    isClientGone: () => boolean
    /**
     * Builds the answer. Called after the payment was verified and before it is settled. Called again only for a repeat
     * of a payment whose every settlement was refused. If it throws, the buyer is not charged. `isGone`: whether every client that sent the payment has disconnected. Then
     * nobody needs the answer.
     */
    buildBody: (paymentId: string, isGone: () => boolean) => Promise<BuiltBody>
    /**
     * Rebuilds the same bytes for a payment whose answer is no longer stored, for example after a restart. Default:
     * `buildBody`.
     */
    rebuildBody?: (cutAtMs: EpochMs, paymentId: string) => Promise<Buffer>
    /**
     * Returns the cut of an answer whose cut is the time at which it is first sent, when the money is there. Only
     * `rebuildBody` then makes the answer, and it must not fail. Default: the cut is that of `buildBody`.
     */
    dateWhenSent?: () => EpochMs
  }>

export type PaymentRefusalCode = 'payment_required' | 'payment_invalid' | 'payment_already_used'

/**
 * The parts of a 402 response: the x402 object as the body, its PAYMENT-REQUIRED header and, after a refused
 * settlement, the receipt.
 */
export type PaymentRequiredOutcome = Readonly<{
  kind: 'paymentRequired'
  code: PaymentRefusalCode
  body: PaymentRequired & Readonly<{ error: string }>
  header: string
  receiptHeader: string | null
}>

/**
 * There is no answer now. Usually nothing was charged. With `outcome_unknown`, it is not known yet whether the payment
 * was charged. With `answer_delayed`, the payment has arrived, and its answer cannot be read yet. Repeating the same
 * payment is always safe and costs nothing more.
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
  /** Null if this server replays a past time range, because such a server takes no payments. */
  receiptHeader: string | null
  cutAtMs: EpochMs
}>

export type PaymentOutcome =
  | PaidOutcome
  | PaymentRequiredOutcome
  | UnavailableOutcome
  | Readonly<{ kind: 'clientGone' }>
  | Readonly<{ kind: 'handlerFailed'; error: unknown }>

export type PaymentGate = Readonly<{
  /** Returns null while payments are live. Otherwise returns the refusal that replaces every 402 response. */
  unavailable: () => UnavailableOutcome | null
  /**
   * Returns the answer to a request without a payment: the 402 response, or a 503 response if payments are
   * not live. Never builds a body.
   */
  requirePayment: (resource: PaidResource) => Promise<PaymentRequiredOutcome | UnavailableOutcome>
  /**
   * Charges a payment and returns the answer that it buys, or a refusal. A payment is charged at most one time, even if a client sends it many
   * times or over several connections.
   */
  run: (request: PaidRequest) => Promise<PaymentOutcome>
  /**
   * Returns whether this payment was already taken for this request. If so, the payer is owed the answer. The
   * request then skips the refusals `warming_up`, `not_tracked`, `data_stale` and `payments_not_live`.
   */
  isOwed: (request: Pick<PaidRequest, 'payment' | 'requestId'>) => boolean
  /** Must be called when the response was sent completely. */
  markDelivered: (paymentId: string) => void
  stats: () => PaymentStats
  /** Describes the payments for `/`. */
  describe: () => Readonly<{
    protocol: 'x402'
    version: 2
    scheme: 'exact'
    isLive: boolean
    networks: readonly NetworkDescription[]
  }>
  /**
   * Searches the chain for every payment whose outcome is unknown. Checks settlements that facilitators
   * reported. Checks this machine's clock. The upkeep calls this function.
   */
  reconcile: () => Promise<void>
  /** The payment networks whose time differs too much from this machine's clock. */
  clockDifferences: () => readonly ClockDifference[]
  /** Asks the facilitators again which networks they support. The upkeep calls this function. */
  refresh: () => Promise<void>
  /** Waits for running payments, then closes the ledger. */
  close: () => Promise<void>
}>

type NetworkDescription = Readonly<{
  network: string
  asset: string
  payTo: string
  /** True if the payments are on the local chain of this process. Its money has no value. */
  isLocal: boolean
  localRpcUrl: string | null
}>

/**
 * Settled and failed payments by UTC day and route, without payers. The counts come from the ledger. Failures
 * before a payment was sent to a facilitator are not in the ledger. These failures are counted since the
 * process started.
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

/** Returns the identity of a request: its route and its parameters sorted by name, with defaults filled in. */
export function requestIdOf(routeId: string, parameters: Readonly<Record<string, string | number>>): string {
  const sorted = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1))
  return `${routeId}?${JSON.stringify(sorted)}`
}
