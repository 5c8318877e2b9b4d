/** The strategies of chain A’s paper desk. */
import type { Desk, Lane } from '../desk/rules.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const burstExit = { stop: 0.85, takeProfit: 1.5, trailFrom: 1.2, trail: 0.85, timeMs: 30 * minuteMs } as const
const quickExit = { stop: 0.9, takeProfit: 1.25, trailFrom: 1.1, trail: 0.92, timeMs: 10 * minuteMs } as const
const callExit = { stop: 0.8, takeProfit: 2, trailFrom: 1.35, trail: 0.8, timeMs: 60 * minuteMs } as const

/** The ages at which pools burst. */
const young = { source: 'pool', ageMs: [5 * minuteMs, 6 * hourMs], fill: null } as const
const alive = { source: null, ageMs: [0, 24 * hourMs], fill: null } as const
const burst = { signal: 'burst', shapes: null, fillMax: null } as const

const lanes: readonly Lane[] = [
  {
    name: 'burst-spread',
    book: 'main',
    entry: { ...burst, tiers: ['main'], shapes: ['spread'] },
    exit: burstExit,
    twins: young,
  },
  { name: 'call-2', book: 'main', entry: { signal: 'call', chats: 2 }, exit: callExit, twins: alive },
  {
    name: 'burst-any',
    book: 'explore',
    entry: { ...burst, tiers: ['main'] },
    exit: burstExit,
    twins: { sameAs: 'burst-spread' },
  },
  { name: 'burst-lite', book: 'explore', entry: { ...burst, tiers: ['lite'] }, exit: quickExit, twins: young },
  {
    name: 'burst-again',
    book: 'explore',
    entry: { ...burst, tiers: ['refire', 'old'] },
    exit: burstExit,
    twins: { source: 'pool', ageMs: [30 * minuteMs, 24 * hourMs], fill: null },
  },
  { name: 'call-1', book: 'explore', entry: { signal: 'call', chats: 1 }, exit: callExit, twins: { sameAs: 'call-2' } },
]

export const chainADesk: Desk = { costs: 0.02, lanes }
