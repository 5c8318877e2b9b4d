/**
 * With this order of steps, a span has the same bytes, even if processes die in between:
 *
 *   step 1                        step 2
 *   chats   mentions   chains     chats   mentions   chains
 *   posts → facts of → blocks   → posts → …
 *           tokens
 */
import { setTimeout as sleep } from 'node:timers/promises'

export type Pace = Readonly<{
  /**
   * A source calls this when all its records are processed. `atMs` is the end of its next range. Resolves
   * when the source may begin that range.
   */
  arrive(name: string, atMs: number, signal: AbortSignal): Promise<void>
  /** The source has no more ranges. */
  leave(name: string): void
  /**
   * Resolves when the mentions in the posts of the next step may be read. The result is the end of this step.
   * Null: there are no more steps, or the signal aborted.
   */
  nextMentions(signal: AbortSignal): Promise<number | null>
  /** Reports that the mentions of the step are in the log. */
  mentioned(): void
}>

export type PaceOptions = Readonly<{
  fromMs: number
  toMs: number
  stepMs: number
  chats: string
  chains: readonly string[]
  /** The newest block of any chain in the log. Null: there is none. A step with blocks already has its mentions. */
  newestAtMs: number | null
}>

export function createPace({ fromMs, toMs, stepMs, chats, chains, newestAtMs }: PaceOptions): Pace {
  const stepOf = (atMs: number) => Math.floor((atMs - fromMs) / stepMs) + 1
  const nextSteps = new Map<string, number>()
  let mentionedSteps = newestAtMs === null ? 0 : stepOf(newestAtMs)
  const nextOf = (name: string) => nextSteps.get(name) ?? 0
  const haveArrived = (step: number) => chains.every((chain) => nextOf(chain) >= step)
  return {
    async arrive(name, atMs, signal) {
      const step = stepOf(atMs)
      nextSteps.set(name, step)
      await until(() => (name === chats ? haveArrived(step) : mentionedSteps >= step), signal)
    },
    leave(name) {
      nextSteps.set(name, Number.POSITIVE_INFINITY)
    },
    async nextMentions(signal) {
      const step = mentionedSteps + 1
      if (step > stepOf(toMs - 1)) return null
      await until(() => nextOf(chats) > step && haveArrived(step), signal)
      return signal.aborted ? null : fromMs + step * stepMs
    },
    mentioned() {
      mentionedSteps++
    },
  }
}

async function until(isMet: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !isMet()) await sleep(2)
}
