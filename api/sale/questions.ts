/** Queries for the answers that are sold: few at once, in fair turns of the addresses, and what is owed is never refused. */
import assert from 'node:assert/strict'
import { type Refusal, refuse } from './refusals.ts'
import { type Asker, createTurns } from './turns.ts'

export type Questions = Readonly<{
  /** What a verified payment is for, in its turn; 503 where too many wait. */
  ask<Result extends object>(asker: Asker, work: () => Promise<Result>): Promise<Result | Refusal>
  /** What is owed, made again in its turn. Never refused. */
  repeat<Result extends object>(address: string, work: () => Promise<Result>): Promise<Result>
}>

const askedAtOnceMax = 4
const repeatsAtOnceMax = 2
/** At 30 to 110 ms a question of the embedded tables, the last waits 2 to 7 seconds. */
const waitingMax = 256

export function createQuestions(): Questions {
  const asked = createTurns({ atOnceMax: askedAtOnceMax, waitingMax })
  // Each waits for a connection of its own, and these are bounded.
  const repeats = createTurns({ atOnceMax: repeatsAtOnceMax, waitingMax: Number.POSITIVE_INFINITY })

  return {
    ask: async (asker, work) => (await asked.take(asker, work)) ?? tooManyAtOnce,
    async repeat(address, work) {
      const result = await repeats.take({ address, isGone: () => false }, work)
      assert(result !== null, 'a repeat waits for as long as it takes')
      return result
    },
  }
}

const tooManyAtOnce: Refusal = refuse(
  'payments_not_live',
  'too many paid answers are being made; nothing was charged. Wait and repeat the request with the same PAYMENT-SIGNATURE',
  2,
)
