/**
 * The field `method` of the leaderboard. It explains in words, with every constant, how the numbers are
 * computed.
 */

import { z } from 'zod'
import type { CallerBoard } from '../../../projections/calls/queries/calls-queries.ts'
import { callersRules } from '../../../schemas/calls/callers.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { count } from '../../values.ts'
import type { CalledChain } from '../parts.ts'
import { askedPricesText, atMarks } from './asked-prices.ts'
import { pulled } from './worthless.ts'

/**
 * The name of a value that is shrunk toward the mean of all callers. `k`: the weight of this mean, as a
 * number of calls.
 */
type Metric = keyof CallerBoard['k']

const kSchema = z.strictObject({
  ...{ hit15: z.number(), win35: z.number(), x2: z.number(), rug: z.number() },
  ...{ ret1: z.number(), ret5: z.number(), ret15: z.number(), ret60: z.number(), mfe: z.number(), mae: z.number() },
})

export const callersMethodSchema = described(
  'now',
  z.strictObject({
    ...{ unit: z.string(), hit15: z.string(), win35: z.string(), x2: z.string(), rug: z.string(), median: z.string() },
    shrink: z.strictObject({
      ...{ k: z.number(), kOf: z.string(), kByMetric: kSchema },
      ...{ toward: z.string(), kMin: z.number(), kMax: z.number() },
    }),
    ...{ interval90: z.string(), weight: z.string(), window: z.string(), minN: count },
    ...{ lateAnchorsExcluded: count, noPriceExcluded: count, unansweredExcluded: count, tooManyExcluded: count },
    ...{ askedCount: count, prices: z.string(), privacy: z.string() },
  }),
  'How the numbers are made. `shrink.k`: how many calls the pooled value is worth, fitted anew at each rebuild, of the value that rows are sorted by, which `kOf` names (of win35 where they are sorted by n); `kByMetric`: that of each value. Posts of the window that are not scored: `lateAnchorsExcluded`, their price came too late; `noPriceExcluded`, the token had none; `unansweredExcluded`, a price was asked for and nobody answered in time; `tooManyExcluded`, too many posts about the token waited for asked prices already. `askedCount`: of `calls`, those scored on prices that were asked for.',
)

const kOf = (sort: Metric | 'n'): Metric => (sort === 'n' ? 'win35' : sort)

/**
 * The minimum number of calls with which a caller is listed. One call is enough, because the values are
 * shrunk: with few calls they are close to the mean of all callers.
 */
const minN = 1

const percent = (ratio: number): string => `${ratio > 0 ? '+' : ''}${Math.round(100 * ratio)}%`
const scoreMin = callRules.scoreMs / minuteMs

type How = Readonly<{ board: CallerBoard; sort: Metric | 'n'; chains: readonly CalledChain[] }>

export const callersMethod = ({ board, sort, chains }: How): z.output<typeof callersMethodSchema> => ({
  unit: `One caller is one poster in one chat. A post is scored on the ${scoreMin} minutes after its anchor, traded or not: the price in force ${callRules.anchorDelayMs / 1000} s after the post, in the deepest market; where there was none, the first price up to ${callRules.anchorLimitMs / 1000} s after the post. Its market prices the whole hour; a complete curve goes on in its own pool. ${pulled} From then on it is worth 0, whatever is opened or refilled later. Returns are without costs. Deleted posts stay scored. A token counts once for a caller, by the first scored post of the window.`,
  hit15: `Share whose highest move was at least ${percent(callRules.hits.hitRet)}.`,
  win35: `Share that was at ${percent(callRules.hits.winRet)} before it was at ${percent(callRules.hits.lossRet)}; both in one second is no win.`,
  x2: `Share whose highest move was at least ${percent(callRules.hits.doubleRet)}.`,
  rug: `Share whose lowest move was at most ${percent(callRules.hits.rugRet)}.`,
  median:
    'Of the returns after 1, 5, 15 and 60 minutes, and of the highest (mfe) and lowest (mae) move; every call counts alike.',
  shrink: {
    ...{ k: board.k[kOf(sort)], kOf: kOf(sort), kByMetric: board.k },
    toward: `The pooled value of the window: (w * raw + k * pooled) / (w + k), where w is the weight of the row. A caller with more than ${percent(callersRules.ownShareMax).slice(1)} of all is shrunk toward the value of all others. Of rates, k is 1 / between - 1, where between is the share of the variance of one call that lies between callers, by the moments of the beta-binomial distribution. Of medians, k is the variance within callers / the variance of their means beyond what that makes, of values counted as ${percent(callersRules.retMax)} at most. Bounded by kMin and kMax; kMax where nothing tells callers apart.`,
    ...{ kMin: callersRules.kMin, kMax: callersRules.kMax },
  },
  interval90:
    'The 5% and 95% quantiles of Beta(x + k * pooled, w - x + k * (1 - pooled)), where x is the weight of the hits; a pooled value of 0 or 1 is moved inward by half a call.',
  weight: `A post that names more than ${callersRules.tokensMax} tokens weighs, for each of them, 1 / that number; all others weigh 1.`,
  window:
    'Posts of the window before rebuiltAt that are at least an hour old. Rebuilt for each whole hour. Calls in whose hour trades of the token are known to be missing count like all others; `gapCalls` says how many they are. Calls that are scored on prices that were asked for are none of them.',
  minN,
  ...{ lateAnchorsExcluded: board.lateAnchorsExcluded, noPriceExcluded: board.noPriceExcluded },
  ...{ unansweredExcluded: board.unansweredExcluded, tooManyExcluded: board.tooManyExcluded },
  askedCount: board.askedCount,
  prices: askedPricesText(chains, atMarks),
  privacy: 'Callers and chats are keyed hashes. Only public chats are named, and no text of a post is shown.',
})
