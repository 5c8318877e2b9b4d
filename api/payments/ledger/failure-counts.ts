/**
 * Counts failed payments by UTC day, route and code. The memory is limited for any number of failures and any
 * number of codes.
 */
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import type { LedgerStats } from '../payment.ts'

type Failure = Readonly<{ atMs: EpochMs; route: string; code: string }>

export type FailureCounts = Readonly<{ add: (failure: Failure) => void; read: () => LedgerStats['payFailures'] }>

/** The maximum number of codes per route and day. Further codes are counted as `other`. */
const codesMax = 40
/** The maximum number of counts over all days. Beyond it, the oldest day is dropped. */
const countsMax = 5_000

export function createFailureCounts(): FailureCounts {
  /** The counts by day, route and code. */
  const days = new Map<number, Map<string, Map<string, number>>>()
  let counts = 0

  const dropOldest = () => {
    const oldest = Math.min(...days.keys())
    for (const codes of days.get(oldest)?.values() ?? []) counts -= codes.size
    days.delete(oldest)
  }
  return {
    add: ({ atMs, route, code }) => {
      const routes = getOrAdd(days, dayOf(atMs), () => new Map<string, Map<string, number>>())
      const codes = getOrAdd(routes, route, () => new Map<string, number>())
      const counted = codes.has(code) || codes.size < codesMax ? code : 'other'
      if (!codes.has(counted)) counts += 1
      codes.set(counted, (codes.get(counted) ?? 0) + 1)
      while (counts > countsMax && days.size > 1) dropOldest()
    },
    read: () => sorted([...days].flatMap(([day, routes]) => ofDay(dateOf(day), routes))),
  }
}

/** Merges lists of counts: the result has one count per day, route and code. */
export function mergeFailures(...lists: readonly LedgerStats['payFailures'][]): LedgerStats['payFailures'] {
  const merged = new Map<string, LedgerStats['payFailures'][number]>()
  for (const failure of lists.flat()) {
    const key = keyOf(failure)
    merged.set(key, { ...failure, n: failure.n + (merged.get(key)?.n ?? 0) })
  }
  return sorted([...merged.values()])
}

type Codes = ReadonlyMap<string, ReadonlyMap<string, number>>

const ofDay = (day: string, routes: Codes): LedgerStats['payFailures'] =>
  [...routes].flatMap(([route, codes]) => [...codes].map(([code, n]) => ({ day, route, code, n })))

const keyOf = ({ day, route, code }: LedgerStats['payFailures'][number]): string => `${day}|${route}|${code}`

const sorted = (failures: LedgerStats['payFailures']): LedgerStats['payFailures'] =>
  failures
    .map((failure) => ({ failure, key: keyOf(failure) }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ failure }) => failure)

export const dayOf = (atMs: EpochMs): number => Math.floor(atMs / dayMs)
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

export function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}
