/**
 * The exit rules of bursts: when a simulated trade that began at a burst is sold. Each parameter of an exit
 * rule adds one exit. Without parameters, a rule has only the stop.
 */

import { z } from 'zod'
import { durationWithin, realWithin } from './rule-values.ts'
import { hourMs } from './units.ts'

/**
 * Returns the schema of an exit rule. `fade` is the schema field for the exit after a loss of net inflow, an
 * amount in the coin of the chain. A rule has at most one exit at a price and at most one exit by time.
 */
export const exitsOf = <Fade extends z.ZodRawShape>(fade: Fade) =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .describe('unique; answers show a keyed hash of it'),
    ...fade,
    gainRatio: realWithin([1, 1000], 'left at or above this ratio of the signal price').optional(),
    trailRatio: realWithin([0, 1], 'left at or below this ratio of the highest price').optional(),
    stallMs: durationWithin([1000, hourMs], 'left once this long has passed without a new high').optional(),
    afterMs: durationWithin([1000, hourMs], 'left this long after the signal').optional(),
  })

type Exit = Readonly<Record<string, unknown>>

/**
 * Returns the reason why the exits are invalid, or null. Names must be unique. A rule must not have several
 * exits at a price, or several exits by time.
 */
export function refuseExits(exits: readonly Exit[]): string | null {
  const names = exits.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `two exits have the name ${twice}`
  for (const { name, stallMs, afterMs, ...atPrice } of exits) {
    if (stallMs !== undefined && afterMs !== undefined)
      return `the exit ${name} has two time limits, stallMs and afterMs. Keep one of them`
    const ways = Object.entries(atPrice).flatMap(([way, limit]) => (limit === undefined ? [] : [way]))
    if (ways.length > 1)
      return `the exit ${name} has ${ways.length} price limits, ${ways.join(' and ')}. Keep one of them`
  }
  return null
}
