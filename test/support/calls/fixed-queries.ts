/**
 * Answers queries about calls (chat posts that name a token) from rows that the test sets. The rows are
 * filtered as in the real queries, but keep the order in which the test lists them.
 */
import { chainASource } from '../../../api/chain-a/source.ts'
import { chainBSource } from '../../../api/chain-b/source.ts'
import type {
  CallerBoard,
  CallerRow,
  CallRow,
  CallsQueries,
  GradeRow,
  PrecallRow,
} from '../../../projections/calls/queries/calls-queries.ts'
import { calledChainA } from '../../../projections/chain-a/called-chain.ts'
import { calledChainB } from '../../../projections/chain-b/called-chain.ts'
import type { BotCards } from '../../../projections/chats/queries/bot-cards.ts'
import type { Cut, StageCut } from '../../../projections/cuts.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { fixedBurst, fixedCut } from '../fixed-queries.ts'
import { trackedIn } from '../tracked-in.ts'

type CallsRows = {
  calls: readonly CallRow[]
  /** The time at which the ranked list of callers was built. Null if no list has been built yet. */
  rebuiltAtMs: number | null
  board: CallerBoard
  grades: readonly GradeRow[]
  precalls: readonly PrecallRow[]
  botCards: readonly BotCards[]
}

/**
 * The cut (a time, together with what the service knew at that time) of the chats. The newest post is half a
 * second older than chain A's newest block.
 */
export const chatsCut: StageCut = {
  ...{ atMs: fixedCut.atMs, blockNumber: 900, blockAtMs: fixedCut.blockAtMs - 500, coinPrice: null, source: 'chain' },
}

export const fixedToken = fixedBurst.token
export const fixedGradedMint = '7tYoeVNhUVDfZ1WDE51LYN86YbBKGFCvSCzFkmHspump'
export const callerIdSecret = 'another secret of the test'

const calledAtMs = chatsCut.blockAtMs - 600_000

export const fixedCall: CallRow = {
  ...{ chain: 'chain-a', token: fixedToken, calledAtMs, firstSeenAtMs: calledAtMs + 900, isLate: false, hasCode: null },
  chats: [
    { chat: '-1001', chatName: 'public_calls', firstAtMs: calledAtMs, posts: 2, posters: ['-1001', '77'] },
    { chat: '-1009', chatName: null, firstAtMs: calledAtMs + 5000, posts: 3, posters: ['88'] },
  ],
  ...{ recalls: 4, anchorAtMs: calledAtMs, anchorPx: 1e-27, anchorMcapUsd: null, anchorMcapCoin: 12.5 },
  ...{
    anchorSource: 'pool',
    anchorIsAsked: false,
    ruggedAtMs: null,
    stage: 'pool_under_1h',
    triggered: 'main',
    coinUsd: 3000,
  },
  ...{ lastSampleAtMs: calledAtMs + 600_000, lastRet: 0.25, maxRet: 0.25, maxAtMs: calledAtMs + 600_000 },
  ...{ ret1h: null, ret4h: null, ret12h: null, ret24h: null, ret48h: null, dipBeforeMax: 0, isDead: false },
  ...{
    isDone: false,
    gaps: null,
    knownAtMs: calledAtMs + 601_000,
    publishedAtMs: calledAtMs + 601_500,
  },
}

const rebuiltAtMs = fixedCut.atMs - 1_800_000

const raw = {
  ...{ hit15: 0.5, win35: 0.25, x2: 0.125, rug: 0.0625 },
  ...{ ret1: 0.03125, ret5: 0.0625, ret15: 0.125, ret60: -0.125, mfe: 0.25, mae: -0.25 },
}

export const fixedCaller: CallerRow = {
  ...{
    chat: '-1001',
    poster: '77',
    chatName: 'public_calls',
    n: 16,
    weight: 14.5,
    gapCalls: 2,
    lastCallAtMs: rebuiltAtMs - 7_200_000,
  },
  ...{ raw, shrunk: { ...raw, win35: 0.2, ret15: 0.0625 }, intervalOf: () => [0.125, 0.375] },
}

export const fixedBoard: CallerBoard = {
  ...{ rebuiltAtMs, calls: 25, lateAnchorsExcluded: 2, noPriceExcluded: 1, pooled: raw },
  ...{ unansweredExcluded: 3, tooManyExcluded: 4, askedCount: 5, gapCalls: 3 },
  callers: [fixedCaller, { ...fixedCaller, chat: '-1009', poster: '88', chatName: null, n: 9, gapCalls: 1 }],
  k: { hit15: 10, win35: 12, x2: 14, rug: 16, ret1: 20, ret5: 20, ret15: 20, ret60: 20, mfe: 20, mae: 20 },
}

const fixedGrade: GradeRow = {
  ...{ chain: 'chain-b', token: fixedGradedMint, gradedSinceMs: calledAtMs, lastCardAtMs: calledAtMs, grade: 'B' },
  ...{ score: 84, top10Pct: 0.25, topHolder1Pct: 0.03125, snipers: 7, sniperPct: 0.03125, bundlers: null },
  ...{ bundlePct: 0.125, devLeftPct: 0, fresh1d: 1.5, fresh7d: null, holders: 412, bots: ['rick'], cards: 2 },
  penalties: [{ field: 'top10Pct', value: 0.25, limit: 0.2, points: 5 }],
  ...{ knownAtMs: calledAtMs + 1000, publishedAtMs: calledAtMs + 1500 },
}

export const fixedPrecall: PrecallRow = {
  ...{
    chain: 'chain-a',
    token: fixedToken,
    postedAtMs: calledAtMs,
    isTracked: true,
    buys: 14,
    buyWei: '2250000000000000000',
  },
  ...{ buyEth: 2.25, sameBlockMaxTx: 6, run60: 3.5, ageAtCallMs: 5_700_000, chg1h0: null, flags: ['run'] },
  buyers: {
    ...{ wallets: 9, sameBlockWallets: 5, flags: ['run', 'cluster'], walletList: [`0x${'ab'.repeat(20)}` as const] },
  },
  ...{ gaps: null, knownAtMs: calledAtMs + 2000, publishedAtMs: calledAtMs + 2500 },
  filled: { seconds: { knownAtMs: calledAtMs + 8000, publishedAtMs: calledAtMs + 8500 }, outcome: null },
}

export const fixedRows: Readonly<CallsRows> = {
  ...{ calls: [fixedCall], rebuiltAtMs, board: fixedBoard, grades: [fixedGrade], precalls: [fixedPrecall] },
  botCards: [
    { bot: 'phanes', posts: 6, unread: 3 },
    { bot: 'rick', posts: 2, unread: 0 },
  ],
}

export function createFixedCallsQueries(): Readonly<{ rows: CallsRows; queries: CallsQueries }> {
  const rows: CallsRows = { ...fixedRows }
  const clockOf = ({ stages }: Cut) => stages.chats?.blockAtMs ?? 0
  const fits = (row: CallRow, chain: string | null) => chain === null || (row.chain === chain && row.hasCode !== false)
  const queries: CallsQueries = {
    tracked: {
      precalls: trackedIn(() => rows.precalls.map(({ token }) => token)),
      grades: trackedIn(() => rows.grades.map(({ token }) => token)),
    },
    live: async (cut, { minutes, chain }) =>
      rows.calls.filter((row) => fits(row, chain) && row.calledAtMs > clockOf(cut) - minutes * 60_000),
    rebuiltAt: async () => rows.rebuiltAtMs,
    outcomes: async (_, { hours, chain, limit }) => {
      const at = rows.rebuiltAtMs
      if (at === null) return null
      const calls = rows.calls.filter(
        (row) => fits(row, chain) && row.hasCode !== false && row.calledAtMs > at - hours * 3_600_000,
      )
      return { rebuiltAtMs: at, calls: calls.slice(0, limit) }
    },
    board: async () => (rows.rebuiltAtMs === null ? null : rows.board),
    grade: async (_, token) => rows.grades.find((row) => row.token === token) ?? null,
    precall: async (_, token) => rows.precalls.find((row) => row.token === token) ?? null,
    ofToken: async (_, token) => rows.calls.filter((row) => row.token === token),
  }
  return { rows, queries }
}

type FixedCalls = ReturnType<typeof createFixedCallsQueries>

/** Chain A, with the fields that the API needs to show calls of the chain's tokens. */
export const calledA = {
  ...calledChainA,
  wireName: 'chainA',
  idLetter: 'a',
  source: chainASource,
  hasPriceProvider: true,
}

/** Chain B, with the fields that the API needs to show calls of the chain's tokens. */
export const calledB = {
  ...calledChainB,
  wireName: 'chainB',
  idLetter: 'b',
  source: chainBSource,
  hasPriceProvider: true,
}

/** Returns an API source for the chats that answers from `rows`. */
export const chatsOver = ({ queries, rows }: FixedCalls) => ({
  stage: chatsStage,
  posts: { queriesOf: () => queries, callerIdSecret },
  botCards: async () => rows.botCards,
})
