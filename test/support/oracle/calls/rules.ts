/**
 * Lists the rules of calls as numbers. They are written a second time, from the published sentences about the
 * rules. A test can change a number and check that the recomputed results then differ.
 */
const minuteMs = 60_000
const hourMs = 60 * minuteMs

export type CallRules = Readonly<{
  watchMs: number
  sampleEveryMs: number
  /** A token counts as dead after this number of failed reads in a row, without a price among them. */
  deadAfter: number
  /** For a dead token, only one of this number of samples is read. */
  deadEvery: number
  rugLeftMax: number
  askedAnchorMs: number
  askedMarkMs: number
  askedMarksMin: readonly number[]
  askedScoresMax: number
  followLeadMs: number
  keptMs: number
  scoreMs: number
  anchorDelayMs: number
  anchorLimitMs: number
  pathMs: number
  win: number
  stop: number
  precallMs: number
  runMs: number
  runLeast: number
  youngMs: number
  clusterWallets: number
  walletListMax: number
  sendersAskedMax: number
}>

export const callRules: CallRules = {
  ...{ watchMs: 48 * hourMs, sampleEveryMs: 10 * minuteMs, deadAfter: 18, deadEvery: 6, rugLeftMax: 0.2 },
  ...{ askedAnchorMs: 15_000, askedMarkMs: minuteMs, askedScoresMax: 20 },
  askedMarksMin: [1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60],
  ...{ followLeadMs: 30 * minuteMs, keptMs: 48 * hourMs + 15 * minuteMs },
  ...{ scoreMs: hourMs, anchorDelayMs: 3_000, anchorLimitMs: 2 * minuteMs, pathMs: 75 * minuteMs },
  ...{ win: 1.35, stop: 0.8 },
  ...{
    precallMs: 10 * minuteMs,
    runMs: hourMs,
    runLeast: 3,
    youngMs: 30 * minuteMs,
    clusterWallets: 5,
    walletListMax: 40,
    sendersAskedMax: 500,
  },
}
