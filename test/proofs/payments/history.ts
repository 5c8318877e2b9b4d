/** The payment requests and answers of one run, and the rules for payments that the answers break. */
import type { PaymentOutcome } from '../../../api/payments/payment.ts'
import type { Transfer } from './chain-double.ts'

export type Told = Readonly<{
  payment: string
  requestId: string
  /** Whether the payment was changed by a stranger. */
  isForged: boolean
  askedAtMs: number
  toldAtMs: number
  outcome: PaymentOutcome
  /** Whether the client was gone. */
  isUnheard: boolean
  /** Whether the process that answered was the only owner of the ledger during the whole request. */
  isByOwner: boolean
  /**
   * Whether the answer may be late: the tables could not be read at some time before it, or the log could fail to record
   * its date.
   */
  isAnswerLate: boolean
}>

export type History = Readonly<{
  payments: readonly string[]
  told: readonly Told[]
  transfers: readonly Transfer[]
  /**
   * For each payment, when the ledger first recorded it as settled, and the id of the request that the buyer
   * paid for.
   */
  settled: ReadonlyMap<string, Readonly<{ atMs: number; requestId: string }>>
  settles: readonly Readonly<{ payment: string; atMs: number }>[]
  /**
   * For each payment whose money moved, the answers to further requests with this payment at the end of the
   * run.
   */
  cashedIn: readonly CashedIn[]
}>

export type CashedIn = Readonly<{ payment: string; afterMs: number; outcomes: readonly PaymentOutcome[] }>

/** A short text for an outcome. */
const shortly = (outcome: PaymentOutcome): string =>
  outcome.kind === 'unavailable'
    ? outcome.reason
    : outcome.kind === 'paymentRequired'
      ? outcome.body.error
      : outcome.kind

export function brokenPromises(history: History): readonly string[] {
  return history.payments.flatMap((payment, index) =>
    promisesOf(history, payment).map((text) => `payment ${index}: ${text}`),
  )
}

function promisesOf(history: History, payment: string): readonly string[] {
  const ofPayment = <Of extends Readonly<{ payment: string }>>(all: readonly Of[]): readonly Of[] =>
    all.filter((each) => each.payment === payment)
  const transfers = ofPayment(history.transfers)
  const told = ofPayment(history.told)
  const cashedIn = ofPayment(history.cashedIn)
  const settled = history.settled.get(payment) ?? { atMs: Number.POSITIVE_INFINITY, requestId: '' }
  const bodies = bodiesOf([...told.map(({ outcome }) => outcome), ...cashedIn.flatMap(({ outcomes }) => outcomes)])
  const isSettledAgain = ofPayment(history.settles).some(({ atMs }) => atMs > settled.atMs + secondTryMs)
  const isStolen = told.some(({ isForged, outcome }) => isForged && outcome.kind === 'paid')
  return [
    ...(transfers.length > 1 ? [`${transfers.length} transfers`] : []),
    ...(bodies.size > 1 ? [`several bodies: ${[...bodies].join(' and ')}`] : []),
    ...(isStolen ? ['somebody else was answered'] : []),
    ...cashedIn.filter(({ outcomes }) => outcomes.at(-1)?.kind !== 'paid').map(notCashedIn),
    ...denials(told, transfers, settled.requestId),
    ...told
      .filter((each) => isOwed(each, settled) && each.outcome.kind !== 'paid')
      .map(({ outcome }) => `told "${shortly(outcome)}" when it was known to be settled`),
    ...(isSettledAgain ? ['settled again when it was settled'] : []),
  ]
}

const notCashedIn = ({ outcomes, afterMs }: CashedIn): string =>
  `not cashed in ${Math.round(afterMs / 1000)} s after its transfer: ${outcomes.map(shortly).join(', ')}`

/**
 * Finds answers that deny a charge although the money moved. Only answers of the process that owns the ledger
 * count. A process that has been replaced knows only its own calls.
 */
function denials(told: readonly Told[], transfers: readonly Transfer[], settledRequestId: string): readonly string[] {
  // If the process did not learn that its append to the ledger succeeded, the paid answer shows what the
  // buyer bought.
  const boughtRequestId = settledRequestId || (told.find(({ outcome }) => outcome.kind === 'paid')?.requestId ?? '')
  return told
    .filter((each) => isHeardByBuyer(each) && each.isByOwner && deniesCharge(each, boughtRequestId))
    .filter(({ toldAtMs }) => transfers.some(({ handedAtMs }) => handedAtMs <= toldAtMs))
    .map(({ outcome }) => `told "${shortly(outcome)}" of a payment whose transfer came`)
}

/**
 * Within this time after a settlement, in milliseconds, a further settle request is allowed. x402's server
 * repeats a pending settlement, even if the transfer was already seen.
 */
const secondTryMs = 25_000

const bodiesOf = (outcomes: readonly PaymentOutcome[]): ReadonlySet<string> =>
  new Set(outcomes.flatMap((outcome) => (outcome.kind === 'paid' ? [outcome.bytes.toString()] : [])))

const isHeardByBuyer = ({ isForged, isUnheard }: Told): boolean => !isForged && !isUnheard

/**
 * Returns true if the service had to give the answer. The client waited, the ledger's owner got the request
 * after the settlement, and the answer could be made.
 */
const isOwed = (told: Told, settled: Readonly<{ atMs: number; requestId: string }>): boolean =>
  isHeardByBuyer(told) &&
  told.requestId === settled.requestId &&
  told.askedAtMs > settled.atMs &&
  told.isByOwner &&
  !told.isAnswerLate

/**
 * True if an outcome says that no money moved, or if the outcome is an error of our own. A request for
 * something else may get the answer "This request was not charged".
 */
function deniesCharge({ outcome, requestId }: Told, boughtRequestId: string): boolean {
  if (outcome.kind === 'handlerFailed') return true
  const isOfThis = boughtRequestId === '' || requestId === boughtRequestId
  return (isOfThis ? /not charged|nothing was charged/i : /nothing was charged/i).test(textOf(outcome))
}

function textOf(outcome: PaymentOutcome): string {
  switch (outcome.kind) {
    case 'unavailable':
      return outcome.message
    case 'paymentRequired':
      return outcome.body.error
    default:
      return ''
  }
}
