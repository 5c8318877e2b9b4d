/** Example rows of chain B for the API documents: one mint, and one wallet that bought it. */

import type {
  BurstRow,
  CopyBuyRow,
  CopyStatsRow,
  GraduationRow,
  LeaderListRow,
  VerdictRow,
} from '../../projections/chain-b/queries/chain-b-queries.ts'
import { minuteMs } from '../../schemas/units.ts'
import { exampleAtMs, exampleStageCut } from '../example.ts'

export const exampleCut = exampleStageCut(151.75)

export const exampleWallet = 'GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ'
export const exampleMint = '7tYoeVNhUVDfZ1WDE51LYN86YbBKGFCvSCzFkmHspump'

const signalAtMs = exampleAtMs - 48 * minuteMs
const launchAtMs = signalAtMs - 12.5 * minuteMs
const gradAtMs = exampleAtMs - 20 * minuteMs
const rebuiltAtMs = exampleAtMs - 30 * minuteMs

export const exampleBurst: BurstRow = {
  ...{
    mint: exampleMint,
    atMs: signalAtMs,
    slot: 430_999_999,
    slotHash: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W',
  },
  ...{ inflowLamports: '12500000000', inflowSol: 12.5, windowSec: 60, fillFrom: 0.3, fillAt: 0.45, launchAtMs },
  ...{ tokenAgeMin: 12.5, virtualSol: 48.5, supersedesAtMs: null, gaps: null },
  ...{ knownAtMs: signalAtMs + 1900, publishedAtMs: signalAtMs + 2100 },
  filled: {
    seconds: { knownAtMs: signalAtMs + 6900, publishedAtMs: signalAtMs + 7100 },
    outcome: { knownAtMs: signalAtMs + 20 * minuteMs + 1800, publishedAtMs: signalAtMs + 20 * minuteMs + 2000 },
  },
  anatomy: {
    ...{ buys: 14, buyers: 11, sameSlotMax: 4, bundledShare: 0.625, sameSizeMax: 3, top3Share: 0.4 },
    ...{ holdersTop10: 0.3, holderTop1: 0.0625, repeatBuyers: 2 },
  },
  outcome: {
    ...{ scoredAtMs: signalAtMs + 20 * minuteMs + 1800, completedAtMs: null, peakRet: 0.2, gradRet: null },
    ...{ ret20m: -0.5, ruleRet: -0.175, isNonStandardCurve: false },
    exits: [
      { rule: 'live', ret: -0.175, why: 'burst_fade', sec: 60 },
      { rule: 'hold', ret: -0.5, why: 'held', sec: null },
    ],
  },
}

export const exampleGraduation: GraduationRow = {
  ...{ mint: exampleMint, gradAtMs, slot: 431_000_400, launchAtMs, gradMin: (gradAtMs - launchAtMs) / minuteMs },
  path: [
    { beforeSec: 60, fill: 0.75 },
    { beforeSec: 0, fill: 1 },
  ],
  burst: { atMs: signalAtMs, inflowSol: 12.5, fillAt: 0.45 },
  post: { anchorAtMs: gradAtMs + 3000, ret1: 0.25, ret5: -0.125, ret15: null },
  filled: {
    seconds: null,
    outcome: { knownAtMs: gradAtMs + 5 * minuteMs + 4900, publishedAtMs: gradAtMs + 5 * minuteMs + 5100 },
  },
  ...{ supersedesAtMs: null, gaps: null, knownAtMs: gradAtMs + 1900, publishedAtMs: gradAtMs + 2100 },
}

export const exampleList: LeaderListRow = {
  ...{ rebuiltAtMs, knownAtMs: rebuiltAtMs + 2000, blockAtMs: rebuiltAtMs, prior: 0.0625, replays: 320 },
  leaders: [
    {
      ...{
        wallet: exampleWallet,
        n: 30,
        evShrunk: 0.203125,
        evRaw: 0.25,
        winShare: 0.6,
        shadowed: 40,
        shadowHit: 0.5,
        gapBuys: 2,
      },
      ...{ lastBuyAtMs: signalAtMs, sold: 30, medSoldSec: 45.5, medSellGain: 0.125, soldWithin60s: 10 },
    },
  ],
}

const boughtAtMs = signalAtMs - 10 * minuteMs

const exampleBuy: CopyBuyRow = {
  ...{ mint: exampleMint, wallet: exampleWallet, atMs: boughtAtMs, slot: 430_998_500, logIndex: 3 },
  txHash: '5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv',
  ...{ lamports: '2500000000', leaderSol: 2.5, fillAt: 0.375, launchAtMs, tokenAgeMin: 2.5, px: 5e-8 },
  ...{
    supersedesAtMs: null,
    otherLeaders: 2,
    gaps: null,
    knownAtMs: boughtAtMs + 1900,
    publishedAtMs: boughtAtMs + 2100,
  },
  result: {
    ...{ wallet: exampleWallet, isHit: true, path: [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2] },
    ...{ saleAfterSec: 45, saleShare: 0.5, saleGain: 0.25, quoteDrift: 0.015, fillSlip: 0.0175 },
    ...{ ret: 0.875, exit: 'take_profit', exitSec: 300 },
  },
  filled: {
    seconds: null,
    outcome: { knownAtMs: boughtAtMs + 60 * minuteMs + 1900, publishedAtMs: boughtAtMs + 60 * minuteMs + 2100 },
  },
}

export const exampleCopies: CopyStatsRow = {
  rebuiltAtMs,
  buys: [exampleBuy],
  summary: {
    ...{ buys: 41, rank: 1, n: 30, evShrunk: 0.203125, evRaw: 0.25, winShare: 0.6, prior: 0.0625, shadowed: 40 },
    ...{ shadowHit: 0.5, sold: 30, medSoldSec: 45.5, medSellGain: 0.125, soldWithin60s: 10 },
  },
}

export const exampleVerdict: VerdictRow = {
  mint: exampleMint,
  safety: {
    ...{ mint: exampleMint, checkedAtMs: signalAtMs + 2600, provider: 'api.rugcheck.xyz', score: 17, isRugged: false },
    ...{ mintAuthority: null, freezeAuthority: null, lpLockedShare: null, topHolderShare: 0.0625, fails: [] },
    ...{ reason: 'burst', hasPool: false },
  },
  burst: {
    ...{ atMs: signalAtMs, inflowSol: 25.5, fillFrom: 0.3, fillAt: 0.45 },
    anatomy: { bundledShare: 0.25, holdersTop10: 0.15 },
  },
  grade: {
    ...{ token: exampleMint, gradedSinceMs: signalAtMs + 20_000, lastCardAtMs: signalAtMs + 20_000 },
    ...{ grade: 'B', score: 80, top10Pct: 0.18, topHolder1Pct: 0.06, snipers: 12, sniperPct: 0.04, bundlers: null },
    ...{ bundlePct: 0.08, devLeftPct: 0, fresh1d: 0.22, fresh7d: 0.35, holders: 310 },
    penalties: [{ field: 'topHolder1Pct', value: 0.06, limit: 0.05, points: 5 }],
    ...{
      knownAtMs: signalAtMs + 22_000,
      publishedAtMs: signalAtMs + 22_000,
      chain: 'chain-b',
      bots: ['rick'],
      cards: 1,
    },
  },
  callersWin35: 0.25,
  lastTrade: {
    ...{ book: 'main', closedAtMs: signalAtMs + 9 * minuteMs, ret: -0.175, exit: 'stop' },
  },
  shadows: [],
}
