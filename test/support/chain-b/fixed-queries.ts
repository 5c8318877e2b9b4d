/**
 * Answers the queries of chain B from rows that the test sets. The rows are filtered as in the real queries,
 * but keep the order in which the test lists them.
 */
import type {
  BurstRow,
  ChainBQueries,
  CopyBuyRow,
  CopyStatsRow,
  DayRow,
  GraduationRow,
  GraduationStatsRow,
  LeaderListRow,
  MintRow,
  NewCurveRow,
  TradedCurveRow,
  VerdictRow,
} from '../../../projections/chain-b/queries/chain-b-queries.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import type { ComparedTrade } from '../../../projections/desk/queries/twins.ts'
import type { GapCounts } from '../../../projections/trade-gaps/missing-trades.ts'
import { buildTrade, createFixedDesk } from '../fixed-desk.ts'
import { fixedCut } from '../fixed-queries.ts'
import { trackedIn } from '../tracked-in.ts'

type ChainBRows = {
  bursts: readonly BurstRow[]
  graduations: readonly GraduationRow[]
  stats: GraduationStatsRow
  newCurves: readonly NewCurveRow[]
  fullestCurves: readonly TradedCurveRow[]
  /** The row of `fixedMint`. */
  minutes: MintRow | null
  day: DayRow
  gapCounts: GapCounts
  /** Null: no list has been built yet. */
  list: LeaderListRow | null
  /** The row of `fixedWallet`. Null: the buys of the wallet were withdrawn. */
  copies: CopyStatsRow | null
  deskTrades: readonly ComparedTrade[]
  /** The row of `fixedMint`. Null: the rows of the mint were withdrawn. */
  verdict: VerdictRow | null
}

/**
 * A cut (a time, together with what the service knew at that time) of chain B. It has the same time as chain
 * A's cut, and its newest slot is 1 s older than chain A's newest block.
 */
export const chainBCut: StageCut = {
  ...{ atMs: fixedCut.atMs, blockNumber: 431_000_000, blockAtMs: fixedCut.blockAtMs - 1000 },
  ...{ coinPrice: { usd: 150.5, atMs: 1_789_999_000_000 }, source: 'chain' },
}

export const fixedMint = '7tYoeVNhUVDfZ1WDE51LYN86YbBKGFCvSCzFkmHspump'

export const fixedBurst: BurstRow = {
  ...{ mint: fixedMint, atMs: 1_789_999_980_000, slot: 430_999_999, inflowLamports: '12500000000', inflowSol: 12.5 },
  ...{ slotHash: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W', windowSec: 60, fillFrom: 0.3, fillAt: 0.45 },
  ...{ launchAtMs: 1_789_999_230_000, tokenAgeMin: 12.5, virtualSol: 48.5, supersedesAtMs: null, gaps: null },
  ...{ knownAtMs: 1_789_999_981_000, publishedAtMs: 1_789_999_981_500 },
  filled: {
    seconds: { knownAtMs: 1_789_999_986_000, publishedAtMs: 1_789_999_986_500 },
    outcome: { knownAtMs: 1_789_999_995_000, publishedAtMs: 1_789_999_995_500 },
  },
  anatomy: {
    ...{ buys: 14, buyers: 11, sameSlotMax: 4, bundledShare: 0.625, sameSizeMax: 3, top3Share: 0.4 },
    ...{ holdersTop10: 0.3, holderTop1: 0.0625, repeatBuyers: 2 },
  },
  outcome: {
    ...{ scoredAtMs: 1_789_999_995_000, completedAtMs: null, peakRet: 0.2, gradRet: null, ret20m: -0.5 },
    ...{ ruleRet: -0.175, isNonStandardCurve: false },
    exits: [
      { rule: 'live', ret: -0.175, why: 'burst_fade', sec: 60 },
      { rule: 'hold', ret: -0.5, why: 'held', sec: null },
    ],
  },
}

export const fixedGraduation: GraduationRow = {
  ...{ mint: fixedMint, gradAtMs: 1_789_999_970_000, slot: 430_999_990, launchAtMs: 1_789_997_270_000, gradMin: 45 },
  path: [
    { beforeSec: 60, fill: 0.75 },
    { beforeSec: 0, fill: 1 },
  ],
  burst: { atMs: 1_789_999_700_000, inflowSol: 10.5, fillAt: 0.5 },
  post: { anchorAtMs: 1_789_999_973_000, ret1: 0.25, ret5: null, ret15: null },
  filled: { seconds: null, outcome: { knownAtMs: 1_789_999_974_000, publishedAtMs: 1_789_999_974_500 } },
  ...{ supersedesAtMs: null, gaps: null, knownAtMs: 1_789_999_971_000, publishedAtMs: 1_789_999_971_500 },
}

const fixedStats: GraduationStatsRow = {
  ...{ n: 8, medianGradMin: 41.5, afterBurst: 2, medianRet1: 0.125, medianRet5: -0.25, medianRet15: -0.5 },
  ...{ known15: 4, up15: 1 },
}

export const fixedWallet = 'GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ'

/** The ranked list of leaders (wallets worth copying), rebuilt half an hour before the cut time. */
export const fixedList: LeaderListRow = {
  ...{
    rebuiltAtMs: fixedCut.atMs - 1_800_000,
    blockAtMs: fixedCut.atMs - 1_800_000,
    knownAtMs: fixedCut.atMs - 1_798_000,
  },
  ...{ prior: 0.0625, replays: 320 },
  leaders: [
    {
      ...{
        wallet: fixedWallet,
        n: 30,
        evShrunk: 0.203125,
        evRaw: 0.25,
        winShare: 0.6,
        shadowed: 40,
        shadowHit: 0.5,
        gapBuys: 3,
      },
      ...{ lastBuyAtMs: 1_789_998_000_000, sold: 30, medSoldSec: 45.5, medSellGain: 0.125, soldWithin60s: 10 },
    },
    {
      ...{ wallet: 'EUJX9UTBaNXWGUsLRjTW74gqQDpXZUEQnDnQPdDvbTyZ', n: 5, evShrunk: 0.05, evRaw: 0.025, winShare: 0.4 },
      ...{ shadowed: 5, shadowHit: 0.2, gapBuys: 0, lastBuyAtMs: 1_789_997_000_000 },
      ...{ sold: 0, medSoldSec: null, medSellGain: null, soldWithin60s: 0 },
    },
  ],
}

export const fixedBuy: CopyBuyRow = {
  ...{
    mint: fixedMint,
    atMs: 1_789_990_000_000,
    txHash: `5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv`,
  },
  ...{ logIndex: 3, slot: 430_000_000, wallet: fixedWallet, lamports: '2500000000', leaderSol: 2.5, fillAt: 0.375 },
  ...{ launchAtMs: 1_789_989_100_000, tokenAgeMin: 15, px: 5e-8, supersedesAtMs: null, otherLeaders: 2, gaps: null },
  ...{ knownAtMs: 1_789_990_001_000, publishedAtMs: 1_789_990_001_500 },
  filled: { seconds: null, outcome: { knownAtMs: 1_789_993_601_000, publishedAtMs: 1_789_993_601_500 } },
  result: {
    ...{
      wallet: fixedWallet,
      isHit: true,
      path: [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.5],
    },
    ...{ saleAfterSec: 45, saleShare: 0.5, saleGain: 0.25, quoteDrift: 0.015, fillSlip: 0.0175 },
    ...{ ret: 0.875, exit: 'take_profit', exitSec: 300 },
  },
}

const fixedCopies: CopyStatsRow = {
  rebuiltAtMs: fixedList.rebuiltAtMs,
  buys: [fixedBuy],
  summary: {
    ...{ buys: 41, rank: 1, n: 30, evShrunk: 0.203125, evRaw: 0.25, winShare: 0.6, prior: 0.0625, shadowed: 40 },
    ...{ shadowHit: 0.5, sold: 30, medSoldSec: 45.5, medSellGain: 0.125, soldWithin60s: 10 },
  },
}

export const fixedVerdict: VerdictRow = {
  mint: fixedMint,
  safety: {
    ...{ mint: fixedMint, checkedAtMs: 1_789_999_982_000, provider: 'provider.example', score: 17, isRugged: false },
    ...{ mintAuthority: null, freezeAuthority: null, lpLockedShare: null, topHolderShare: 0.0625, fails: [] },
    ...{ reason: 'burst', hasPool: false },
  },
  burst: {
    ...{ atMs: 1_789_999_980_000, inflowSol: 30, fillFrom: 0.25, fillAt: 0.45 },
    anatomy: { bundledShare: 0.25, holdersTop10: 0.15 },
  },
  grade: {
    ...{ token: fixedMint, gradedSinceMs: 1_789_999_000_000, lastCardAtMs: 1_789_999_900_000, grade: 'B', score: 80 },
    ...{ top10Pct: 0.18, topHolder1Pct: 0.06, snipers: 12, sniperPct: 0.04, bundlers: null, bundlePct: 0.08 },
    ...{
      devLeftPct: 0,
      fresh1d: 0.22,
      fresh7d: 0.35,
      holders: 310,
      knownAtMs: 1_789_999_901_000,
      publishedAtMs: 1_789_999_901_000,
      chain: 'chain-b',
      bots: ['rick'],
      cards: 2,
    },
    penalties: [{ field: 'topHolder1Pct', value: 0.06, limit: 0.05, points: 5 }],
  },
  callersWin35: 0.25,
  lastTrade: {
    ...{ book: 'explore', closedAtMs: 1_789_999_990_000, ret: -0.175, exit: 'take_profit' },
  },
  shadows: [
    {
      ...{ signalAtMs: 1_789_990_000_000, signal: 'call', ret1: 0.25, ret5: -0.5, ret15: null, ret60: null },
      ...{ mfe: 0.5, mae: -0.75 },
    },
  ],
}

export const fixedCurve: NewCurveRow & TradedCurveRow = {
  ...{ mint: fixedMint, name: 'Test', symbol: 'TEST', launchAtMs: 1_789_999_230_000, buys60m: 14, sells60m: 3 },
  ...{ last: { minuteAtMs: 1_789_999_920_000, fill: 0.45 }, gaps: null },
}

const fixedMinutes: MintRow = {
  ...{ mint: fixedMint, name: 'Test', symbol: 'TEST', launchAtMs: 1_789_999_230_000, gaps: null },
  minutes: [
    { minuteAtMs: 1_789_999_860_000, lastPx: 4e-14, fill: 0.3 },
    { minuteAtMs: 1_789_999_920_000, lastPx: 5e-14, fill: 0.45 },
  ],
}

export const fixedRows: Readonly<ChainBRows> = {
  bursts: [fixedBurst],
  graduations: [fixedGraduation],
  stats: fixedStats,
  newCurves: [fixedCurve],
  fullestCurves: [fixedCurve],
  minutes: fixedMinutes,
  day: { bursts: 9, scored: 6, graduated: 2 },
  gapCounts: { open: 2, givenUp: 1, late: 3, unchecked: 7 },
  list: fixedList,
  copies: fixedCopies,
  deskTrades: [
    buildTrade({ token: fixedMint, lane: 'burst', closedAtMs: 1_789_999_700_000, ret: -0.175, exit: 'stop' }),
  ],
  verdict: fixedVerdict,
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export function createFixedChainBQueries(): Readonly<{ rows: ChainBRows; queries: ChainBQueries }> {
  const rows: ChainBRows = { ...fixedRows }
  const isSince = ({ blockAtMs }: StageCut, durationMs: number, atMs: number) =>
    atMs > blockAtMs - durationMs && atMs <= blockAtMs
  const burstsOf = (cut: StageCut, durationMs: number) =>
    rows.bursts.filter(({ atMs }) => isSince(cut, durationMs, atMs))
  const graduationsOf = (cut: StageCut, durationMs: number) =>
    rows.graduations.filter(({ gradAtMs }) => isSince(cut, durationMs, gradAtMs))
  const queries: ChainBQueries = {
    desk: createFixedDesk(() => rows.deskTrades),
    burstsLive: async (cut, { minutes, limit }) => burstsOf(cut, minutes * minuteMs).slice(0, limit),
    latestBurst: async (cut) => burstsOf(cut, 24 * hourMs)[0] ?? null,
    burstsHistory: async (cut, { hours }) => burstsOf(cut, hours * hourMs).filter(({ outcome }) => outcome !== null),
    graduationsLive: async (cut, { minutes }) => graduationsOf(cut, minutes * minuteMs),
    graduationsHistory: async (cut, { hours, limit }) => ({
      graduations: graduationsOf(cut, hours * hourMs).slice(0, limit),
      stats: rows.stats,
    }),
    newCurves: async (_, { limit }) => rows.newCurves.slice(0, limit),
    fullestCurves: async (_, { limit }) => rows.fullestCurves.slice(0, limit),
    mintMinutes: async (cut, { mint, hours }) =>
      mint === fixedMint && rows.minutes
        ? {
            ...rows.minutes,
            minutes: rows.minutes.minutes.filter(({ minuteAtMs }) => isSince(cut, hours * hourMs, minuteAtMs)),
          }
        : null,
    lastDay: async () => rows.day,
    gapCounts: async () => rows.gapCounts,
    tracked: {
      wallets: trackedIn(() => [fixedWallet]),
      mints: trackedIn(() => [fixedMint]),
    },
    leaderList: async () => rows.list,
    copyStats: async (_, wallet) => (wallet === fixedWallet ? rows.copies : null),
    verdict: async (_, mint) => (mint === fixedMint ? rows.verdict : null),
  }
  return { rows, queries }
}
