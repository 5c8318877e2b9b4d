/**
 * The field `method` of the answers about simulated copies of buys. It explains in words, with every
 * constant, how the numbers are computed.
 */

import { z } from 'zod'
import type { LeaderListRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { copyRules, leaderRules, shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { count } from '../../values.ts'

/**
 * Describes the simulated copy of one buy. The list of leaders and the statistics of a wallet both show this
 * text and these numbers.
 */
const replay = {
  exit: 'A copy of the stake is bought at the end of the slot after the leader’s and left at the first of: stop (price at most stopRatio of the entry), trail (price at most trailRatio of the highest price, once that was at least trailFromRatio of the entry), take-profit (price at least takeProfitRatio of the entry), time (timeStopMin after the leader’s buy). Its own effect on the price and all fees are included.',
  bigSol: shadowRules.bigLamportsMin / lamportsPerSol,
  stakeSol: copyRules.stakeLamports / lamportsPerSol,
  stopRatio: copyRules.stopRatio,
  trailFromRatio: copyRules.trailFromRatio,
  trailRatio: copyRules.trailRatio,
  takeProfitRatio: copyRules.takeProfitRatio,
  timeStopMin: copyRules.timeStopMs / minuteMs,
} as const

const shadow = {
  shadowSol: shadowRules.lamportsMin / lamportsPerSol,
  pathMin: shadowRules.windowMs / minuteMs,
  hitRatio: shadowRules.hitRatio,
  missRatio: shadowRules.missRatio,
} as const

const replaySchema = z.strictObject({
  exit: z.string(),
  bigSol: z.number(),
  stakeSol: z.number(),
  stopRatio: z.number(),
  trailFromRatio: z.number(),
  trailRatio: z.number(),
  takeProfitRatio: z.number(),
  timeStopMin: z.number(),
})

const shadowSchema = z.strictObject({
  shadowSol: z.number(),
  pathMin: z.number(),
  hitRatio: z.number(),
  missRatio: z.number(),
})

export const leadersMethodSchema = described(
  'now',
  z.strictObject({
    metric: z.string(),
    window: z.string(),
    shrink: z.strictObject({ k: z.number(), prior: z.number() }),
    minN: count,
    maxN: count,
    capRet: z.number(),
    replays: count,
    replay: replaySchema,
    shadow: shadowSchema,
  }),
  'How the numbers are made. `shrink.prior` is the mean of all `replays` of the window, 0 of none.',
)

const windowDays = leaderRules.windowMs / (24 * 60 * minuteMs)

export const leadersMethod = ({ prior, replays }: LeaderListRow): z.output<typeof leadersMethodSchema> => ({
  metric:
    'evShrunk: the mean return of the wallet’s newest big buys (bigSol and more, at most maxN of them), each replayed through one fixed copy exit and counted as capRet at most, shrunk toward the mean of the replays of all wallets in the window: (n * evRaw + k * prior) / (n + k). Wallets with at least minN replays are ranked by it, ties by more replays, then by wallet. winShare is not capped.',
  window: `Buys of the last ${windowDays} days before rebuiltAt whose following ${shadow.pathMin} minutes are over, on the curve or in the pool of its graduated token. Rebuilt for each whole hour; a reorg shows in the next rebuild. Buys whose time missing trades touch count like all others: \`gapBuys\` says how many they are, and \`gaps\` in copy-stats which.`,
  shrink: { k: leaderRules.shrinkK, prior },
  minN: leaderRules.replaysMin,
  maxN: leaderRules.bigBuysMax,
  capRet: leaderRules.retMax,
  replays,
  replay,
  shadow,
})

const words = {
  buys: `Buys of ${shadow.shadowSol} SOL and more, on the curve or in the pool of its graduated token, of the last ${windowDays} days before rebuiltAt. All but the first six fields and otherLeaders are null until the ${shadow.pathMin} minutes after the buy are over. A buy whose time missing trades touch says so in \`gaps\`.`,
  otherLeaders:
    'Wallets of the list of leaders in force at the buy (/v1/sol/wallets/leaders), this one aside, that had bought the mint in the window by then; null where no list was in force.',
  quoteDrift:
    'Price before the fill of the copy / price right after the leader’s buy - 1; null where there was no fill.',
  fillSlip: 'What the copy paid per token / what the leader paid - 1, fees included; null where there was no fill.',
  leaderNext:
    'The first sale of the wallet after the buy: whole seconds after it, share of what it held of its followed buys, gain per token with all fees; null if it did not sell within the time.',
  path60m: 'Price / price right after the buy - 1 at each mark: [seconds after the buy, return].',
  ret: 'Return of the copy, all fees deducted, not capped; only of big buys.',
  summary:
    'Of all buys of the window, as in the list of leaders: n, evRaw, evShrunk and winShare of the newest replays, the rest of all whose time is over. evShrunk of a wallet without replays is the prior.',
} as const

const wordsShape = Object.fromEntries(Object.keys(words).map((name) => [name, z.string()])) as Readonly<
  Record<keyof typeof words, z.ZodString>
>

export const copyStatsMethodSchema = described(
  'now',
  z.strictObject({
    ...wordsShape,
    shrink: z.strictObject({ k: z.number(), prior: z.number() }),
    maxN: count,
    capRet: z.number(),
    replay: replaySchema,
    shadow: shadowSchema,
  }),
  'How the numbers are made, in words and constants.',
)

export const copyStatsMethod = (prior: number): z.output<typeof copyStatsMethodSchema> => ({
  ...words,
  shrink: { k: leaderRules.shrinkK, prior },
  maxN: leaderRules.bigBuysMax,
  capRet: leaderRules.retMax,
  replay,
  shadow,
})
