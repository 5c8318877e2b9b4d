/** A node of the second chain whose events the test sets. It has a slot every 400 ms, up to the time of the clock. */
import { createHash } from 'node:crypto'
import type { Block } from '../../schemas/stage.ts'
import type { Hex } from '../../schemas/units.ts'
import type { SlotEvent, SlotNode } from './chain/ingest.ts'

export type Happening = SlotEvent & Readonly<{ atMs: number }>

export type ScriptedNode = SlotNode &
  Readonly<{
    newest(): Block
    happen(happenings: readonly Happening[]): void
    /** Replaces the events from `atMs` on by `happenings`. The slots from `atMs` on get other hashes. */
    leaveBranch(atMs: number, happenings: readonly Happening[]): void
    /**
     * Stops the chain if `isStill` is true: the node adds no more slots. With false, the node again has all
     * slots up to the time of the clock.
     */
    stand(isStill: boolean): void
  }>

const slotMs = 400

export const slotAt = (atMs: number): number => Math.floor(atMs / slotMs)

export function createScriptedNode(clock: Readonly<{ atMs: number }>): ScriptedNode {
  const forks: number[] = []
  let happened: readonly Happening[] = []
  let stillAtMs: number | null = null

  const newestNumber = () => slotAt(stillAtMs ?? clock.atMs)
  const hashAt = (number: number): Hex => {
    const branch = forks.filter((fork) => fork <= number).length
    return `0x${createHash('sha256').update(`${branch} ${number}`).digest('hex')}`
  }
  const slotOf = (number: number) => ({
    ...{ number, hash: hashAt(number), atMs: number * slotMs },
    events: happened.flatMap(({ atMs, ...event }) => (slotAt(atMs) === number ? [event] : [])),
  })
  return {
    newest: () => slotOf(newestNumber()),
    happen(happenings) {
      happened = [...happened, ...happenings]
    },
    leaveBranch(atMs, happenings) {
      forks.push(slotAt(atMs))
      happened = [...happened.filter((one) => one.atMs < atMs), ...happenings]
    },
    stand(isStill) {
      stillAtMs = isStill ? clock.atMs : null
    },
    async slotsAfter(number) {
      const numbers = new Set([...happened.map(({ atMs }) => slotAt(atMs)), newestNumber()])
      const after = [...numbers].filter((one) => one > number && one <= newestNumber())
      return after.sort((left, right) => left - right).map(slotOf)
    },
    hashOf: async (number) => (number <= newestNumber() ? hashAt(number) : null),
  }
}
