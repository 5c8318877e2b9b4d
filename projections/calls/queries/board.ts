/**
 * Selects the ranked list of callers: how the tokens that each caller named traded in the hour after the
 * posts.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { callersRules } from '../../../schemas/calls/callers.ts'
import { type UnscoredReason, unscoredReasons } from '../../../schemas/calls/derived.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { Cut } from '../../cuts.ts'
import type { CalledChain } from '../called-chain.ts'
import { callTablesOf } from '../tables.ts'
import { selectGapCalls } from './board-gaps.ts'
import { type CallerSums, type CallersSums, callerBoardOf, each } from './caller-board.ts'
import { type BoardWindow, type CallerBoard, type ExcludedCalls, medianNames, rateNames } from './calls-queries.ts'
import { before, chatsClockMs } from './clock.ts'
import { isLarge } from './shrink.ts'

const windowMs: Readonly<Record<BoardWindow, number>> = { '24h': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs }

/**
 * The number of units in a post's weight of 1. A post that names several tokens has only a part of this
 * weight. All numbers from 2 to 30 divide `weightUnits`. So weights are whole numbers, and their sums do not
 * depend on the order of rows.
 */
const weightUnits = 2_329_089_562_800
/** A return of 1 (+100 %) in whole units. */
const retUnits = 1e9

const isRate = {
  hit15: `mfe >= ${callRules.hits.hitRet}`,
  win35: 'is_win_35 = 1',
  x2: `mfe >= ${callRules.hits.doubleRet}`,
  rug: `mae <= ${callRules.hits.rugRet}`,
} as const

const columnOf = {
  ...{ ret1: 'ret_1', ret5: 'ret_5', ret15: 'ret_15', ret60: 'ret_60', mfe: 'mfe', mae: 'mae' },
} as const

/** A subquery for the counted posts: for each caller and token, the first scored post in the window. `units` is the weight of the post. */
const countedOf = (source: string): string => `(
  SELECT *, intDiv(${weightUnits}, if(token_count > ${callersRules.tokensMax}, token_count, 1)) AS units FROM ${source}
  WHERE unscored IS NULL ORDER BY posted_at_ms, chat, post, token LIMIT 1 BY chat, poster, token)`

const mediansSql = medianNames
  .map((name) => `quantileExactInclusive(0.5)(${columnOf[name]}) AS median_${name}`)
  .join(', ')

const sumsSql = [
  'count() AS n',
  'sum(units) AS weight',
  ...rateNames.map((name) => `sumIf(units, ${isRate[name]}) AS ${name}`),
  ...medianNames.flatMap((name) => {
    const capped = `least(${columnOf[name]}, ${callersRules.retMax})`
    return [
      `sum(toInt128(round(${capped} * ${retUnits}))) AS ${name}Sum`,
      `sum(toInt128(round(${capped} * ${capped} * ${retUnits}))) AS ${name}Squares`,
    ]
  }),
].join(', ')

type Medians = CallerSums['medians']
type SelectedMedians = Readonly<Record<string, string | number | null>>
type SelectedCaller = SelectedMedians & Readonly<{ chat: string; poster: string; chatName: string | null }>

type BoardReading = Readonly<{ database: Database; chains: readonly CalledChain[] }>

/**
 * Returns the ranked list of callers from the data that the service knew at the time of the cut. A post of
 * the window counts as soon as the hour after it is over, by the clock of the chats (`chatsClockMs`).
 */
export async function selectBoard(
  { database, chains }: BoardReading,
  cut: Cut,
  window: BoardWindow,
): Promise<CallerBoard> {
  const clockMs = chatsClockMs(cut)
  const range = { ...before(clockMs, windowMs[window]), to: clockMs - callRules.scoreMs }
  const scores = chains.flatMap(({ stage: { name } }) => {
    const stageCut = cut.stages[name]
    const { CallScored: table } = callTablesOf(name)
    return stageCut ? [`SELECT * FROM ${atCut(table, stageCut.atMs, { posted_at_ms: range })}`] : []
  })
  const all = `(${scores.join('\nUNION ALL\n')})`
  const source = countedOf(all)
  const callers = await database.query<SelectedCaller>(
    `SELECT chat, poster, argMax(tuple(chat_name), (posted_at_ms, post)).1 AS chatName, max(posted_at_ms) AS lastCallAtMs,
       ${sumsSql}, ${mediansSql}
     FROM ${source} GROUP BY chat, poster ORDER BY chat, poster`,
  )
  const gapCallsOf = await selectGapCalls(database, cut, { chains, source, afterMs: range.from })
  const sums = callers.map((caller) => ({ gapCalls: gapCallsOf(caller), ...sumsOf(caller) }))
  return callerBoardOf(clockMs, {
    ...(await selectExcluded(database, all)),
    askedCount: await selectAskedCount(database, source),
    callers: sums,
    medians: await selectMedians(database, source),
    mediansWithout: await selectMediansWithout(database, { source, callers: sums }),
  })
}

async function selectMedians(database: Database, source: string): Promise<Medians> {
  const [selected] = await database.query<SelectedMedians>(`SELECT ${mediansSql} FROM ${source}`)
  return mediansOf(selected)
}

/**
 * Finds the callers that have a large share of the total weight of all posts. For each of them, returns the
 * medians of all other callers. The key of the result is the caller’s index in `callers`.
 */
async function selectMediansWithout(
  database: Database,
  { source, callers }: Readonly<{ source: string; callers: readonly CallerSums[] }>,
): Promise<CallersSums['mediansWithout']> {
  const total = callers.reduce((sum, { weight }) => sum + weight, 0)
  const found = new Map<number, Medians>()
  for (const [index, { chat, poster, weight }] of callers.entries()) {
    if (!isLarge(weight, total) || callers.length === 1) continue
    const [selected] = await database.query<SelectedMedians>(
      `SELECT ${mediansSql} FROM ${source} WHERE NOT (chat = {chat:String} AND poster = {poster:String})`,
      { chat, poster },
    )
    found.set(index, mediansOf(selected))
  }
  return found
}

/** Counts the posts that are not scored, by reason. */
async function selectExcluded(database: Database, source: string): Promise<ExcludedCalls> {
  const selected = await database.query<Readonly<{ why: UnscoredReason; posts: string }>>(
    `SELECT unscored AS why, count() AS posts FROM ${source} WHERE unscored IS NOT NULL GROUP BY unscored`,
  )
  const counts = each(unscoredReasons, (reason) => Number(selected.find(({ why }) => why === reason)?.posts ?? 0))
  return {
    ...{ lateAnchorsExcluded: counts.late_anchor, noPriceExcluded: counts.no_price },
    ...{ unansweredExcluded: counts.unanswered, tooManyExcluded: counts.too_many },
  }
}

async function selectAskedCount(database: Database, source: string): Promise<number> {
  const [selected] = await database.query<Readonly<{ asked: string }>>(
    `SELECT countIf(is_asked = 1) AS asked FROM ${source}`,
  )
  return Number(selected?.asked ?? 0)
}

const mediansOf = (selected: SelectedMedians | undefined): Medians =>
  each(medianNames, (name) => (selected?.[`median_${name}`] ?? null) as number | null)

function sumsOf(selected: SelectedCaller): Omit<CallerSums, 'gapCalls'> {
  const numberOf = (name: string) => Number(selected[name])
  const n = numberOf('n')
  return {
    chat: selected.chat,
    poster: selected.poster,
    chatName: selected.chatName,
    n,
    lastCallAtMs: numberOf('lastCallAtMs'),
    weight: numberOf('weight') / weightUnits,
    hits: each(rateNames, (name) => numberOf(name) / weightUnits),
    medians: mediansOf(selected),
    moments: each(medianNames, (name) => ({
      n,
      sum: numberOf(`${name}Sum`) / retUnits,
      squares: numberOf(`${name}Squares`) / retUnits,
    })),
  }
}
