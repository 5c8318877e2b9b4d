/**
 * Reads and writes the file of results. The file is written again after each trial, so that a run can be
 * stopped and continued.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Change } from './changes.ts'
import type { Surroundings } from './surroundings.ts'
import type { Verdict } from './try-change.ts'

/**
 * A change of the code, with what the tests said about it. `portedFrom` is the place of the change in another
 * checkout.
 */
export type Result = Change & Surroundings & Verdict & Readonly<{ portedFrom?: Ported }>

type Ported = Readonly<{ file: string; line: number; killedBy: string | null; similarity: number }>

/** A change of the other checkout that does not exist here, because its code is not here. */
export type Gone = Readonly<{ gone: Result }>

export type Entry = Result | Gone

export const isGone = (entry: Entry): entry is Gone => 'gone' in entry

export const untried = { triedCount: 0, killedBy: null, leftOut: [] } as const

export const readResults = (path: string): readonly Entry[] | null =>
  existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null

export function writeResults(path: string, entries: readonly Entry[]): void {
  writeFileSync(`${path}.part`, `${JSON.stringify(entries, null, 2)}\n`)
  renameSync(`${path}.part`, path)
}

const onOneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 67)}...` : line
}

const describeChange = ({ file, line, original, replacement }: Change): string =>
  `${file}:${line}  ${onOneLine(original)} -> ${onOneLine(replacement)}`

/** Names the original place of a ported change if its similarity is below 1. */
const describeOrigin = ({ portedFrom }: Result): string =>
  portedFrom && portedFrom.similarity < 1
    ? `  from ${portedFrom.file}:${portedFrom.line}, alike to ${(100 * portedFrom.similarity).toFixed(0)} %`
    : ''

export function describeEntry(entry: Entry): string {
  if (isGone(entry)) return `gone      ${describeChange(entry.gone)}`
  const { killedBy, triedCount, leftOut } = entry
  if (killedBy !== null) return `killed    ${describeChange(entry)}  by ${killedBy}${describeOrigin(entry)}`
  const left = leftOut.length > 0 ? `, without ${leftOut.join(', ')}` : ''
  return `survived  ${describeChange(entry)}  ${triedCount} tests${left}${describeOrigin(entry)}`
}

/** True if a test killed the change in the other checkout and no test kills it here. */
export const isLost = (entry: Entry): boolean =>
  !isGone(entry) && entry.killedBy === null && (entry.portedFrom?.killedBy ?? null) !== null

export function summarize(entries: readonly Entry[]): string {
  const killed = entries.filter((entry) => !isGone(entry) && entry.killedBy !== null).length
  const gone = entries.filter(isGone).length
  const survived = entries.length - killed - gone
  const lost = entries.filter(isLost).length
  return `${entries.length} changes: ${killed} killed, ${survived} survived${gone > 0 ? `, code gone of ${gone}` : ''}${lost > 0 ? `, ${lost} killed in the other checkout only` : ''}`
}
