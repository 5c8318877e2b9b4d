/**
 * Runs the queries of paid answers: a few at a time, in fair turns of the addresses. If an answer was already
 * paid for, its query is never refused.
 */
import assert from 'node:assert/strict'
import { type Refusal, refuse } from './refusals.ts'
import { type Asker, createTurns } from './turns.ts'

/** Whether an answer is about one subject (a token, pool or wallet), or reads as much as a list. */
type AnswerKind = 'subject' | 'list'

/** The field of a route that decides its kind. */
type Kinded = Readonly<{ subject?: unknown }>

const kindOf = ({ subject }: Kinded): AnswerKind => (subject === undefined ? 'list' : 'subject')

export type Questions = Readonly<{
  /** Runs the work of a verified payment in its turn. Returns a refusal (503) if too many requests wait. */
  ask<Result extends object>(asker: Asker, route: Kinded, work: () => Promise<Result>): Promise<Result | Refusal>
  /** Rebuilds an answer that was already paid for, in its turn. Never refuses. */
  repeat<Result extends object>(address: string, work: () => Promise<Result>): Promise<Result>
}>

/**
 * The maximum number of answers that are computed at the same time. A list can have megabytes. An answer about a subject
 * is small, and one query can answer several of them.
 */
const askedAtOnceMax: Readonly<Record<AnswerKind, number>> = { subject: 16, list: 4 }
const repeatsAtOnceMax = 2
/**
 * The maximum number of waiting answers of each kind. An answer takes 1 to 70 ms of CPU time. So the last one waits up to
 * some 10 s.
 */
const waitingMax = 256

export function createQuestions(): Questions {
  const asked = {
    subject: createTurns({ atOnceMax: askedAtOnceMax.subject, waitingMax }),
    list: createTurns({ atOnceMax: askedAtOnceMax.list, waitingMax }),
  }
  // The queue needs no limit. Each waiting request has its own connection, and the number of connections is
  // limited.
  const repeats = createTurns({ atOnceMax: repeatsAtOnceMax, waitingMax: Number.POSITIVE_INFINITY })

  return {
    ask: async (asker, route, work) => (await asked[kindOf(route)].take(asker, work)) ?? tooManyAtOnce,
    async repeat(address, work) {
      const result = await repeats.take({ address, isGone: () => false }, work)
      assert(result !== null, 'a repeated request did not get its turn')
      return result
    },
  }
}

const tooManyAtOnce: Refusal = refuse(
  'payments_not_live',
  'the service is computing too many paid answers at the moment. Nothing was charged. Wait, then repeat the request with the same PAYMENT-SIGNATURE',
  2,
)
