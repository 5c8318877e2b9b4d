import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isKept } from './kept-by-packages.ts'
import { children, descriptors } from './linux.ts'

/** The names of everything that a process holds open, each with its count. */
export type Open = ReadonlyMap<string, number>

/**
 * Counts everything that is open. Descriptors and child processes are counted even if they do not keep the
 * process alive.
 */
export const openNow = (): Open =>
  countsOf([
    ...process.getActiveResourcesInfo().map((kind) => `resource ${kind}`),
    ...descriptors().map((target) => `descriptor of ${target}`),
    ...children().map((command) => `child ${command}`),
    ...listeners(),
    ...readdirSync(tmpdir()).map((name) => `temporary file ${name}`),
  ])

/** Returns the names of what is open in `after` but was not open in `before`. */
export const leftOpen = (before: Open, after: Open): readonly string[] =>
  [...after].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0)
    if (more <= 0 || isKept(name, count)) return []
    return [more === 1 ? name : `${name} (${more} times)`]
  })

const countsOf = (names: readonly string[]): Open =>
  names.reduce((counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1), new Map<string, number>())

const listeners = (): readonly string[] =>
  process.eventNames().flatMap((event) =>
    // The type of `rawListeners` knows only the events of Node, so `event` needs a cast.
    process.rawListeners(event as 'exit').map((listener) => `listener of ${String(event)}: ${shown(listener)}`),
  )

const shown = (listener: unknown): string => String(listener).replace(/\s+/g, ' ').slice(0, 100)
