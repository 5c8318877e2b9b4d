/** The moments of a payment at which the service is killed. */
import type { CrashPointName } from '../../../../infra/crash-points.ts'

/** At a crash point the process kills itself. At all other moments, an observer kills it. */
export type Moment = Readonly<{
  name: string
  /** Whether the payment buys a pass, which gets its date when it is first sent. Default: it buys bursts. */
  isOfPass?: true
}> &
  (
    | Readonly<{ at: 'point'; point: CrashPointName }>
    | Readonly<{ at: 'settleAsked' | 'settleAnswered' | 'bytesBegun' | 'bytesReceived' }>
  )

const point = (name: string, crashPoint: CrashPointName): Moment => ({ name, at: 'point', point: crashPoint })

/** The moments are in the order of a payment. The ledger gets the outcome while the answer is sent. */
export const moments: readonly Moment[] = [
  point('before it is verified', 'payment-before-verify'),
  point('when it is verified', 'payment-verified'),
  point('when the ledger knows that it will be settled', 'payment-settling-recorded'),
  { name: 'when the facilitator is asked to settle it', at: 'settleAsked' },
  { name: 'when it is settled and the service does not know', at: 'settleAnswered' },
  point('when the service knows that it is settled', 'payment-settled-unrecorded'),
  point('when the ledger knows that it is settled', 'payment-settled-recorded'),
  { ...point('when the ledger knows the date of its pass', 'payment-dated-recorded'), isOfPass: true },
  { name: 'when all bytes of its pass have arrived', at: 'bytesReceived', isOfPass: true },
  { name: 'when the first bytes of its answer arrive', at: 'bytesBegun' },
  { name: 'when all bytes of its answer have arrived', at: 'bytesReceived' },
  point('when the ledger knows that it is delivered', 'payment-delivered-recorded'),
]
