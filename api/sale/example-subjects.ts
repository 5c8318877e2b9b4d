/**
 * Finds a subject (a token, pool or wallet) that the service tracks now, for each route that has one in its path.
 * Catalogues copy the URLs that the service prints, and request them without a payment.
 */
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import { type Route, stageCutOf, stagesOf } from '../route.ts'
import type { Answers } from './answers.ts'

/** The values of the parameters in the path of a route. */
export type PathValues = Readonly<Record<string, string>>

export type ExampleSubjects = Readonly<{
  /**
   * Returns values with which a request to the route gets a quote, or null if the service tracks nothing yet.
   * Looks for a subject at most once a minute for all clients.
   */
  find(route: Route): Promise<PathValues | null>
  /** Returns the values that `find` returned last, or null. Reads memory only. */
  lastFound(route: Route): PathValues | null
}>

type Dependencies = Readonly<{ answers: Pick<Answers, 'newestCut'>; nowMs: () => EpochMs }>
type Look = Readonly<{ atMs: EpochMs; done: Promise<void> }>

/** The minimum time between two looks for the subject of a route, in ms. */
const lookEveryMs = minuteMs
/** The same while the service tracks nothing, because the first data may arrive soon. */
const lookAgainMs = 5_000

export function createExampleSubjects({ answers, nowMs }: Dependencies): ExampleSubjects {
  const found = new Map<Route, PathValues | null>()
  const looks = new Map<Route, Look>()

  const look = async (route: Route): Promise<void> => {
    if (!route.subject) return
    const { param, stage, tracked } = route.subject
    // The rows of the subject may come from other stages too. If such a stage has not been projected up to the cut, the
    // tracker would never look for the rows that are still missing.
    const cut = await answers.newestCut(stagesOf(route))
    const subject = cut && (await tracked.example(stageCutOf(cut, stage)))
    found.set(route, subject === null ? null : { [param]: subject })
  }
  const isDue = (route: Route, atMs: EpochMs): boolean => {
    const known = looks.get(route)
    if (known === undefined) return true
    return Math.abs(atMs - known.atMs) >= (found.get(route) ? lookEveryMs : lookAgainMs)
  }
  const lastFound = (route: Route): PathValues | null => (route.subject ? (found.get(route) ?? null) : {})
  return {
    lastFound,
    async find(route) {
      const atMs = nowMs()
      // A failure of the tables must not make the catalogue fail, so the last subject stays.
      if (isDue(route, atMs)) looks.set(route, { atMs, done: look(route).catch(() => {}) })
      await looks.get(route)?.done
      return lastFound(route)
    },
  }
}

/** Returns the path of a route with these values, such as `/v1/rh/pools/0x12…/flow`. */
export const pathWith = ({ pattern }: Pick<Route, 'pattern'>, values: PathValues): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => values[name] ?? `{${name}}`)
