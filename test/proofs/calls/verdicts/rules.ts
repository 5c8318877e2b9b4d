/** The limits of both verdicts and the strategies of the paper desks, written again from the descriptions in the answers. */
import type { Story } from '../../../support/oracle/desk/desk.ts'

export type Desk = Story['desk']
type Lane = Desk['lanes'][number]
type LaneExit = Lane['exit']

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export type Cards = Readonly<Record<string, readonly (readonly [limit: number, points: number])[]>>

export type VerdictRules = Readonly<{
  heldPercent: bigint
  insiderShare: number
  youngMs: number
  crashRet: number
  runLimit: number
  clusterWallets: number
  rugLeft: number
  rugWindowMs: number
  checkEveryMs: number
  pauseMs: number
  topHolderShare: number
  lpLockedShare: number
  inflowSol: number
  fillGain: number
  top10Share: number
  win35: number
  k: number
  manyTokens: number
  convictionMin: number
  /** The names of rules that are left out. */
  ignored: readonly string[]
  cards: Cards
  chainADesk: Desk
  chainBDesk: Desk
}>

const exit = (
  stop: number,
  takeProfit: number,
  its: Readonly<{ trail: readonly number[]; min: number }>,
): LaneExit => ({
  ...{ stopRatio: stop, takeProfitRatio: takeProfit },
  ...{ trailFromRatio: its.trail[0] ?? 1, trailRatio: its.trail[1] ?? 0, timeMs: its.min * minuteMs },
})

/** Twins do not change a verdict. */
const lane = (name: string, entry: Lane['entry'], its: LaneExit): Lane => ({
  book: explored.has(name) ? 'explore' : 'main',
  ...{ name, entry, exit: its, twins: { sameAs: name } },
})

const explored = new Set(['burst-any', 'burst-lite', 'burst-again', 'burst-early', 'call-1'])

const onBurst = (its: Readonly<{ tiers?: readonly string[]; shapes?: readonly string[]; fillMax?: number }>) =>
  ({ signal: 'burst', tiers: its.tiers ?? null, shapes: its.shapes ?? null, fillMax: its.fillMax ?? null }) as const
const onCall = (chats: number) => ({ signal: 'call', chats }) as const

const afterCall = exit(0.8, 2, { trail: [1.35, 0.8], min: 60 })
const afterBurst = exit(0.85, 1.5, { trail: [1.2, 0.85], min: 30 })

const chainADesk: Desk = {
  costRatio: 0.02,
  lanes: [
    lane('burst-spread', onBurst({ tiers: ['main'], shapes: ['spread'] }), afterBurst),
    lane('call-2', onCall(2), afterCall),
    lane('burst-any', onBurst({ tiers: ['main'] }), afterBurst),
    lane('burst-lite', onBurst({ tiers: ['lite'] }), exit(0.9, 1.25, { trail: [1.1, 0.92], min: 10 })),
    lane('burst-again', onBurst({ tiers: ['refire', 'old'] }), afterBurst),
    lane('call-1', onCall(1), afterCall),
  ],
}

const chainBDesk: Desk = {
  costRatio: 0.025,
  lanes: [
    lane('burst', onBurst({}), exit(0.85, 1.5, { trail: [1.2, 0.85], min: 20 })),
    lane('call-2', onCall(2), afterCall),
    lane('burst-early', onBurst({ fillMax: 0.4 }), exit(0.85, 3, { trail: [1.5, 0.75], min: 60 })),
    lane('call-1', onCall(1), afterCall),
  ],
}

/**
 * Each reading of a scanner card costs points from a limit on. For holders, it costs points below the limit.
 */
const cards: Cards = {
  top10Pct: [
    [0.2, 5],
    [0.3, 15],
    [0.5, 25],
  ],
  topHolder1Pct: [
    [0.05, 5],
    [0.1, 12],
    [0.2, 20],
  ],
  snipers: [
    [10, 3],
    [25, 6],
  ],
  sniperPct: [
    [0.05, 5],
    [0.15, 12],
    [0.3, 20],
  ],
  bundlers: [
    [10, 3],
    [25, 6],
  ],
  bundlePct: [
    [0.1, 6],
    [0.25, 15],
    [0.5, 25],
  ],
  devLeftPct: [
    [0.03, 4],
    [0.1, 12],
    [0.2, 20],
  ],
  fresh1d: [
    [0.2, 5],
    [0.4, 10],
  ],
  fresh7d: [
    [0.4, 4],
    [0.6, 8],
  ],
  holders: [
    [200, 4],
    [50, 10],
  ],
}

export const verdictRules: VerdictRules = {
  ...{ heldPercent: 50n, insiderShare: 0.2, youngMs: 30 * minuteMs, crashRet: -0.8 },
  ...{ runLimit: 3, clusterWallets: 5, rugLeft: 0.2, rugWindowMs: 30 * minuteMs },
  ...{ checkEveryMs: 10 * minuteMs, pauseMs: 10_000 },
  ...{ topHolderShare: 0.3, lpLockedShare: 0.9, inflowSol: 30, fillGain: 0.2, top10Share: 0.6 },
  ...{ win35: 0.5, k: 10, manyTokens: 3, convictionMin: 0.6, ignored: [], cards, chainADesk, chainBDesk },
}

export const lookBackMs = 48 * hourMs
export const dayMs = 24 * hourMs

const withStop = ({ costRatio, lanes }: Desk, stopRatio: number): Desk => ({
  costRatio,
  lanes: lanes.map((its) => ({ ...its, exit: { ...its.exit, stopRatio } })),
})

/**
 * A changed rule. `needs` is a range of numbers of tokens. The run must have a scored post of chain B that
 * names a number of tokens in this range. A short run may have no such post.
 */
type BentVerdict = Readonly<{ name: string; rules: VerdictRules; needs?: readonly [least: number, most: number] }>

const bent = (name: string, changed: Partial<VerdictRules>): BentVerdict => ({
  name: `a verdict with ${name}`,
  rules: { ...verdictRules, ...changed },
})

export const bentVerdicts: readonly BentVerdict[] = [
  bent('liquidity held from 60 % on', { heldPercent: 60n }),
  bent('liquidity held from 90 % on', { heldPercent: 90n }),
  bent('liquidity that is locked from 50 % on', { lpLockedShare: 0.5 }),
  bent('a mint authority that does no harm', { ignored: ['mint-authority'] }),
  bent('a provider whose word for a rug is not heard', { ignored: ['provider: rugged'] }),
  bent('unknown owners that do no harm', { ignored: ['lp-unknown'] }),
  bent('liquidity held from 39 % on', { heldPercent: 39n }),
  bent('an insider from 45 % on', { insiderShare: 0.45 }),
  bent('an age of 32 min that is young', { youngMs: 32 * minuteMs }),
  bent('a crash of 25 %', { crashRet: -0.25 }),
  bent('a run of 2', { runLimit: 2 }),
  bent('a cluster of 2', { clusterWallets: 2 }),
  bent('a rug that leaves 5 %', { rugLeft: 0.05 }),
  bent('a rug within 15 min', { rugWindowMs: 15 * minuteMs }),
  bent('a profile every 11 min', { checkEveryMs: 11 * minuteMs }),
  bent('a curve shown once a minute', { pauseMs: 60_000 }),
  bent('a top holder of 35 %', { topHolderShare: 0.35 }),
  bent('a burst of 33 SOL', { inflowSol: 33 }),
  bent('a curve that fills by 25 %', { fillGain: 0.25 }),
  bent('ten holders of 66 %', { top10Share: 0.66 }),
  bent('callers who win 55 %', { win35: 0.55 }),
  bent('callers shrunk by 11', { k: 11 }),
  { ...bent('posts of six tokens that count whole', { manyTokens: 6 }), needs: [4, 6] },
  bent('conviction from 0.5 on', { convictionMin: 0.5 }),
  bent('points for ten holders from 25 % on', {
    cards: {
      ...cards,
      top10Pct: [
        [0.25, 5],
        [0.35, 15],
        [0.5, 25],
      ],
    },
  }),
  bent('costs of 3 % on chain A', { chainADesk: { ...chainADesk, costRatio: 0.03 } }),
  bent('a stop at -25 % on chain A', { chainADesk: withStop(chainADesk, 0.75) }),
  bent('costs of 3 % on chain B', { chainBDesk: { ...chainBDesk, costRatio: 0.03 } }),
  bent('a stop at -25 % on chain B', { chainBDesk: withStop(chainBDesk, 0.75) }),
]
