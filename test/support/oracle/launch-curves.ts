/**
 * Computes from facts what is published about the launchpad curve of a token. These are the rows of the
 * curve, and the times at which the curve is closed.
 */
import type { LaunchCurve } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { lastBlockShown } from './shown.ts'

type CurveFact = Extract<ChainAFact, { type: `Curve${string}` }>
type Opening = Extract<CurveFact, { type: 'CurveLaunched' | 'CurveFound' }>

export type Published =
  | Readonly<{ type: 'LaunchCurve'; data: LaunchCurve }>
  | Readonly<{ type: 'CurveClosed'; data: Readonly<{ curve: string; closedAtMs: number }> }>

const lifeMs = 7 * 24 * 3_600_000
const feeCountMax = 30

const isOpening = (fact: CurveFact): fact is Opening => fact.type === 'CurveLaunched' || fact.type === 'CurveFound'

/**
 * Returns the published records. `instants` are block times at which delayed rows may be published. A token
 * has one curve at a time: the first one that is launched or found.
 */
export function publishedCurves(facts: readonly CurveFact[], instants: readonly number[]): readonly Published[] {
  const opening = facts.find(isOpening)
  if (opening === undefined) return []
  const { curve } = opening.data
  const own = facts.slice(facts.indexOf(opening)).filter(({ data }) => data.curve === curve)
  const { life, closedAtMs, isGraduated } = lifeOf(own)
  const lastMs = instants.at(-1) ?? 0
  const untilMs = Math.min(closedAtMs, lastMs)
  const rows = rowsOf(life, [...new Set([...life.map(({ data }) => data.blockAtMs), ...instants, untilMs])], untilMs)
  const isClosed = closedAtMs < lastMs || isGraduated
  if (!isClosed) return rows
  const closing = { type: 'CurveClosed', data: { curve, closedAtMs } } as const
  const later = facts.filter(({ data }) => data.blockAtMs > closedAtMs)
  return [...rows, closing, ...publishedCurves(later, instants)]
}

/** Returns the facts until the curve graduates, or until it has been idle for a week. */
function lifeOf(own: readonly CurveFact[]) {
  const idleFrom = own.findIndex(
    ({ data }, index) => data.blockAtMs > (own[index - 1] ?? { data }).data.blockAtMs + lifeMs,
  )
  const busy = idleFrom < 0 ? own : own.slice(0, idleFrom)
  const last = busy.findIndex(({ type }) => type === 'CurveGraduated')
  const life = last < 0 ? busy : busy.slice(0, last + 1)
  const newestAtMs = life.at(-1)?.data.blockAtMs ?? 0
  return { life, closedAtMs: last < 0 ? newestAtMs + lifeMs : newestAtMs, isGraduated: last >= 0 }
}

function rowsOf(life: readonly CurveFact[], instants: readonly number[], untilMs: number): readonly Published[] {
  const atOnce = life.filter(({ type }) => type !== 'CurveTraded').map(({ data }) => data.blockNumber)
  const changes = life.map(({ data }) => ({ block: data.blockNumber, atMs: data.blockAtMs }))
  const pacing = { endsWithMinute: false, isUrgent: (block: number) => atOnce.includes(block) }
  // Delayed changes are published before the changes of a new block.
  const shown = instants
    .filter((nowMs) => nowMs <= untilMs)
    .sort((one, other) => one - other)
    .flatMap((nowMs) =>
      [changes.filter(({ atMs }) => atMs < nowMs), changes.filter(({ atMs }) => atMs <= nowMs)].map((past) =>
        lastBlockShown(past, { ...pacing, nowMs }),
      ),
    )
  return [...new Set(shown)]
    .filter((block) => block >= 0)
    .map((block) => ({ type: 'LaunchCurve', data: rowAt(life.filter(({ data }) => data.blockNumber <= block)) }))
}

/**
 * Returns the row after the facts. The last `CurveFound` fact gives the reserve and the terms of the curve.
 * The fees of earlier buys still count.
 */
function rowAt(past: readonly CurveFact[]): LaunchCurve {
  const from = Math.max(
    0,
    past.findLastIndex(({ type }) => type === 'CurveFound'),
  )
  const [opening, newest] = [past[from] as Opening, past.at(-1) as CurveFact]
  const { curve, launchpad, symbol, creator, graduationWei, phantomWei, supplyRaw } = opening.data
  const launch = opening.type === 'CurveFound' ? opening.data : null
  const trades = (facts: readonly CurveFact[]) =>
    facts.flatMap(({ type, data }) => (type === 'CurveTraded' ? [data] : []))
  const fees = trades(past)
    .filter(({ ethWei }) => ethWei > 0n)
    .map(({ ethWei, feeWei, taxWei }) => inBasisPoints(feeWei + taxWei, ethWei))
  return {
    ...{ curve, launchpad, symbol, creator, graduationWei, phantomWei, supplyRaw },
    completed: past.slice(from).some(({ type }) => type === 'CurveCompleted' || type === 'CurveGraduated'),
    launchBlock: launch === null ? opening.data.blockNumber : launch.launchBlock,
    launchAtMs: launch === null ? opening.data.blockAtMs : launch.launchAtMs,
    gradBlock: past.find(({ type }) => type === 'CurveGraduated')?.data.blockNumber ?? null,
    reserveWei: trades(past.slice(from)).reduce(
      (sum, { ethWei, feeWei, taxWei }) => sum + ethWei - feeWei - taxWei,
      launch?.reserveWei ?? 0n,
    ),
    feeBps: medianOf(fees.slice(-feeCountMax)),
    ...{ readBlock: newest.data.blockNumber, readAtMs: newest.data.blockAtMs },
  }
}

/** To the nearest, a half up. */
function inBasisPoints(part: bigint, whole: bigint): number {
  const [floor, rest] = [(part * 10_000n) / whole, (part * 10_000n) % whole]
  return Number(floor) + (2n * rest >= whole ? 1 : 0)
}

/** Returns the middle value. With an even number of values, it is the rounded mean of the two middle values. */
function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2)
}
