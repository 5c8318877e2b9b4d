/** What was done and said in one run, and which promise it breaks. */
import type { PaymentOutcome } from '../../../api/payments/payment.ts'
import type { Transfer } from './chain-double.ts'

export type Told = Readonly<{
  payment: string
  requestId: string
  /** Not its payer's bytes. */
  isForged: boolean
  askedAtMs: number
  toldAtMs: number
  outcome: PaymentOutcome
  /** Nobody was there to hear it. */
  isUnheard: boolean
  /** By the process that owned the ledger all the while. */
  isByOwner: boolean
  /** The answer could not be read at some time in between. */
  areTablesDown: boolean
}>

export type History = Readonly<{
  payments: readonly string[]
  told: readonly Told[]
  transfers: readonly Transfer[]
  /** When the ledger first held that a payment was settled, and for which request. */
  settled: ReadonlyMap<string, Readonly<{ atMs: number; requestId: string }>>
  settles: readonly Readonly<{ payment: string; atMs: number }>[]
  /** What was got for each payment with a transfer, by asking for it again later. */
  cashedIn: readonly CashedIn[]
}>

export type CashedIn = Readonly<{ payment: string; afterMs: number; outcomes: readonly PaymentOutcome[] }>

/** Of one request: 402, 503 and 500 in short. */
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

/** A process that another took over from meanwhile can speak of its own doings only. */
function denials(told: readonly Told[], transfers: readonly Transfer[], settledRequestId: string): readonly string[] {
  // Where an append's answer was lost, the answer that was given tells what was bought.
  const boughtRequestId = settledRequestId || (told.find(({ outcome }) => outcome.kind === 'paid')?.requestId ?? '')
  return told
    .filter((each) => isHeardByBuyer(each) && each.isByOwner && deniesCharge(each, boughtRequestId))
    .filter(({ toldAtMs }) => transfers.some(({ handedAtMs }) => handedAtMs <= toldAtMs))
    .map(({ outcome }) => `told "${shortly(outcome)}" of a payment whose transfer came`)
}

/** x402's server repeats a settlement that is pending; a try that was under way may do so when the money was seen. */
const secondTryMs = 25_000

const bodiesOf = (outcomes: readonly PaymentOutcome[]): ReadonlySet<string> =>
  new Set(outcomes.flatMap((outcome) => (outcome.kind === 'paid' ? [outcome.bytes.toString()] : [])))

const isHeardByBuyer = ({ isForged, isUnheard }: Told): boolean => !isForged && !isUnheard

/** Asked of the owner when the ledger held the settlement, by somebody who waited, while the answer could be read. */
const isOwed = (told: Told, settled: Readonly<{ atMs: number; requestId: string }>): boolean =>
  isHeardByBuyer(told) &&
  told.requestId === settled.requestId &&
  told.askedAtMs > settled.atMs &&
  told.isByOwner &&
  !told.areTablesDown

/**
 * Says that no money moved, or answers with an error of our own. "This request was not charged" says less: it is true of a
 * request for something else.
 */
function deniesCharge({ outcome, requestId }: Told, boughtRequestId: string): boolean {
  if (outcome.kind === 'handlerFailed') return true
  const isOfThis = boughtRequestId === '' || requestId === boughtRequestId
  return (isOfThis ? /not charged|nothing was charged/i : /and not charged|nothing was charged/i).test(textOf(outcome))
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
