/**
 * Computes answers as bytes when they are requested, and caches them by route, parameters and cut (the time
 * of the data). An answer depends on nothing else, so a cached answer is never wrong.
 */

import assert from 'node:assert/strict'
import type { WrittenBatch } from '../../projections/batch-signal.ts'
import type { Cut, Cuts } from '../../projections/cuts.ts'
import type { Stage } from '../../schemas/stage.ts'
import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'
import { jsonOf } from '../kept-json.ts'
import { requestIdOf } from '../payments/payment.ts'
import type { Route } from '../route.ts'
import type { Params, ParamValues } from './params.ts'
import { isRefusal, type Refusal } from './refusals.ts'

type Answer = Readonly<{ bytes: Buffer }> | Readonly<{ refusal: Refusal }>

export type Answers = Readonly<{
  /**
   * Returns the newest cut for which the data of these stages is complete, or null if there is none. Looks
   * the cut up at most once per `refreshMs`.
   */
  newestCut(stages: readonly Stage[]): Promise<Cut | null>
  /** Must be called when rows of a stage were written to the tables, because a newer cut then exists. */
  batchWritten(batch: WrittenBatch): void
  /**
   * Returns the earliest time for which these stages have data, or null if a stage has no data. Looks the
   * time up at most once a minute.
   */
  oldestAtMs(stages: readonly Stage[]): Promise<number | null>
  answer(route: Route, values: ParamValues<Params>, cut: Cut): Promise<Answer>
  /** Returns the cached or pending answer, or null if there is none. Costs no query. */
  find(route: Route, values: ParamValues<Params>, cut: Pick<Cut, 'atMs'>): Promise<Answer> | null
}>

type Options = Readonly<{
  cuts: Cuts
  nowMs: () => EpochMs
  /**
   * The minimum time, in ms, between two lookups of the newest cut. If no rows were written in between, the
   * time is longer.
   */
  refreshMs: DurationMs
  cacheBytesMax?: number
}>

type LookUp = {
  readonly askedAtMs: EpochMs
  readonly stages: readonly Stage[]
  readonly cut: Promise<Cut | null>
  /** Whether rows of one of the stages were written to the tables after the lookup began. */
  isOutdated: boolean
}

/**
 * The interval, in ms, at which the earliest instant is looked up. This instant changes only when the tables drop whole
 * days or are rebuilt.
 */
const oldestRefreshMs = minuteMs

/** The time, in ms, after which the newest cut is looked up again although no new rows were announced. */
const silentRefreshMs = 1000

export function createAnswers(options: Options): Answers {
  const { cuts, nowMs, refreshMs, cacheBytesMax = 64 << 20 } = options
  const cache = createByteCache(cacheBytesMax)
  /** The last lookups of the newest cut, by the names of the stages. */
  const newest = new Map<string, LookUp>()
  const oldest = new Map<string, Readonly<{ askedAtMs: EpochMs; found: Promise<number | null> }>>()

  let hearsOfBatches = false

  const isNew = ({ askedAtMs, isOutdated }: LookUp, atMs: EpochMs): boolean => {
    const isSilent = hearsOfBatches && !isOutdated
    return Math.abs(atMs - askedAtMs) < (isSilent ? Math.max(refreshMs, silentRefreshMs) : refreshMs)
  }

  return {
    newestCut(stages) {
      const id = idOfStages(stages)
      const askedAtMs = nowMs()
      const known = newest.get(id)
      if (known && isNew(known, askedAtMs)) return known.cut
      const lookUp: LookUp = { askedAtMs, stages, cut: cuts.newest(stages), isOutdated: false }
      newest.set(id, lookUp)
      lookUp.cut.catch(() => {
        // A failed lookup is not cached, so the next request tries again.
        if (newest.get(id) === lookUp) newest.delete(id)
      })
      return lookUp.cut
    },
    batchWritten({ stage }) {
      hearsOfBatches = true
      for (const lookUp of newest.values())
        if (lookUp.stages.some(({ name }) => name === stage)) lookUp.isOutdated = true
    },
    oldestAtMs(stages) {
      const id = idOfStages(stages)
      const askedAtMs = nowMs()
      const known = oldest.get(id)
      if (known && Math.abs(askedAtMs - known.askedAtMs) < oldestRefreshMs) return known.found
      const lookUp = { askedAtMs, found: cuts.oldestAtMs(stages) }
      oldest.set(id, lookUp)
      // Neither a failed lookup nor the result null is cached, so the next request tries again.
      const forget = () => {
        if (oldest.get(id) === lookUp) oldest.delete(id)
      }
      lookUp.found.then((atMs) => atMs ?? forget(), forget)
      return lookUp.found
    },
    find: (route, values, cut) => cache.find(idOf(route, values, cut)),
    answer(route, values, cut) {
      assert(!route.isPersonal, `the answer of ${route.pattern} is personal, so it has no cut`)
      return cache.get(idOf(route, values, cut), async () => {
        const body = await route.answer(values, cut)
        if (isRefusal(body)) return { refusal: body }
        return { bytes: jsonOf(body) }
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

/**
 * The number of bytes that each entry of the cache counts in addition to its id and answer. Refusals have no bytes, and
 * anyone can cause them without paying, so each entry must count.
 */
const entryBytesMin = 1024

type ByteCache = Readonly<{
  find(id: string): Promise<Answer> | null
  get(id: string, compute: () => Promise<Answer>): Promise<Answer>
}>

/**
 * Creates the cache of answers. Concurrent requests share one computation. When the bytes of the entries exceed the
 * limit, the least recently used entries are removed.
 */
function createByteCache(bytesMax: number): ByteCache {
  type Entry = { answer: Promise<Answer>; bytes: number }
  const entries = new Map<string, Entry>()
  let total = 0
  const drop = (id: string, { bytes }: Entry) => {
    total -= bytes
    entries.delete(id)
  }
  const shrink = () => {
    for (const [id, entry] of entries) {
      if (total <= bytesMax) return
      drop(id, entry)
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
      // The pending entry may have been removed. A new entry with the same id may have replaced it.
      const isCached = () => entries.get(id) === entry
      answer.then(
        (done) => {
          if (!isCached()) return
          const bytes = 'bytes' in done ? done.bytes.length : 0
          entry.bytes += bytes
          total += bytes
          shrink()
        },
        () => {
          if (isCached()) drop(id, entry)
        },
      )
      return answer
    },
  }
}
