/** Settled calls and failed payments by UTC day and route, folded from the ledger, so that a restart changes nothing. */
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { PaymentStats } from './payment.ts'

export type StatsFold = Readonly<{
  /** `before`: the payment's state until now, undefined when it is new. */
  apply: (before: PaymentChanged['state'] | undefined, change: PaymentChanged) => void
  read: () => PaymentStats
}>

type Sum = { n: number; usdMicros: number }

export function createStatsFold(): StatsFold {
  const settled = new Map<number, Map<string, Sum>>()
  const failures = new Map<string, { day: number; route: string; code: string; n: number }>()

  const countSettled = ({ atMs, route, usdMicros }: PaymentChanged) => {
    const routes = getOrAdd(settled, dayOf(atMs), () => new Map<string, Sum>())
    const sum = getOrAdd(routes, route, () => ({ n: 0, usdMicros: 0 }))
    sum.n += 1
    sum.usdMicros += usdMicros
  }
  const countFailure = ({ atMs, route, state, reason }: PaymentChanged) => {
    const day = dayOf(atMs)
    const code = reason ?? state
    getOrAdd(failures, `${day}|${route}|${code}`, () => ({ day, route, code, n: 0 })).n += 1
  }

  return {
    apply: (before, change) => {
      if (change.state === 'settled' && before !== 'settled' && before !== 'delivered') countSettled(change)
      const isNewFailure = before !== 'unknown' && before !== 'released'
      if ((change.state === 'released' || change.state === 'unknown') && isNewFailure) countFailure(change)
    },
    read: () => ({
      ...totalsOf([...settled.values()].flatMap((routes) => [...routes.values()])),
      days: [...settled].sort(([left], [right]) => left - right).map(([day, routes]) => toDay(day, routes)),
      payFailures: [...failures].sort(byFirst).map(([, failure]) => ({ ...failure, day: dateOf(failure.day) })),
    }),
  }
}

function toDay(day: number, routes: ReadonlyMap<string, Sum>): PaymentStats['days'][number] {
  const { totals } = totalsOf([...routes.values()])
  const entries = [...routes].sort(byFirst).map(([route, sum]) => [route, totalsOf([sum]).totals] as const)
  return { day: dateOf(day), ...totals, routes: Object.fromEntries(entries) }
}

/** Added as whole micro-dollars: no sum drifts. */
function totalsOf(sums: readonly Readonly<Sum>[]): Pick<PaymentStats, 'totals'> {
  let n = 0
  let usdMicros = 0
  for (const sum of sums) {
    n += sum.n
    usdMicros += sum.usdMicros
  }
  return { totals: { n, usd: usdMicros / 1_000_000 } }
}

const dayMs = 86_400_000
const dayOf = (atMs: number): number => Math.floor(atMs / dayMs)
const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
const byFirst = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) => (left < right ? -1 : 1)

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}
