/** The launchpad curve of a token of chain A, from its facts. */
import type { ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import type { Market } from './desk.ts'
import { lastBlockShown } from '../../../support/oracle/shown.ts'

type Event = Readonly<{ block: number; atMs: number; reserveWei: bigint; kind: 'traded' | 'told' | 'graduated' }>

export type TokenCurve = Readonly<{
  creator: string
  launchedAtMs: number
  graduationWei: bigint
  events: readonly Event[]
  market: Market
}>

const weekMs = 7 * 24 * 3_600_000

/** Null: it was not launched on one. */
export function curveOf(facts: readonly ChainARecord[]): TokenCurve | null {
  const launch = facts.find(({ type }) => type === 'CurveLaunched')
  if (launch?.type !== 'CurveLaunched') return null
  const { curve, creator, graduationWei, phantomWei, blockAtMs: launchedAtMs } = launch.data
  const events: Event[] = []
  const moves: Market['moves'][number][] = []
  let [reserveWei, graduatedAtMs]: [bigint, number | null] = [0n, null]
  for (const { type, data } of facts) {
    if (!('curve' in data) || data.curve !== curve) continue
    const { blockNumber: block, blockAtMs: atMs } = data
    if (type === 'CurveTraded') reserveWei += data.ethWei - data.feeWei - data.taxWei
    if (type === 'CurveCompleted' || type === 'CurveGraduated') graduatedAtMs ??= atMs
    else moves.push({ atMs, px: Number(phantomWei + reserveWei) ** 2, left: 1 })
    const kind = type === 'CurveTraded' ? 'traded' : type === 'CurveGraduated' ? 'graduated' : 'told'
    events.push({ block, atMs, reserveWei, kind })
  }
  const closedAtMs = graduatedAtMs === null ? (events.at(-1)?.atMs ?? launchedAtMs) + weekMs : null
  const market = { source: 'curve', openedAtMs: launchedAtMs, moves, graduatedAtMs, closedAtMs, bursts: [] } as const
  return { creator, launchedAtMs, graduationWei, events, market }
}

/** Null: it is not launched yet, in a pool by now, or forgotten. Trades of some seconds are shown together. */
export function curveAt({ events, graduationWei, creator }: TokenCurve, blockAtMs: number, pauseMs: number) {
  const past = events.filter(({ atMs }) => atMs <= blockAtMs)
  const urgent = new Set(past.filter(({ kind }) => kind !== 'traded').map(({ block }) => block))
  const scale = 10_000 / pauseMs
  const scaled = past.map(({ block, atMs }) => ({ block, atMs: atMs * scale }))
  const pacing = { nowMs: blockAtMs * scale, endsWithMinute: false, isUrgent: (block: number) => urgent.has(block) }
  const lastBlock = lastBlockShown(scaled, pacing)
  const shown = past.filter(({ block }) => block <= lastBlock)
  const newest = shown.at(-1)
  if (newest === undefined || newest.atMs <= blockAtMs - weekMs) return null
  if (shown.some(({ kind }) => kind === 'graduated')) return null
  const ethInCurve = Number(newest.reserveWei) / 1e18
  return { progress: Math.min(1, Number(newest.reserveWei) / Number(graduationWei)), ethInCurve, creator }
}
