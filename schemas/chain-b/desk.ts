/** The strategies of chain B’s paper desk. */
import type { Desk, Lane } from '../desk/rules.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const burstExit = { stop: 0.85, takeProfit: 1.5, trailFrom: 1.2, trail: 0.85, timeMs: 20 * minuteMs } as const
const runExit = { stop: 0.85, takeProfit: 3, trailFrom: 1.5, trail: 0.75, timeMs: 60 * minuteMs } as const
const callExit = { stop: 0.8, takeProfit: 2, trailFrom: 1.35, trail: 0.8, timeMs: 60 * minuteMs } as const

/** Where curves burst. */
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

export const chainBDesk: Desk = { costs: 0.025, lanes }
