/**
 * Example rows for the API documents: a call of a token of chain A, and the grade of the holders of a token
 * of chain B.
 */

import type {
  CallerBoard,
  CallerRow,
  CallRow,
  GradeRow,
  PrecallRow,
} from '../../projections/calls/queries/calls-queries.ts'
import { minuteMs } from '../../schemas/units.ts'
import { exampleAtMs } from '../example.ts'

export const exampleToken = '0x5b1f0c7e9a3d4f6281c0e7b9d2a4f6083c5e7a91'
export const exampleMint = '7tYoeVNhUVDfZ1WDE51LYN86YbBKGFCvSCzFkmHspump'

const calledAtMs = exampleAtMs - 20 * minuteMs
const rebuiltAtMs = exampleAtMs - 30 * minuteMs
const publicChat = { chat: '-1001234567890', chatName: 'example_calls', posters: ['-1001234567890'] }

export const exampleCall: CallRow = {
  ...{
    chain: 'chain-a',
    token: exampleToken,
    calledAtMs,
    firstSeenAtMs: calledAtMs + 1100,
    isLate: false,
    hasCode: null,
  },
  chats: [
    { ...publicChat, firstAtMs: calledAtMs, posts: 2 },
    { chat: '-1009876543210', chatName: null, firstAtMs: calledAtMs + 90_000, posts: 1, posters: ['501'] },
  ],
  ...{
    recalls: 2,
    anchorAtMs: calledAtMs,
    anchorPx: 2.5e-27,
    anchorMcapUsd: null,
    anchorMcapCoin: 13.75,
    anchorSource: 'pool',
    anchorIsAsked: false,
  },
  ...{ stage: 'pool_1_6h', triggered: 'main', lastSampleAtMs: calledAtMs + 10 * minuteMs, lastRet: 0.375 },
  ...{ ret1h: null, ret4h: null, ret12h: null, ret24h: null, ret48h: null },
  ...{
    maxRet: 0.375,
    maxAtMs: calledAtMs + 10 * minuteMs,
    dipBeforeMax: 0,
    ruggedAtMs: null,
    isDead: false,
    isDone: false,
  },
  ...{
    coinUsd: 3000,
    gaps: null,
    knownAtMs: calledAtMs + 10 * minuteMs,
    publishedAtMs: calledAtMs + 600_200,
  },
}

/** The outcome of a call that was made a day before `exampleCall`. */
export const exampleOutcome: CallRow = {
  ...exampleCall,
  ...{ calledAtMs: calledAtMs - 1440 * minuteMs, anchorAtMs: calledAtMs - 1440 * minuteMs },
  ...{
    ret1h: 0.5,
    ret4h: 0.25,
    ret12h: -0.5,
    maxRet: 0.875,
    maxAtMs: calledAtMs - 1320 * minuteMs,
    dipBeforeMax: -0.125,
  },
  ...{ knownAtMs: rebuiltAtMs - 4 * minuteMs },
}

const raw = {
  ...{ hit15: 0.5, win35: 0.375, x2: 0.125, rug: 0.0625 },
  ...{ ret1: 0.03125, ret5: 0.0625, ret15: 0.09375, ret60: -0.125, mfe: 0.25, mae: -0.25 },
}

const exampleCaller: CallerRow = {
  ...{ chat: publicChat.chat, poster: publicChat.chat, chatName: publicChat.chatName, n: 48, weight: 46.5 },
  gapCalls: 1,
  ...{ lastCallAtMs: rebuiltAtMs - 70 * minuteMs, raw },
  shrunk: { ...raw, hit15: 0.46875, win35: 0.34375, x2: 0.109375, rug: 0.078125, ret15: 0.0625 },
  intervalOf: () => [0.25, 0.4375],
}

export const exampleBoard: CallerBoard = {
  ...{ rebuiltAtMs, calls: 1420, callers: [exampleCaller], lateAnchorsExcluded: 31, noPriceExcluded: 12 },
  ...{ unansweredExcluded: 4, tooManyExcluded: 0, askedCount: 85, gapCalls: 9 },
  pooled: { ...raw, hit15: 0.34375, win35: 0.21875, x2: 0.0625, rug: 0.125 },
  k: { hit15: 12.5, win35: 11.25, x2: 18.75, rug: 22.5, ret1: 40, ret5: 36, ret15: 31, ret60: 44, mfe: 14, mae: 17 },
}

export const exampleGrade: GradeRow = {
  ...{ chain: 'chain-b', token: exampleMint, gradedSinceMs: calledAtMs, lastCardAtMs: calledAtMs + 4000, grade: 'B' },
  ...{ score: 80, top10Pct: 0.25, topHolder1Pct: 0.03125, snipers: 7, sniperPct: 0.03125, bundlers: null },
  ...{ bundlePct: 0.125, devLeftPct: 0, fresh1d: 0.125, fresh7d: null, holders: 412 },
  penalties: [
    { field: 'top10Pct', value: 0.25, limit: 0.2, points: 5 },
    { field: 'bundlePct', value: 0.125, limit: 0.1, points: 6 },
  ],
  ...{ bots: ['rick', 'phanes'], cards: 2, knownAtMs: calledAtMs + 5000, publishedAtMs: calledAtMs + 5200 },
}

export const examplePrecall: PrecallRow = {
  ...{
    chain: 'chain-a',
    token: exampleToken,
    postedAtMs: calledAtMs,
    isTracked: true,
    buys: 14,
    buyWei: '2250000000000000000',
  },
  ...{ buyEth: 2.25, sameBlockMaxTx: 6, run60: 3.5, ageAtCallMs: 95 * minuteMs, chg1h0: null, flags: ['run'] },
  buyers: {
    ...{ wallets: 9, sameBlockWallets: 5, flags: ['run', 'cluster'] },
    walletList: ['0x2c7536e3605d9c16a7a3d7b1898e529396a65c23', '0x6813eb9362372eef6200f3b1dbc3f819671cba69'],
  },
  ...{ gaps: null, knownAtMs: calledAtMs + 2000, publishedAtMs: calledAtMs + 2200 },
  filled: { seconds: { knownAtMs: calledAtMs + 8000, publishedAtMs: calledAtMs + 8200 }, outcome: null },
}
