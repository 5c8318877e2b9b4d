/**
 * The answers of ticks that a reorg reverted. Answers belong to no block, so they stay valid. The walk gives them at the
 * same block of the new branch. If all of them came with the tick of the reorg, an answer could come before its question,
 * or after a timer that waits for it.
 *
 *   log         a11 · question · tick 11 · answer · tick 12 · b11 b12 b13 · tick 13, revertedFrom 11
 *   new branch  b11 · question · b12 · answer · b13 · tick 13
 */
import type { Tick } from '../../schemas/tick.ts'
import type { BlockNumber } from '../../schemas/units.ts'

export type TokenAnswer<Answer> = Readonly<{ token: string; answer: Answer }>

type Step<Answer> = Readonly<{ tick: Tick; answers: readonly TokenAnswer<Answer>[] }>

export class RevertedAnswers<Answer> {
  readonly #steps: Step<Answer>[] = []

  add(step: Step<Answer>): void {
    if (step.answers.length > 0) this.#steps.push(step)
  }

  /** Removes and returns the oldest step, if its tick closed an earlier block. */
  takeBefore(blockNumber: BlockNumber): Step<Answer> | null {
    const oldest = this.#steps[0]
    if (oldest === undefined || oldest.tick.blockNumber >= blockNumber) return null
    this.#steps.shift()
    return oldest
  }
}
