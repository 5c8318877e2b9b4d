/**
 * The numbers of the paper desk, which simulates trades. Processors, answers and an independent check in the
 * tests use these numbers. Each chain lists its strategies (lanes) beside its other numbers. The rules in
 * words:
 *
 * Signals. A burst is a signal at its own time and on its own market. A call is a signal at the later of two
 * times: when its mention was written, and the time of the post. The mention must be of kind `call` and not
 * read after a gap. It must be written within `knownWithinMs` of the post. The first call of a token begins
 * 48 hours in which the token has no other first call. A lane of `chats` = n takes the call with which n
 * chats have named the token within `callWindowMs` of the first call. The market of a call is the deepest
 * market at the time of the fill.
 *
 * Fills. A signal is known at max(signal, known time of the tick that closes it, time of that tick's block).
 * A position opens `fillDelayMs` after that time, at the price in force. This is the price after the last
 * trade until then. There is no position if the service knew the signal more than `knownWithinMs` after the
 * signal. There is also no position if by the fill the market has ended, has no price yet, has no liquidity,
 * or was pulled after the signal. A lane holds at most one position of a token. It skips signals while it has
 * a position or waits for a fill. Only the records of the desk depend on how the log of a stage was divided
 * into ticks.
 *
 * Exits. They are checked at each trade after the fill, in the order of this list. The exit is at the price
 * of that trade, however far the price jumped.
 * - `rug`: at most `rugLeftRatioMax` is left of the liquidity at the fill. Liquidity is measured by its coin
 *   side, transaction by transaction. The exit is at the price 0.
 * - `stop`: px <= stopRatio * entry.
 * - `trail`: the highest price since the entry is at least trailFromRatio * entry, and px <= trailRatio *
 *   this highest price.
 * - `take_profit`: px >= takeProfitRatio * entry.
 *
 * There are two further exits, both at the last price.
 * - `graduated`: the curve is complete.
 * - `time`: block time is later than the fill + timeMs, or the market is closed.
 *
 * The highest price includes the entry and the current trade. A return is px / entry - 1 - costRatio.
 * `peakRet` is the return of the highest price.
 *
 * Twins. A twin is a random trade for comparison. For each token and slot of `twinSlotMs` a hash (FNV-1a, 32
 * bits, of `token:slot`) selects one second of the slot. At that time every lane without an open twin of the
 * token opens a twin on the deepest market, if that market is in the lane's band. Within the last
 * `twinIdleMs` the market must have had an opening price, a trade or a change of its liquidity. A twin has
 * the exit of its lane. A twin has no delay, because it does not react to a signal.
 *
 * Shadows. A shadow is the record of the prices after a signal. Each burst and each first call has a shadow.
 * It begins at the price at which a lane would be filled. A return of the shadow is the price in force n
 * minutes later / that price - 1. The return is null after the market has ended. `mfe` is the highest return
 * on the way, at least 0. `mae` is the lowest return on the way, at most 0. After a rug the price is 0. The
 * shadow is published after one hour, or when the market is closed. Signals of one kind and time share one
 * shadow.
 */

import { z } from 'zod'
import {
  defaultsOf,
  duration,
  durationWithin,
  part,
  real,
  realWithin,
  refuseBy,
  type ValuesOf,
  whole,
  wholeWithin,
} from '../rule-values.ts'
import { type DurationMs, dayMs, hourMs, minuteMs } from '../units.ts'
import { type Book, books } from './derived.ts'

/**
 * The last mark of a shadow. A mark is a time after a signal at which a shadow (a record of the prices after
 * the signal) has a return. The marks are fixed at 1, 5, 15 and 60 minutes, because the fields of the returns
 * are named `ret1` to `ret60`.
 */
const lastMarkMs = 60 * minuteMs

/** The numbers of the paper desk that are the same on every chain. */
export const deskRulesSchema = part({
  fillDelayMs: duration(3_000, [0, hourMs], 'a position opens this long after the service knew of its signal'),
  knownWithinMs: duration(
    120_000,
    [0, hourMs],
    'what was known later than this after it happened is no part of the record',
  ),
  callWindowMs: duration(30 * minuteMs, [0, dayMs], 'chats that name the token within this of its first call count'),
  rugLeftRatioMax: real(0.2, [0, 1], 'a market was pulled if at most this share of the liquidity at the fill is left'),
  shadowMs: duration(lastMarkMs, [lastMarkMs, dayMs], 'a signal is shadowed this long after the fill'),
  twinSlotMs: duration(10 * minuteMs, [minuteMs, dayMs], 'in each slot of this length twins may open once'),
  twinIdleMs: duration(10 * minuteMs, [0, dayMs], 'a market that has not moved for longer gets no twins'),
  twinsMax: whole(20, [1, 1000], 'a trade is compared with at most so many twins'),
  twinWithinMs: duration(10 * minuteMs, [0, dayMs], 'that opened within this of the trade'),
}).superRefine(
  refuseBy([
    {
      at: ['twinSlotMs'],
      refuses: ({ twinSlotMs }: { twinSlotMs: DurationMs }) =>
        twinSlotMs % 1000 === 0
          ? null
          : 'twinSlotMs must be a whole number of seconds, because each slot chooses one of its seconds',
    },
  ]),
)
type DeskNumbers = ValuesOf<typeof deskRulesSchema>
export const deskRules = defaultsOf(deskRulesSchema)

/**
 * The exit rule of a lane (strategy). `trailRatio` is relative to the highest price since the entry. All
 * other ratios are relative to the entry price.
 */
const laneExit = z.strictObject({
  stopRatio: realWithin([0, 1], 'left at or below this ratio of the entry'),
  takeProfitRatio: realWithin([1, 1000], 'left at or above this ratio of the entry'),
  trailFromRatio: realWithin([1, 1000], 'the trail is active once the highest price is at this ratio of the entry'),
  trailRatio: realWithin([0, 1], 'left at or below this ratio of the highest price, while the trail is active'),
  timeMs: durationWithin([1000, dayMs], 'left this long after the fill'),
})
export type LaneExit = ValuesOf<typeof laneExit>

const ageMs = wholeWithin([0, 30 * dayMs], 'age of the market')
const fill = realWithin([0, 1], 'fill of the curve')

/**
 * Conditions on the market in which a random trade (twin) is opened. A condition that is null accepts every
 * market. Both ends of a range are included.
 */
const band = z.strictObject({
  source: z.enum(['curve', 'pool']).nullable().describe('the kind of market'),
  ageMs: z.tuple([ageMs, ageMs]).nullable().describe('youngest and oldest market'),
  fill: z.tuple([fill, fill]).nullable().describe('emptiest and fullest curve'),
})
export type Band = ValuesOf<typeof band>

/** Conditions on the bursts that a strategy trades. A condition that is null accepts every burst. */
const burstEntry = z.strictObject({
  signal: z.literal('burst'),
  tiers: z.array(z.string()).nullable().describe('the tiers of bursts that it takes'),
  shapes: z.array(z.string()).nullable().describe('the shapes of bursts that it takes'),
  fillMax: fill.nullable().describe('the fullest curve that it takes'),
})
export type BurstEntry = ValuesOf<typeof burstEntry>

const callEntry = z.strictObject({
  signal: z.literal('call'),
  chats: wholeWithin([1, 100], 'it enters with the call of this many chats'),
})

const lane = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .describe('unique in its chain, and never given to another: the log holds it'),
  book: z.enum(books).describe('main: what the desk stands for; explore: what it tries') as z.ZodType<Book, Book>,
  entry: z.discriminatedUnion('signal', [burstEntry, callEntry]).describe('what it enters on'),
  exit: laneExit,
  twins: z
    .union([band, z.strictObject({ sameAs: z.string() })])
    .describe('tokens its twins are of; a lane with the exit and the tokens of another one has that one’s twins'),
})
export type Lane = ValuesOf<typeof lane>

/**
 * Returns the name of the lane (strategy) that makes the twins for this lane. Twins are random trades with
 * which a lane's trades are compared.
 */
export const twinLaneOf = ({ name, twins }: Lane): string => ('sameAs' in twins ? twins.sameAs : name)

/**
 * The paper desk (the simulated trading) of a chain. `costRatio` is the cost of buying and selling. This cost
 * is deducted from every return.
 */
export type Desk = Readonly<{ costRatio: number; lanes: readonly Lane[] }>

/**
 * All rules of a paper desk (simulated trading). `watchMs` comes from the rules of calls. In this time after
 * the first call of a token, the token has no other first call.
 */
export type DeskRules = DeskNumbers & Desk & Readonly<{ watchMs: DurationMs }>

/**
 * Returns the schema of the rules of the paper desk (simulated trading) that a chain has for itself. The
 * arguments are the defaults.
 */
export const deskSchemaOf = ({ costRatio, lanes }: Desk) =>
  part({
    costRatio: real(costRatio, [0, 1], 'costs of buying and selling, deducted from every return'),
    lanes: z
      .array(lane)
      .max(20)
      .default([...lanes] as z.output<typeof lane>[])
      .describe('the strategies'),
  }).superRefine(refuseBy([{ at: ['lanes'], refuses: refuseLanes }]))

function refuseLanes({ lanes }: Pick<Desk, 'lanes'>): string | null {
  const names = lanes.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `two lanes have the name ${twice}`
  for (const { name, exit, twins } of lanes) {
    if (!('sameAs' in twins)) continue
    const other = lanes.find((each) => each.name === twins.sameAs)
    if (other === undefined || 'sameAs' in other.twins)
      return `the lane ${name} uses the twins of ${twins.sameAs}, but there is no lane ${twins.sameAs} with its own twins`
    if (JSON.stringify(other.exit) !== JSON.stringify(exit))
      return `the lane ${name} uses the twins of ${twins.sameAs}, so both lanes must have the same exit`
  }
  return null
}
