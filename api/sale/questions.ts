/**
 * Questions that cost a query before anything is paid: whether a tracked thing can still be shown. They are few of one address,
 * few at once of all, and never in the way of what was paid for.
 */
import assert from 'node:assert/strict'
import { createRecentCounts } from '../recent-counts.ts'
import { type Refusal, refuse } from './refusals.ts'
import { type Asker, createTurns } from './turns.ts'

export type Questions = Readonly<{
  /** The answer in its turn, or `rate_limited`. */
  ask<Result extends object>(asker: Asker, work: () => Promise<Result>): Promise<Result | Refusal>
  /** What is owed, made again in its turn. Never refused. */
  repeat<Result extends object>(address: string, work: () => Promise<Result>): Promise<Result>
  /** The address has bought something new: its questions were worth their cost. */
  noteBought(address: string): void
}>

/** Of one address within a minute, since its last purchase. */
const questionsMax = 120
/** Strangers have bought nothing for ten minutes. They wait for each other, and buyers do not wait for them. */
const strangersAtOnceMax = 1
const buyersAtOnceMax = 4
const repeatsAtOnceMax = 2
/** At 30 to 110 ms a question of the embedded tables, the last waits 8 to 28 seconds. */
const waitingMax = 256

export function createQuestions(nowMs: () => number): Questions {
  const asked = createRecentCounts({ generationMs: 30_000, nowMs })
  const bought = createRecentCounts({ generationMs: 600_000, nowMs })
  const strangers = createTurns({ atOnceMax: strangersAtOnceMax, waitingMax })
  const buyers = createTurns({ atOnceMax: buyersAtOnceMax, waitingMax })
  // Each waits for a connection of its own, and these are bounded.
  const repeats = createTurns({ atOnceMax: repeatsAtOnceMax, waitingMax: Number.POSITIVE_INFINITY })

  return {
    async ask(asker, work) {
      const { address } = asker
      if (asked.count(address) >= questionsMax) return tooMany(asked.forgottenInMs())
      asked.add(address)
      const turns = bought.count(address) > 0 ? buyers : strangers
      return (await turns.take(asker, work)) ?? tooManyAtOnce
    },
    async repeat(address, work) {
      const result = await repeats.take({ address, isGone: () => false }, work)
      assert(result !== null, 'a repeat waits for as long as it takes')
      return result
    },
    noteBought(address) {
      asked.clear(address)
      bought.add(address)
    },
  }
}

const tooMany = (waitMs: number): Refusal =>
  refuse(
    'rate_limited',
    `${questionsMax} unpaid questions a minute are answered to an address about what is tracked, counted from its last purchase; wait and try again, nothing was charged`,
    waitMs / 1000,
  )

const tooManyAtOnce: Refusal = refuse(
  'rate_limited',
  'too many unpaid questions are waiting; wait and try again, nothing was charged',
  2,
)
