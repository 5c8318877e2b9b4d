/**
 * The views port of chain B over rows given by the test, as `createFixedViews` is for chain A: it selects as the port
 * promises, in the order in which the test gives the rows.
 */
import type {
  BurstRow,
  ChainBViews,
  DayRow,
  GraduationRow,
  GraduationStatsRow,
} from '../../../projections/chain-b/queries/chain-b-views.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { fixedCut } from '../fixed-views.ts'

type ChainBRows = {
  bursts: readonly BurstRow[]
  graduations: readonly GraduationRow[]
  stats: GraduationStatsRow
  day: DayRow
}

/** Of the instant of chain A's, of a slot a second older. */
export const chainBCut: StageCut = {
  ...{ atMs: fixedCut.atMs, blockNumber: 431_000_000, blockAtMs: fixedCut.blockAtMs - 1000 },
  ...{ coinPrice: { usd: 150.5, atMs: 1_789_999_000_000 }, source: 'chain' },
}

export const fixedMint = '7tYoeVNhUVDfZ1WDE51LYN86YbBKGFCvSCzFkmHspump'

export const fixedBurst: BurstRow = {
  ...{ mint: fixedMint, atMs: 1_789_999_980_000, slot: 430_999_999, inflowLamports: '12500000000', inflowSol: 12.5 },
  ...{ slotHash: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W', windowSec: 60, fillFrom: 0.3, fillAt: 0.45 },
  ...{ launchAtMs: 1_789_999_230_000, tokenAgeMin: 12.5, virtualSol: 48.5, supersedesAtMs: null },
  ...{ knownAtMs: 1_789_999_981_000, publishedAtMs: 1_789_999_981_500 },
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
  ...{ supersedesAtMs: null, knownAtMs: 1_789_999_971_000, publishedAtMs: 1_789_999_971_500 },
}

const fixedStats: GraduationStatsRow = {
  ...{ n: 8, medianGradMin: 41.5, afterBurst: 2, medianRet1: 0.125, medianRet5: -0.25, medianRet15: -0.5 },
  ...{ known15: 4, up15: 1 },
}

export const fixedRows: Readonly<ChainBRows> = {
  bursts: [fixedBurst],
  graduations: [fixedGraduation],
  stats: fixedStats,
  day: { bursts: 9, scored: 6, graduated: 2 },
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export function createFixedChainBViews(): Readonly<{ rows: ChainBRows; views: ChainBViews }> {
  const rows: ChainBRows = { ...fixedRows }
  const isSince = ({ blockAtMs }: StageCut, durationMs: number, atMs: number) =>
    atMs > blockAtMs - durationMs && atMs <= blockAtMs
  const burstsOf = (cut: StageCut, durationMs: number) =>
    rows.bursts.filter(({ atMs }) => isSince(cut, durationMs, atMs))
  const graduationsOf = (cut: StageCut, durationMs: number) =>
    rows.graduations.filter(({ gradAtMs }) => isSince(cut, durationMs, gradAtMs))
  const views: ChainBViews = {
    burstsLive: async (cut, { minutes }) => burstsOf(cut, minutes * minuteMs),
    latestBurst: async (cut) => burstsOf(cut, 24 * hourMs)[0] ?? null,
    burstsHistory: async (cut, { hours }) => burstsOf(cut, hours * hourMs).filter(({ outcome }) => outcome !== null),
    graduationsLive: async (cut, { minutes }) => graduationsOf(cut, minutes * minuteMs),
    graduationsHistory: async (cut, { hours, limit }) => ({
      graduations: graduationsOf(cut, hours * hourMs).slice(0, limit),
      stats: rows.stats,
    }),
    lastDay: async () => rows.day,
  }
  return { rows, views }
}
