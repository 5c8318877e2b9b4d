/** The launchpad curve of a token of chain A, from its facts. */
import type { ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import { lastBlockShown } from '../../../support/oracle/shown.ts'
import type { Market } from './desk.ts'

type Event = Readonly<{
  block: number
  atMs: number
  reserveWei: bigint
  kind: 'traded' | 'told' | 'completed' | 'graduated'
}>

export type TokenCurve = Readonly<{
  creator: string
  launchedAtMs: number
  graduationWei: bigint
  events: readonly Event[]
  market: Market
}>

const weekMs = 7 * 24 * 3_600_000

type CurveFact = Extract<ChainARecord, { type: `Curve${string}` }>

/** Null: the token was not launched on a curve. */
export function curveOf(records: readonly ChainARecord[]): TokenCurve | null {
  const launch = records.find(({ type }) => type === 'CurveLaunched')
  if (launch?.type !== 'CurveLaunched') return null
  const { curve, creator, graduationWei, phantomWei, blockAtMs: launchedAtMs } = launch.data
  const facts = records.filter((record): record is CurveFact => 'curve' in record.data && record.data.curve === curve)
  let reserveWei = 0n
  const events = facts.map(({ type, data }): Event => {
    if (type === 'CurveTraded') reserveWei += data.ethWei - data.feeWei - data.taxWei
    return { block: data.blockNumber, atMs: data.blockAtMs, reserveWei, kind: kinds[type] ?? 'told' }
  })
  const isEnd = ({ kind }: Event) => kind === 'completed' || kind === 'graduated'
  const graduatedAtMs = events.find(isEnd)?.atMs ?? null
  const goesOnAtMs = events.find(({ kind }) => kind === 'graduated')?.atMs ?? null
  const closedAtMs = (events.at(-1)?.atMs ?? launchedAtMs) + weekMs
  const moves = events
    .filter((event) => !isEnd(event))
    .map((event) => {
      return { atMs: event.atMs, px: Number(phantomWei + event.reserveWei) ** 2, left: 1 }
    })
  const market = {
    market: curve,
    source: 'curve',
    openedAtMs: launchedAtMs,
    moves,
    graduatedAtMs,
    goesOnAtMs,
    closedAtMs,
    bursts: [],
  } as const
  return { creator, launchedAtMs, graduationWei, events, market }
}

const kinds: Readonly<Partial<Record<string, Event['kind']>>> = {
  ...{ CurveTraded: 'traded', CurveCompleted: 'completed', CurveGraduated: 'graduated' },
}

/**
 * Returns the state of the curve at a block time. Null if the curve is not launched yet, has graduated, or is
 * forgotten. Trades within `pauseMs` are published together.
 */
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
