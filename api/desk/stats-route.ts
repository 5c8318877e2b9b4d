/**
 * `/v1/desk/stats`: the track record of the paper desk (simulated trading), free of charge. The answer is
 * computed at most once a minute and is the same for all clients. It counts at most `tradesMax` trades of
 * each chain.
 */

import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { ComparedTrade } from '../../projections/desk/queries/twins.ts'
import {
  certaintyOf,
  comparisonOf,
  equityIndexOf,
  ratioOf,
  statisticsRules,
  summaryOf,
  type Trials,
} from '../../projections/desk/statistics/record.ts'
import { type Book, books } from '../../schemas/desk/derived.ts'
import { deskRules } from '../../schemas/desk/rules.ts'
import { dayMs, type EpochMs, minuteMs } from '../../schemas/units.ts'
import { timeFields } from '../envelope.ts'
import { exampleAtMs, exampleStageCut } from '../example.ts'
import type { FreeRoute } from '../free-route.ts'
import { described, fieldsOf } from '../resource.ts'
import { stageCutOf } from '../route.ts'
import type { Answers } from '../sale/answers.ts'
import { count, epochMs, share } from '../values.ts'
import { methodFields, methodOf } from './method.ts'
import type { DeskPart } from './parts.ts'
import { seedOf } from './seed.ts'

const windowDays = 30
/** The maximum number of trades of one chain that are counted. The newest trades are taken. */
const tradesMax = 5_000
const keptMs = minuteMs

const ret = z.number().nullable()
const figures = {
  n: described('now', count, 'Closed trades.'),
  wins: described('now', count, 'Of these, with a return above 0.'),
  mean: described('now', ret, 'Mean return, all fees deducted; null without trades.'),
  median: described('now', ret, 'Half of the trades returned less.'),
  trimmedMean: described('now', ret, 'Mean without the best and the worst 5% of the trades.'),
  topShare: described(
    'now',
    share.nullable(),
    'Share of all gains that the best 1% of the trades made (at least one trade).',
  ),
  sharpe: described('now', ret, 'Mean / deviation of the returns, per trade; null without spread.'),
  psr: described('now', share.nullable(), 'Probability that the true ratio is above 0, given length, skew and tails.'),
  dsr: described(
    'now',
    share.nullable(),
    'The same above what the luckiest of `trials` lanes without skill would show.',
  ),
  twins: described(
    'now',
    z.strictObject({ n: count, mean: ret, edge: ret, edgeLow: ret, edgeHigh: ret, p: share.nullable() }),
    'Beside random entries; see `method.twins`. `n`: trades that have any.',
  ),
}

const lane = z.strictObject({
  chain: described('now', z.string(), 'Name of the chain.'),
  book: described('now', z.enum(books), 'Whose lane it is.'),
  lane: described('now', z.string(), 'The strategy.'),
  ...figures,
})

const bookSchema = z.strictObject({
  ...figures,
  index: described(
    'now',
    z.array(z.tuple([epochMs, z.number()])),
    'Equity index, `[closedAt, index]`: starts at 100, each trade stakes one point. At most 400 points.',
  ),
})

const { now, resource } = fieldsOf<Readonly<{ atMs: EpochMs; blockAtMs: EpochMs; note: string | undefined }>>()

const head = resource('deskStatsHead', {
  ...timeFields,
  mode: now(z.literal('paper'), 'Simulated fills at prices of the chain, no real money.', () => 'paper' as const),
  windowDays: now(z.literal(windowDays), 'Days of closings that are counted.', () => windowDays as 30),
  note: now(z.string().optional(), 'Why nothing is counted yet; only then.', ({ note }) => note),
})

const statsMethod = {
  window: `Closings of the last ${windowDays} days, the newest ${tradesMax} of each chain. A lane and a book are counted each by itself.`,
  twins: `Random entries with the lane’s exit: for each token that trades, a hash of its name and of every slot of ${deskRules.twinSlotMs / minuteMs} min chooses one second. A trade is compared with up to ${deskRules.twinsMax} twins of other tokens in the lane’s band, opened within ${deskRules.twinWithinMs / minuteMs} min of it, in the order of the MD5 of token:lane:openedAt:twinToken:twinOpenedAt. edge: mean of ret - mean of its twins, with a ${statisticsRules.level * 100}% interval (stationary block bootstrap, ${statisticsRules.draws} draws, trades of one token and UTC day drawn together). p = (1 + twin desks whose mean is at least the desk’s) / ${deskRules.twinsMax + 1}.`,
  sharpe:
    'Per trade. psr and dsr after Bailey and López de Prado; the trials are all lanes of all chains, their spread that of the lanes with two trades or more.',
} as const

const statsSchema = head.schema.extend({
  trials: described('now', count, 'Lanes that were tried: what `dsr` corrects for.'),
  method: described(
    'now',
    z.strictObject({ ...methodFields, window: z.string(), twins: z.string(), sharpe: z.string() }),
    'How it trades and how it is counted.',
  ),
  books: described('now', z.strictObject({ main: bookSchema, explore: bookSchema }), 'Over all lanes of a book.'),
  lanes: described('now', z.array(lane), 'Every lane of every chain, those without a trade too.'),
})

type Sources = Readonly<{ parts: readonly DeskPart[]; answers: Pick<Answers, 'newestCut'>; nowMs: () => EpochMs }>
type Traded = Readonly<{ chainName: string; trades: readonly ComparedTrade[] }>
type Time = Readonly<{ atMs: EpochMs; blockAtMs: EpochMs; note: string | undefined }>

/** Returns null if no chain has a paper desk (simulated trading). */
export function createDeskStatsRoute({ parts, answers, nowMs }: Sources): FreeRoute | null {
  if (parts.length === 0) return null
  let known: Readonly<{ atMs: EpochMs; body: Promise<object> }> | null = null
  return {
    patterns: ['/v1/desk/stats'],
    description:
      'The paper desk’s track record: returns by book and lane, an equity index, and the same beside random entries.',
    schema: statsSchema,
    answer() {
      const atMs = nowMs()
      if (known !== null && Math.abs(atMs - known.atMs) < keptMs) return known.body
      const entry = { atMs, body: countNow(parts, answers, atMs) }
      known = entry
      // A failed computation is not cached, so the next request computes the answer again.
      entry.body.catch(() => {
        if (known === entry) known = null
      })
      return entry.body
    },
    async example() {
      const cut = exampleStageCut(1)
      const question = { sinceMs: 0, book: 'all', limit: 1 } as const
      const traded = parts.map(async ({ chainName, exampleQueries }) => ({
        chainName,
        trades: await exampleQueries.compared(cut, question),
      }))
      const time = { atMs: exampleAtMs, blockAtMs: exampleAtMs - 2000, note: undefined }
      return bodyOf(parts, await Promise.all(traded), time)
    },
  }
}

async function countNow(parts: readonly DeskPart[], answers: Sources['answers'], atMs: EpochMs): Promise<object> {
  const found = await Promise.all(
    parts.map(async ({ chainName, source, queries }) => {
      const cut = await answers.newestCut([source.stage])
      if (cut === null) return { chainName, trades: [], cut: null }
      const at = stageCutOf(cut, source.stage)
      const question = { sinceMs: at.atMs - windowDays * dayMs, book: 'all', limit: tradesMax } as const
      return { chainName, trades: await queries.compared(at, question), cut: at }
    }),
  )
  const cuts = found.flatMap(({ cut }) => cut ?? [])
  const unknown = found.filter(({ cut }) => cut === null).map(({ chainName }) => chainName)
  const note = unknown.length === 0 ? undefined : `Nothing is known of ${unknown.join(' and ')} yet.`
  const time = {
    atMs: Math.min(atMs, ...cuts.map((cut) => cut.atMs)),
    blockAtMs: Math.min(atMs, ...cuts.map((cut) => cut.blockAtMs)),
    note,
  }
  return bodyOf(parts, found, time)
}

/**
 * Computes the statistics of each lane (trading strategy) and book (account). The confidence intervals of
 * many trades take long to compute. So this function lets the event loop do other work after each lane.
 */
async function bodyOf(parts: readonly DeskPart[], traded: readonly Traded[], time: Time): Promise<object> {
  const lanes = parts.flatMap(({ chainName, desk }) =>
    desk.lanes.map(({ name, book }) => {
      const trades = traded.find((one) => one.chainName === chainName)?.trades ?? []
      return { chain: chainName, book, lane: name, trades: trades.filter((trade) => trade.lane === name) }
    }),
  )
  const ratios = lanes.flatMap(({ trades }) => ratioOf(trades) ?? [])
  const trials = { count: lanes.length, ratios }
  const counted = []
  for (const { trades, ...names } of lanes) {
    counted.push({ ...names, ...figuresOf(trades, { trials, seed: seedOf(`${names.chain}:${names.lane}`) }) })
    await setImmediate()
  }
  const ofBook = (book: Book) => {
    const trades = lanes.filter((one) => one.book === book).flatMap((one) => one.trades)
    return { ...figuresOf(trades, { trials, seed: seedOf(book) }), index: equityIndexOf(trades) }
  }
  const { note, ...first } = head.present(time)
  const method = { ...methodOf(parts), ...statsMethod }
  const body = { ...first, ...(note === undefined ? {} : { note }), trials: trials.count, method }
  return { ...body, books: { main: ofBook('main'), explore: ofBook('explore') }, lanes: counted }
}

const figuresOf = (trades: readonly ComparedTrade[], { trials, seed }: Readonly<{ trials: Trials; seed: number }>) => ({
  ...summaryOf(trades),
  ...certaintyOf(trades, trials),
  twins: comparisonOf(trades, seed),
})
