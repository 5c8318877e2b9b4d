/**
 * Answers the queries of the HTTP server from rows and cuts that the test sets. The rows are filtered as in
 * the real queries, but keep the order in which the test lists them. The real queries have their own tests.
 */
import type {
  BurstFilter,
  BurstRow,
  ChainAQueries,
  CrewRow,
  CurveRow,
  DayRow,
  PoolRow,
  ProfileRow,
  RugCheckRow,
  TokenPricesRow,
  VerdictRow,
} from '../../projections/chain-a/queries/chain-a-queries.ts'
import type { Cuts, StageCut } from '../../projections/cuts.ts'
import type { ComparedTrade } from '../../projections/desk/queries/twins.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { Stage } from '../../schemas/stage.ts'
import { buildTrade, createFixedDesk } from './fixed-desk.ts'
import { trackedIn } from './tracked-in.ts'

export type FixedQueries = {
  cut: StageCut | null
  /** The first instant with data. */
  oldestAtMs: number
  /**
   * The cuts of all stages except chain A's, by the name of the stage. A cut is a time, together with what
   * the service knew at that time.
   */
  otherCuts: Readonly<Record<string, StageCut>>
  bursts: readonly BurstRow[]
  pools: readonly PoolRow[]
  /** The number of pools without a price, which no list of pools shows. */
  unpricedCount: number
  /** The rug check of `fixedBurst`'s token. No other token has a rug check. */
  rugCheck: RugCheckRow | null
  /** The verdict about `fixedBurst`'s token. No other token has a verdict. */
  tokenPrices: TokenPricesRow | null
  verdict: VerdictRow | null
  crews: readonly CrewRow[]
  deskTrades: readonly ComparedTrade[]
  day: DayRow
  /** The names of the queries so far. */
  asked: string[]
  failure: Error | null
}

export const fixedCut: StageCut = {
  atMs: 1_790_000_002_000,
  blockNumber: 77,
  blockAtMs: 1_790_000_000_000,
  coinPrice: { usd: 3000, atMs: 1_789_999_000_000 },
  source: 'chain',
}

export const fixedBurst: BurstRow = {
  token: `0x${'a1'.repeat(20)}`,
  pool: `0x${'b2'.repeat(32)}`,
  tier: 'main',
  atMs: 1_789_999_990_000,
  dex: 'v4',
  blockNumber: 76,
  blockHash: `0x${'f6'.repeat(32)}`,
  shape: 'spread',
  inflowWei: '1500000000000000000',
  inflowEth: 1.5,
  buys: 14,
  sells: 1,
  windowSec: 60,
  poolCreatedAtMs: 1_789_999_240_000,
  poolAgeMin: 12.5,
  sameSizeMax: 2,
  top3Share: 0.4,
  sizeCv: 0.7,
  px: 1e-27,
  buyers: 11,
  repeatBuyers: 3,
  lp: {
    class: 'held',
    insiderShare: 0.75,
    burnedShare: 0.25,
    contractShare: 0,
    otherShare: 0,
    unknownShare: 0,
    firstAddAtMs: 1_789_999_930_000,
    lpAdds: 2,
  },
  outcome: {
    scoredAtMs: 1_790_000_001_000,
    ret30m: -0.5,
    peakRet: 0.2,
    ruleRet: -0.17,
    exits: [
      { rule: 'live', ret: -0.17, why: 'burst_stall', sec: 60 },
      { rule: 'hold', ret: -0.5, why: 'held', sec: null },
    ],
    rug: null,
  },
  supersedesAtMs: null,
  gaps: null,
  knownAtMs: 1_789_999_991_000,
  publishedAtMs: 1_789_999_991_500,
  filled: {
    seconds: { knownAtMs: 1_789_999_996_000, publishedAtMs: 1_789_999_996_500 },
    outcome: { knownAtMs: 1_790_000_001_000, publishedAtMs: 1_790_000_001_500 },
  },
}

export const fixedPool: PoolRow = {
  pool: fixedBurst.pool,
  dex: 'v4',
  token: fixedBurst.token,
  createdBlock: 5,
  createdAtMs: 1_789_999_240_000,
  px: 2e-27,
  lastPx: 1e-27,
  liqEth: 4.2,
  lastSwapAtMs: 1_789_999_990_000,
  net60mEth: 1.25,
  buys60m: 20,
  sells60m: 3,
  fired: ['main', 'lite'],
}

export const fixedProfile: ProfileRow = {
  ...{ class: 'held', insiderShare: 0.75, burnedShare: 0.25, contractShare: 0, otherShare: 0, unknownShare: 0 },
  ...{
    firstAddAtMs: 1_789_999_240_000,
    lpAdds: 2,
    token: fixedPool.token,
    pool: fixedPool.pool,
    createdAtMs: fixedPool.createdAtMs,
  },
  ...{ checkedAtMs: 1_789_999_840_000, blockNumber: 60, creator: `0x${'c3'.repeat(20)}` },
}

/** A curve that is half full. */
export const fixedCurve: CurveRow = {
  ...{ token: fixedPool.token, gradBlock: null, supplyRaw: '1000000000000000000000000000' },
  ...{ graduationWei: '4200000000000000000', reserveWei: '2100000000000000000', phantomWei: '1680000000000000000' },
  ...{ curve: `0x${'d4'.repeat(20)}`, launchpad: 'pons-v2', isCompleted: false, symbol: 'TEST', creator: null },
  ...{ launchBlock: 50, launchAtMs: 1_789_999_240_000, graduationEth: 4.2, reserveEth: 2.1, progress: 0.5 },
  ...{ marketCapEth: 8.505, feeBps: 200, readBlock: 60, readAtMs: 1_789_999_840_000 },
}

/** The verdict about a token that a chat post named. The token has a pool whose liquidity class is `held`. */
const fixedPrices: TokenPricesRow = {
  ...{ pool: fixedBurst.pool, poolCount: 2, gaps: null },
  minutes: [
    { minuteAtMs: fixedCut.blockAtMs - 120_000, lastPx: 1e-15 },
    { minuteAtMs: fixedCut.blockAtMs - 60_000, lastPx: 1.5e-15 },
  ],
}

export const fixedVerdict: VerdictRow = {
  ...{ token: fixedPool.token, classes: ['held'], v4PoolCount: 1, v3PoolCount: 0, curve: null, insiderShare: 0.75 },
  ...{ checkedAtMs: fixedProfile.checkedAtMs, isRugged: false, bornAtMs: fixedPool.createdAtMs },
  precall: {
    ...{ postedAtMs: 1_789_999_900_000, isTracked: true, buys: 22, buyEth: 2.75, run60: 1.5 },
    ...{ ageAtCallMs: 660_000, wallets: 15, sameBlockWallets: 3, flags: ['young'] },
  },
  lastTrade: {
    ...{ book: 'main', closedAtMs: 1_789_999_999_000, ret: -0.175, exit: 'take_profit' },
  },
  shadows: [
    {
      ...{ signalAtMs: 1_789_990_000_000, signal: 'burst', ret1: 0.25, ret5: -0.5, ret15: null, ret60: null },
      ...{ mfe: 0.5, mae: -0.75 },
    },
  ],
}

const fixedDay: DayRow = {
  ...{ bursts: 9, scored: 6, medianRet30m: -0.1, medianRuleRet: 0.05 },
  ...{ checked: 8, held: 2, heldScored: 2, heldPulled: 1, safe: 4, safeScored: 0, safePulled: 0 },
}

type FixedPorts = Readonly<{ state: FixedQueries; queries: ChainAQueries; cuts: Cuts }>

export function createFixedQueries(overrides: Partial<FixedQueries> = {}): FixedPorts {
  const state: FixedQueries = {
    cut: fixedCut,
    oldestAtMs: 0,
    otherCuts: {},
    bursts: [fixedBurst],
    pools: [fixedPool],
    unpricedCount: 0,
    rugCheck: { profiles: [fixedProfile], v4PoolCount: 1, classes: ['held'], v3PoolCount: 0, curve: null },
    deskTrades: [buildTrade()],
    tokenPrices: fixedPrices,
    verdict: fixedVerdict,
    crews: [{ wallet: `0x${'e5'.repeat(20)}`, bursts: 4, lastSeenAtMs: 1_789_999_990_000 }],
    day: fixedDay,
    asked: [],
    failure: null,
    ...overrides,
  }
  const ask = <Result>(name: string, result: Result): Promise<Result> => {
    state.asked.push(name)
    return state.failure === null ? Promise.resolve(result) : Promise.reject(state.failure)
  }
  const burstsOf = (cut: StageCut, filter: BurstFilter, durationMs: number) =>
    state.bursts.filter((row) => isSince(cut, durationMs, row.atMs) && fits(row, filter))
  const poolsOf = (cut: StageCut, durationMs: number) =>
    state.pools.filter(({ createdAtMs }) => isSince(cut, durationMs, createdAtMs))

  const queries: ChainAQueries = {
    desk: createFixedDesk(() => state.deskTrades),
    tracked: {
      pools: trackedIn(() => state.pools.map(({ pool }) => pool)),
      tokens: trackedIn(() => [fixedBurst.token]),
    },
    burstsLive: (cut, filter) =>
      ask('burstsLive', burstsOf(cut, filter, filter.minutes * minuteMs).slice(0, filter.limit)),
    burstsHistory: (cut, filter) => {
      const found = burstsOf(cut, filter, filter.hours * hourMs)
      return ask(
        'burstsHistory',
        found.filter(({ outcome }) => outcome !== null),
      )
    },
    latestBurst: (cut, filter) => ask('latestBurst', burstsOf(cut, filter, dayMs)[0] ?? null),
    poolsNew: (cut, { hours, limit }) => ask('poolsNew', poolsOf(cut, hours * hourMs).slice(0, limit)),
    poolsNewCounted: (cut, { hours, limit }) => {
      const pools = poolsOf(cut, hours * hourMs)
      return ask('poolsNewCounted', { pools: pools.slice(0, limit), created: pools.length + state.unpricedCount })
    },
    poolFlow: (cut, id) => {
      const pool = poolsOf(cut, dayMs).find((row) => row.pool === id)
      const bursts = burstsOf(cut, { tier: 'all', lp: 'all' }, dayMs).filter((row) => row.pool === id)
      return ask('poolFlow', pool ? { pool, minutes: quietHour, bursts } : null)
    },
    tokenPrices: (_cut, { token }) => ask('tokenPrices', token === fixedBurst.token ? state.tokenPrices : null),
    rugCheck: (_cut, token) => ask('rugCheck', token === fixedBurst.token ? state.rugCheck : null),
    verdict: (_cut, token) => ask('verdict', token === fixedBurst.token ? state.verdict : null),
    crews: (_cut, { minBursts, limit }) => {
      const found = state.crews.filter(({ bursts }) => bursts >= minBursts)
      return ask('crews', { walletsTracked: 17, crews: found.slice(0, limit) })
    },
    lastDay: () => ask('lastDay', state.day),
    gapCounts: () => ask('gapCounts', { open: 4, givenUp: 0, late: 0, unchecked: 9 }),
    counts: (cut) => {
      const bursts24h = burstsOf(cut, { tier: 'all', lp: 'all' }, dayMs).length
      return ask('counts', { bursts24h, poolsTracked: state.pools.length })
    },
  }
  return { state, queries, cuts: createFixedCuts(state) }
}

/** Builds cuts from the state that the test sets. A cut of several stages is the oldest cut of these stages. */
function createFixedCuts(state: Pick<FixedQueries, 'cut' | 'otherCuts' | 'oldestAtMs'>): Cuts {
  const found = (stages: readonly Stage[]): Readonly<Record<string, StageCut>> | null => {
    const cuts = stages.map(
      ({ name }) => [name, name === chainAStage.name ? state.cut : state.otherCuts[name]] as const,
    )
    return cuts.every((one): one is readonly [string, StageCut] => Boolean(one[1])) ? Object.fromEntries(cuts) : null
  }
  const cutAt = (atMs: number, stages: Readonly<Record<string, StageCut>>) => ({
    atMs,
    stages: Object.fromEntries(Object.entries(stages).map(([name, cut]) => [name, { ...cut, atMs }])),
  })
  return {
    newest: async (stages) => {
      const cuts = found(stages)
      return cuts && cutAt(Math.min(...Object.values(cuts).map(({ atMs }) => atMs)), cuts)
    },
    at: async (atMs, stages) => {
      const cuts = found(stages)
      return cuts && cutAt(atMs, cuts)
    },
    oldestAtMs: async (stages) => found(stages) && state.oldestAtMs,
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Returns true if `atMs` is in `(cut.blockAtMs - duration, cut.blockAtMs]`. */
const isSince = ({ blockAtMs }: StageCut, durationMs: number, atMs: number): boolean =>
  atMs > blockAtMs - durationMs && atMs <= blockAtMs

const fits = (row: BurstRow, { tier, lp }: BurstFilter): boolean =>
  (tier === 'all' || row.tier === tier) && (lp === 'all' || row.lp?.class === lp)

const quietHour = Array.from({ length: 60 }, (_, index) => ({
  ...{ minuteAtMs: index * minuteMs, netEth: 0, buyEth: 0, sellEth: 0, buys: 0, sells: 0, gaps: null },
}))
