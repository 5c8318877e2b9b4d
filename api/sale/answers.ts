/**
 * Answers as bytes. Each (route, parameters, cut) is computed once, on demand, and cached. An answer depends on nothing
 * else, so cached ones are never wrong.
 */

import assert from 'node:assert/strict'
import type { Cut, Cuts } from '../../projections/cuts.ts'
import type { Stage } from '../../schemas/stage.ts'
import { minuteMs } from '../../schemas/units.ts'
import { requestIdOf } from '../payments/payment.ts'
import type { Route } from '../route.ts'
import type { Params, ParamValues } from './params.ts'
import { isRefusal, type Refusal } from './refusals.ts'

type Answer = Readonly<{ bytes: Buffer }> | Readonly<{ refusal: Refusal }>

export type Answers = Readonly<{
  /** The newest cut of these stages, looked up as seldom as `refreshMs` and `gridMs` allow. Null while there is none. */
  newestCut(stages: readonly Stage[]): Promise<Cut | null>
  /** The first instant that can be asked of these stages, looked up once in a while. Null: nothing is known of one. */
  oldestAtMs(stages: readonly Stage[]): Promise<number | null>
  answer(route: Route, values: ParamValues<Params>, cut: Cut): Promise<Answer>
  /** The answer, if it is there or on its way: it costs nothing. */
  find(route: Route, values: ParamValues<Params>, cut: Pick<Cut, 'atMs'>): Promise<Answer> | null
}>

type Options = Readonly<{
  cuts: Cuts
  nowMs: () => number
  /** A cut is looked up again after this, whatever the clocks say. */
  refreshMs: number
  /** How far apart cuts are. Once the next one may be there, it is looked for more often. Default: it is not. */
  gridMs?: number
  cacheBytesMax?: number
}>

type LookUp = { readonly askedAtMs: number; readonly cut: Promise<Cut | null>; cutAtMs: number | null }

/** It changes only with what leaves the tables, whole days, and with tables made anew. */
const oldestRefreshMs = minuteMs

/** Between two looks for a cut that may be there: a look costs a query or two. */
const lookAgainMs = 150

export function createAnswers(options: Options): Answers {
  const { cuts, nowMs, refreshMs, gridMs = Number.POSITIVE_INFINITY, cacheBytesMax = 64 << 20 } = options
  const cache = createByteCache(cacheBytesMax)
  /** By the names of the stages. */
  const newest = new Map<string, LookUp>()
  const oldest = new Map<string, Readonly<{ askedAtMs: number; found: Promise<number | null> }>>()

  const isNew = ({ askedAtMs, cutAtMs }: LookUp, atMs: number): boolean => {
    const mayBeOver = cutAtMs !== null && atMs >= cutAtMs + gridMs
    return Math.abs(atMs - askedAtMs) < (mayBeOver ? Math.min(refreshMs, lookAgainMs) : refreshMs)
  }

  return {
    newestCut(stages) {
      const id = idOfStages(stages)
      const askedAtMs = nowMs()
      const known = newest.get(id)
      if (known && isNew(known, askedAtMs)) return known.cut
      const asked: LookUp = { askedAtMs, cut: cuts.newest(stages), cutAtMs: null }
      newest.set(id, asked)
      asked.cut.then(
        (cut) => {
          asked.cutAtMs = cut?.atMs ?? null
        },
        () => {
          // A failed look-up is not kept: the next request tries again.
          if (newest.get(id) === asked) newest.delete(id)
        },
      )
      return asked.cut
    },
    oldestAtMs(stages) {
      const id = idOfStages(stages)
      const askedAtMs = nowMs()
      const known = oldest.get(id)
      if (known && Math.abs(askedAtMs - known.askedAtMs) < oldestRefreshMs) return known.found
      const asked = { askedAtMs, found: cuts.oldestAtMs(stages) }
      oldest.set(id, asked)
      // Neither a failure nor that nothing is there yet is kept.
      const forget = () => {
        if (oldest.get(id) === asked) oldest.delete(id)
      }
      asked.found.then((atMs) => atMs ?? forget(), forget)
      return asked.found
    },
    find: (route, values, cut) => cache.find(idOf(route, values, cut)),
    answer(route, values, cut) {
      assert(!route.isPersonal, `${route.pattern} is no answer at a cut`)
      return cache.get(idOf(route, values, cut), async () => {
        const body = await route.answer(values, cut)
        if (isRefusal(body)) return { refusal: body }
        return { bytes: Buffer.from(JSON.stringify(body)) }
      })
    },
  }
}

const idOfStages = (stages: readonly Stage[]): string =>
  stages
    .map(({ name }) => name)
    .sort()
    .join()

const idOf = (route: Route, values: ParamValues<Params>, cut: Pick<Cut, 'atMs'>): string =>
  `${cut.atMs} ${requestIdOf(route.pattern, values)}`

/** What an entry costs besides its bytes. Refusals count too: anybody can ask for unknown addresses without paying. */
const entryBytesMin = 1024

type ByteCache = Readonly<{
  find(id: string): Promise<Answer> | null
  get(id: string, compute: () => Promise<Answer>): Promise<Answer>
}>

/** Concurrent requests share one computation. Evicts the least recently used, bounded by the bytes of finished answers. */
function createByteCache(bytesMax: number): ByteCache {
  const entries = new Map<string, { answer: Promise<Answer>; bytes: number }>()
  let total = 0
  const drop = (id: string) => {
    total -= entries.get(id)?.bytes ?? 0
    entries.delete(id)
  }
  const shrink = () => {
    for (const id of entries.keys()) {
      if (total <= bytesMax) return
      drop(id)
    }
  }
  const find = (id: string): Promise<Answer> | null => {
    const found = entries.get(id)
    if (!found) return null
    entries.delete(id)
    entries.set(id, found)
    return found.answer
  }
  return {
    find,
    get(id, compute) {
      const found = find(id)
      if (found) return found
      const answer = compute()
      const entry = { answer, bytes: entryBytesMin + id.length }
      entries.set(id, entry)
      total += entry.bytes
      answer.then(
        (done) => {
          if (!entries.has(id)) return
          const bytes = 'bytes' in done ? done.bytes.length : 0
          entry.bytes += bytes
          total += bytes
          shrink()
        },
        () => drop(id),
      )
      return answer
    },
  }
}
