/** Example rows of chain A for the API documents: a pool, and a burst (sudden net buying) in this pool. */

import type {
  BurstRow,
  CrewRow,
  DayRow,
  LpRow,
  MinuteRow,
  PoolRow,
  ProfileRow,
  VerdictRow,
} from '../../projections/chain-a/queries/chain-a-queries.ts'
import { minuteMs } from '../../schemas/units.ts'
import { exampleAtMs, exampleStageCut } from '../example.ts'

export const exampleCut = exampleStageCut(3042.5)

export const examplePool = '0xe4f5da0e02edf03b6646d387b6a5e885c8cd798a8bcf849095ce4db0083ab374'
export const exampleToken = '0xc2e7e8c4a2b40cd726904da3f0b7e440929bca17'
const creator = '0xbc2f04c9ac321107e5206cbf751c8ca5067fb230'

const signalAtMs = exampleAtMs - 42 * minuteMs
const createdAtMs = signalAtMs - 12.5 * minuteMs

const holders: LpRow = {
  ...{ class: 'held', insiderShare: 0.75, burnedShare: 0, contractShare: 0.25, otherShare: 0, unknownShare: 0 },
  ...{ firstAddAtMs: createdAtMs, lpAdds: 2 },
}

export const exampleBurst: BurstRow = {
  ...{ token: exampleToken, pool: examplePool, tier: 'main', atMs: signalAtMs, dex: 'v4', blockNumber: 26_112_142 },
  ...{ blockHash: '0x6320f0626a13297576bf3ab1996ada38035df8a9168d48fabe0b053b146ea981', shape: 'spread' },
  ...{ inflowWei: '1500000000000000000', inflowEth: 1.5, buys: 14, sells: 1, windowSec: 60 },
  ...{ poolCreatedAtMs: createdAtMs, poolAgeMin: 12.5, sameSizeMax: 2, top3Share: 0.4, sizeCv: 0.7, px: 1e-27 },
  ...{ buyers: 11, repeatBuyers: 3, lp: holders, supersedesAtMs: null, gaps: null },
  ...{ knownAtMs: signalAtMs + 1150, publishedAtMs: signalAtMs + 1320 },
  filled: {
    seconds: { knownAtMs: signalAtMs + 7100, publishedAtMs: signalAtMs + 7300 },
    outcome: { knownAtMs: signalAtMs + 30 * minuteMs + 1100, publishedAtMs: signalAtMs + 30 * minuteMs + 1300 },
  },
  outcome: {
    ...{ scoredAtMs: signalAtMs + 30 * minuteMs + 1100, ret30m: -0.52, peakRet: 0.21, ruleRet: -0.17, rug: null },
    exits: [
      { rule: 'live', ret: -0.17, why: 'burst_stall', sec: 64 },
      { rule: 'hold', ret: -0.52, why: 'held', sec: null },
    ],
  },
}

export const examplePoolRow: PoolRow = {
  ...{ pool: examplePool, dex: 'v4', token: exampleToken, createdBlock: 26_111_767, createdAtMs, px: 2e-27 },
  ...{ lastPx: 1.1e-27, liqEth: 4.25, lastSwapAtMs: exampleAtMs - 12_000, net60mEth: 1.25, buys60m: 20, sells60m: 3 },
  fired: ['main', 'lite'],
}

const startAtMs = Math.floor(exampleAtMs / minuteMs) * minuteMs - 59 * minuteMs
const burstMinute = Math.floor((signalAtMs - startAtMs) / minuteMs)

export const exampleMinutes: readonly MinuteRow[] = Array.from({ length: 60 }, (_, index) => {
  const minuteAtMs = startAtMs + index * minuteMs
  return index === burstMinute
    ? { minuteAtMs, netEth: 1.25, buyEth: 1.5, sellEth: 0.25, buys: 20, sells: 3, gaps: null }
    : { minuteAtMs, netEth: 0, buyEth: 0, sellEth: 0, buys: 0, sells: 0, gaps: null }
})

export const exampleProfile: ProfileRow = {
  ...{ ...holders, token: exampleToken, pool: examplePool, createdAtMs, creator },
  ...{ checkedAtMs: exampleAtMs - 4 * minuteMs, blockNumber: 26_113_282 },
}

export const exampleCrew: CrewRow = { wallet: creator, bursts: 4, lastSeenAtMs: signalAtMs }

export const exampleDay: DayRow = {
  ...{ bursts: 9, scored: 6, medianRet30m: -0.1, medianRuleRet: 0.05 },
  ...{ checked: 8, held: 2, heldScored: 2, heldPulled: 1, safe: 4, safeScored: 3, safePulled: 0 },
}

export const exampleVerdict: VerdictRow = {
  ...{ token: exampleToken, classes: ['held'], v4PoolCount: 1, v3PoolCount: 0, curve: null, insiderShare: 0.75 },
  ...{ checkedAtMs: exampleProfile.checkedAtMs, isRugged: false, bornAtMs: createdAtMs },
  precall: {
    ...{ postedAtMs: signalAtMs + 5 * minuteMs, isTracked: true, buys: 22, buyEth: 2.75, run60: 1.5 },
    ...{ ageAtCallMs: 17.5 * minuteMs, wallets: 15, sameBlockWallets: 3, flags: ['young'] },
  },
  lastTrade: {
    ...{ book: 'main', closedAtMs: signalAtMs + 9 * minuteMs, ret: -0.1875, exit: 'stop' },
  },
  shadows: [],
}
