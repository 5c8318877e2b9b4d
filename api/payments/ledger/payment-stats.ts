/**
 * Counts settled and failed payments by UTC day and route. The counts are computed from the ledger, so a
 * restart does not change them.
 */
import type { PaymentChanged } from '../../../schemas/payments.ts'
import type { LedgerStats } from '../payment.ts'
import { createFailureCounts, dateOf, dayOf, getOrAdd } from './failure-counts.ts'

export type StatsFold = Readonly<{
  /** `before`: the previous state of the payment, or undefined if the payment is new. */
  apply: (before: PaymentChanged['state'] | undefined, change: PaymentChanged) => void
  /**
   * Must be called when the payment is forgotten. A settled payment whose answer was never delivered then counts as a failure with the code
   * `undelivered`.
   */
  forget: (payment: PaymentChanged) => void
  read: () => LedgerStats
}>

/** A delivered payment was settled. A crash or a failed append can lose the record that says so. */
const isPaid = (state: PaymentChanged['state'] | undefined): boolean => state === 'settled' || state === 'delivered'

type Sum = { n: number; usdMicros: number }

export function createStatsFold(): StatsFold {
  const settled = new Map<number, Map<string, Sum>>()
  const failures = createFailureCounts()

  const countSettled = ({ atMs, route, usdMicros }: PaymentChanged) => {
    const routes = getOrAdd(settled, dayOf(atMs), () => new Map<string, Sum>())
    const sum = getOrAdd(routes, route, () => ({ n: 0, usdMicros: 0 }))
    sum.n += 1
    sum.usdMicros += usdMicros
  }

  return {
    apply: (before, change) => {
      if (isPaid(change.state) && !isPaid(before)) countSettled(change)
      const isNewFailure = before !== 'unknown' && before !== 'released'
      if ((change.state === 'released' || change.state === 'unknown') && isNewFailure)
        failures.add({ ...change, code: change.reason ?? change.state })
    },
    forget: (payment) => {
      if (payment.state === 'settled') failures.add({ ...payment, code: 'undelivered' })
    },
    read: () => ({
      ...totalsOf([...settled.values()].flatMap((routes) => [...routes.values()])),
      days: [...settled].sort(([left], [right]) => left - right).map(([day, routes]) => toDay(day, routes)),
      payFailures: failures.read(),
    }),
  }
}

function toDay(day: number, routes: ReadonlyMap<string, Sum>): LedgerStats['days'][number] {
  const { totals } = totalsOf([...routes.values()])
  const entries = [...routes].sort(byFirst).map(([route, sum]) => [route, totalsOf([sum]).totals] as const)
  return { day: dateOf(day), ...totals, routes: Object.fromEntries(entries) }
}

/** Sums whole micro-dollars, so no rounding error accumulates. */
function totalsOf(sums: readonly Readonly<Sum>[]): Pick<LedgerStats, 'totals'> {
  let n = 0
  let usdMicros = 0
  for (const sum of sums) {
    n += sum.n
    usdMicros += sum.usdMicros
  }
  return { totals: { n, usd: usdMicros / 1_000_000 } }
}

const byFirst = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) => (left < right ? -1 : 1)
