/** The strategies of the paper desk (the simulated trading) of chain A. */

import { type Desk, deskSchemaOf, type Lane } from '../desk/rules.ts'
import { defaultsOf } from '../rule-values.ts'
import { hourMs, minuteMs } from '../units.ts'
import { type Tier, tiers } from './derived.ts'

const burstExit = {
  stopRatio: 0.85,
  takeProfitRatio: 1.5,
  trailFromRatio: 1.2,
  trailRatio: 0.85,
  timeMs: 30 * minuteMs,
} as const
const quickExit = {
  stopRatio: 0.9,
  takeProfitRatio: 1.25,
  trailFromRatio: 1.1,
  trailRatio: 0.92,
  timeMs: 10 * minuteMs,
} as const
const callExit = {
  stopRatio: 0.8,
  takeProfitRatio: 2,
  trailFromRatio: 1.35,
  trailRatio: 0.8,
  timeMs: 60 * minuteMs,
} as const

/**
 * The pools in which random trades (twins) are opened for comparison with burst trades. Pools of this age can
 * have main and lite bursts.
 */
const young = { source: 'pool', ageMs: [5 * minuteMs, 6 * hourMs], fill: null } as const
const alive = { source: null, ageMs: [0, 24 * hourMs], fill: null } as const

type BurstLane = 'burst-spread' | 'burst-any' | 'burst-lite' | 'burst-again'

/**
 * The lanes (trading strategies) that trade the bursts of each tier. A tier with an empty list is not traded.
 */
const lanesOfTier: Readonly<Record<Tier, readonly BurstLane[]>> = {
  main: ['burst-spread', 'burst-any'],
  lite: ['burst-lite'],
  refire: ['burst-again'],
  old: ['burst-again'],
}

const burstsOf = (name: BurstLane) =>
  ({
    signal: 'burst',
    shapes: null,
    fillMax: null,
    tiers: tiers.filter((tier) => lanesOfTier[tier].includes(name)),
  }) as const

const lanes: readonly Lane[] = [
  {
    name: 'burst-spread',
    book: 'main',
    entry: { ...burstsOf('burst-spread'), shapes: ['spread'] },
    exit: burstExit,
    twins: young,
  },
  { name: 'call-2', book: 'main', entry: { signal: 'call', chats: 2 }, exit: callExit, twins: alive },
  {
    name: 'burst-any',
    book: 'explore',
    entry: burstsOf('burst-any'),
    exit: burstExit,
    twins: { sameAs: 'burst-spread' },
  },
  { name: 'burst-lite', book: 'explore', entry: burstsOf('burst-lite'), exit: quickExit, twins: young },
  {
    name: 'burst-again',
    book: 'explore',
    entry: burstsOf('burst-again'),
    exit: burstExit,
    twins: { source: 'pool', ageMs: [30 * minuteMs, 24 * hourMs], fill: null },
  },
  { name: 'call-1', book: 'explore', entry: { signal: 'call', chats: 1 }, exit: callExit, twins: { sameAs: 'call-2' } },
]

export const chainADeskSchema = deskSchemaOf({ costRatio: 0.02, lanes })
export const chainADesk: Desk = defaultsOf(chainADeskSchema)
