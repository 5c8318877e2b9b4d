/** The strategies of the paper desk (the simulated trading) of chain B. */

import { type Desk, deskSchemaOf, type Lane } from '../desk/rules.ts'
import { defaultsOf } from '../rule-values.ts'
import { hourMs, minuteMs } from '../units.ts'

const burstExit = {
  stopRatio: 0.85,
  takeProfitRatio: 1.5,
  trailFromRatio: 1.2,
  trailRatio: 0.85,
  timeMs: 20 * minuteMs,
} as const
const runExit = {
  stopRatio: 0.85,
  takeProfitRatio: 3,
  trailFromRatio: 1.5,
  trailRatio: 0.75,
  timeMs: 60 * minuteMs,
} as const
const callExit = {
  stopRatio: 0.8,
  takeProfitRatio: 2,
  trailFromRatio: 1.35,
  trailRatio: 0.8,
  timeMs: 60 * minuteMs,
} as const

/**
 * The curves on which random trades (twins) are opened for comparison with burst trades. Curves of this age
 * and fill can have bursts.
 */
const bursting = { source: 'curve', ageMs: [5 * minuteMs, 4 * hourMs], fill: [0.25, 0.55] } as const
const alive = { source: null, ageMs: [0, 24 * hourMs], fill: null } as const
const burst = { signal: 'burst', tiers: null, shapes: null } as const

const lanes: readonly Lane[] = [
  { name: 'burst', book: 'main', entry: { ...burst, fillMax: null }, exit: burstExit, twins: bursting },
  { name: 'call-2', book: 'main', entry: { signal: 'call', chats: 2 }, exit: callExit, twins: alive },
  {
    name: 'burst-early',
    book: 'explore',
    entry: { ...burst, fillMax: 0.4 },
    exit: runExit,
    twins: { ...bursting, fill: [0.25, 0.4] },
  },
  { name: 'call-1', book: 'explore', entry: { signal: 'call', chats: 1 }, exit: callExit, twins: { sameAs: 'call-2' } },
]

export const chainBDeskSchema = deskSchemaOf({ costRatio: 0.025, lanes })
export const chainBDesk: Desk = defaultsOf(chainBDeskSchema)
