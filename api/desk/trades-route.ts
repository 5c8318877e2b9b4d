/** `/v1/desk/trades`: the closed trades of the paper desk (simulated trading) on all chains. */

import { z } from 'zod'
import type { Cut } from '../../projections/cuts.ts'
import { heldMsMax } from '../../projections/desk/queries/track-record.ts'
import { books } from '../../schemas/desk/derived.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import { timeFields } from '../envelope.ts'
import { exampleAtMs, exampleStageCut, exampleValuesOf } from '../example.ts'
import { described, fieldsOf } from '../resource.ts'
import { type History, type RequiredSource, route, stageCutOf } from '../route.ts'
import type { ChoiceParam, InstantParam, NumberParam } from '../sale/params.ts'
import { epochMs } from '../values.ts'
import { methodOf, methodSchema } from './method.ts'
import type { DeskPart } from './parts.ts'
import { deskTrade, presentTrade } from './trade.ts'

const sinceParam: InstantParam = {
  in: 'query',
  type: 'instant',
  agoMs: dayMs,
  sample: exampleAtMs - dayMs,
  description: 'trades closed at or after this instant, epoch ms or ISO 8601; default: 24 h before the answer',
}

const bookParam: ChoiceParam<'main' | 'explore' | 'all'> = {
  in: 'query',
  type: 'string',
  values: [...books, 'all'],
  default: 'all',
  description: 'which book',
}

const limitParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 3000,
  default: 500,
  description: 'most trades to list',
}

type Head = Readonly<{ atMs: EpochMs; blockAtMs: EpochMs; book: (typeof bookParam)['default']; sinceMs: EpochMs }>

const { now, resource } = fieldsOf<Head>()

const head = resource('deskHead', {
  ...timeFields,
  book: now(z.enum(bookParam.values), 'As asked for.', ({ book }) => book),
  mode: now(z.literal('paper'), 'Simulated fills at prices of the chain, no real money.', () => 'paper' as const),
  since: now(epochMs, 'Closings are at or after this, epoch ms.', ({ sinceMs }) => sinceMs),
})

const answerSchema = head.schema.extend({
  method: methodSchema,
  trades: described('now', z.array(deskTrade.schema), 'Closed trades, the newest closing first.'),
})

/** Returns null if no chain has a paper desk (simulated trading). */
export function createDeskTradesRoute(parts: readonly DeskPart[]) {
  const [first, ...others] = parts.map(({ source }): RequiredSource => ({ ...source, maxAgeMs: 600_000 }))
  if (!first) return null
  const params = { since: sinceParam, book: bookParam, limit: limitParam }
  const answerOver = (over: readonly DeskPart[]) => async (values: Values, cut: Cut) => {
    const sinceMs = values.since < 0 ? cut.atMs + values.since : values.since
    const { book, limit } = values
    const lists = await Promise.all(
      over.map(async (part) => {
        const trades = await part.queries.trades(stageCutOf(cut, part.source.stage), { sinceMs, book, limit })
        return trades.map((trade) => ({ part, trade }))
      }),
    )
    const newest = lists.flat().sort((left, right) => right.trade.closedAtMs - left.trade.closedAtMs)
    const blockAtMs = Math.min(...Object.values(cut.stages).map((stage) => stage.blockAtMs))
    return {
      ...head.present({ atMs: cut.atMs, blockAtMs, book, sinceMs }),
      method: methodOf(over),
      trades: newest.slice(0, limit).map(({ part, trade }) => presentTrade(trade, part)),
    }
  }
  return route({
    pattern: '/v1/desk/trades',
    tool: 'desk_trades',
    description:
      'Closed trades of the paper desk on both chains: entry and exit times, return with fees, peak and why it was left.',
    priceUsdMicros: 10_000,
    dependsOn: [first, ...others],
    needs: [],
    history: { windowMs: null, lookBackMs: lookBackOf(parts) },
    params,
    schema: answerSchema,
    answer: answerOver(parts),
    async example() {
      const over = parts.map((part) => ({ ...part, queries: part.exampleQueries }))
      const stages = Object.fromEntries(parts.map(({ source }) => [source.stage.name, exampleStageCut(1)]))
      const values = exampleValuesOf(params)
      const defaults = { book: bookParam.default, limit: limitParam.default }
      return {
        values,
        body: await answerOver(over)({ ...defaults, since: sinceParam.sample }, { atMs: exampleAtMs, stages }),
      }
    },
  })
}

/**
 * Returns how far before its own time an answer reads data. A trade that was closed at `since` was opened
 * earlier. No lane (trading strategy) holds a position longer than its `timeMs`, so the longest `timeMs` is
 * added.
 */
function lookBackOf(parts: readonly DeskPart[]): History['lookBackMs'] {
  const heldMs = Math.max(...parts.map(({ desk }) => heldMsMax(desk)))
  return (values, newestAtMs) => {
    const since = Number(values.since)
    return (since < 0 ? -since : Math.max(0, newestAtMs - since)) + heldMs
  }
}

type Values = Readonly<{ since: number; book: (typeof bookParam)['default']; limit: number }>
