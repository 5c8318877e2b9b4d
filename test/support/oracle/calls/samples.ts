/** Computes the returns of a called token from its price samples in the hours after the call. */
import type { CallRules } from './rules.ts'

/**
 * A price, or the reason why there is none. `unknown`: the price was not requested, or there was no answer.
 * `failed`: the token has no price, or the price is in another unit.
 */
export type Reading = number | 'unknown' | 'failed'

export type Shown = Readonly<{
  ret1h: number | null
  ret4h: number | null
  ret12h: number | null
  ret24h: number | null
  ret48h: number | null
  lastRet: number | null
  lastSampleAtMs: number | null
  maxRet: number | null
  maxAtMs: number | null
  dipBeforeMax: number | null
  isDead: boolean
}>

type Watched = Readonly<{
  calledAtMs: number
  /**
   * The price at the call, on which all returns are based. Null: there is no such price, so there are no
   * returns.
   */
  anchorPx: number | null
  dueCount: number
  /** The first sample at which the anchor’s market is worth nothing. Null: the market was never pulled. */
  ruggedFrom: number | null
  isRugged: boolean
  readingOf(count: number): Reading
  rules: CallRules
}>

/** A function that is called with the name of each branch that the computation takes. */
export type Seen = (branch: string) => void

export function shownOf(watched: Watched, seen: Seen = () => {}): Shown {
  const { anchorPx, dueCount, rules } = watched
  const walk = new Walk(watched, seen)
  if (anchorPx !== null) for (let count = 1; count <= dueCount; count++) walk.take(count)
  const at = (hours: number) => walk.rets.get((hours * 3_600_000) / rules.sampleEveryMs) ?? null
  const instantOf = (count: number | null) => count && watched.calledAtMs + count * rules.sampleEveryMs
  const isOver = anchorPx !== null && (walk.isDead || watched.isRugged)
  return {
    ...{ ret1h: at(1), ret4h: at(4), ret12h: at(12), ret24h: at(24), ret48h: at(48) },
    ...{ lastRet: isOver ? -1 : walk.lastRet, lastSampleAtMs: instantOf(walk.lastCount), isDead: walk.isDead },
    ...{ maxRet: walk.maxRet, maxAtMs: instantOf(walk.maxCount), dipBeforeMax: walk.dipBeforeMax },
  }
}

/** The largest difference between the same price in the log and in an answer. */
const rounding = 1e-12

class Walk {
  readonly rets = new Map<number, number | null>()
  readonly #watched: Watched
  readonly #seen: Seen
  isDead = false
  lastRet: number | null = null
  lastCount: number | null = null
  maxRet: number | null = null
  maxCount: number | null = null
  dipBeforeMax: number | null = null
  #low = Number.POSITIVE_INFINITY
  /** The samples that failed since the last price. */
  #failed: number[] = []

  constructor(watched: Watched, seen: Seen) {
    this.#watched = watched
    this.#seen = seen
  }

  take(count: number): void {
    const { ruggedFrom, rules } = this.#watched
    if (ruggedFrom !== null && count >= ruggedFrom) {
      this.rets.set(count, -1)
      return
    }
    // If the token was dead before this sample, the return is -1, even if a price is read.
    const wasDead = this.isDead
    if (wasDead && count % rules.deadEvery !== 0) return
    const reading = this.#watched.readingOf(count)
    const ret = typeof reading === 'number' ? this.#price(count, reading) : this.#nothing(count, reading)
    this.rets.set(count, wasDead ? -1 : ret)
    if (wasDead) this.#seen('return reached while dead')
  }

  #price(count: number, px: number): number {
    if (this.isDead) this.#seen('revived')
    else if (this.#failed.length > 0) this.#seen('failed reads ended by a price')
    this.isDead = false
    this.#failed = []
    const ret = px / (this.#watched.anchorPx ?? 1) - 1
    this.#low = Math.min(this.#low, ret)
    if (this.maxRet === null || ret > this.maxRet + rounding * (1 + this.maxRet))
      [this.maxRet, this.maxCount, this.dipBeforeMax] = [ret, count, this.#low]
    ;[this.lastRet, this.lastCount] = [ret, count]
    return ret
  }

  #nothing(count: number, reading: 'unknown' | 'failed'): -1 | null {
    if (reading === 'unknown') {
      this.#seen(this.#failed.length > 0 ? 'unanswered sample among failed ones' : 'unanswered sample')
      return null
    }
    this.#failed.push(count)
    if (this.isDead || this.#failed.length < this.#watched.rules.deadAfter) return null
    this.isDead = true
    this.#seen('dead')
    for (const each of this.#failed) this.rets.set(each, -1)
    if (this.#failed.some((each) => isMark(each, this.#watched.rules))) this.#seen('mark in the dying run')
    return -1
  }
}

const isMark = (count: number, { sampleEveryMs }: CallRules): boolean =>
  [1, 4, 12, 24, 48].some((hours) => count * sampleEveryMs === hours * 3_600_000)
