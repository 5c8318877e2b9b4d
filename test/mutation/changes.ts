/**
 * Finds the single mutations that can be made in the text of a file. A mutation is a small change that tests
 * should notice.
 */
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { parseSync } from 'oxc-parser'
import { noiseIn } from './mutators.ts'
import { sqlChangesOf } from './sql-changes.ts'

export type Change = Readonly<{
  file: string
  /** The place of `original`: its line, counted from 1, and its offsets in the text of the file. */
  line: number
  start: number
  end: number
  original: string
  replacement: string
}>

const silent = () => undefined
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: console.warn,
  error: console.error,
  fatal: console.error,
}

/** In the order of the text. */
export async function changesOf(file: string, text: string): Promise<readonly Change[]> {
  const options = { plugins: null, excludedMutations: [], ignorers: [{ shouldIgnore: noiseIn(file) }] }
  const instrumenter = new Instrumenter(logger)
  const { mutants } = await instrumenter.instrument([{ name: file, mutate: true, content: text }], options as never)
  const lineStarts = [0]
  for (const { index } of text.matchAll(/\n/g)) lineStarts.push(index + 1)
  const offsetOf = ({ line, column }: Readonly<{ line: number; column: number }>): number =>
    (lineStarts[line] ?? 0) + column
  const inCode = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ location, replacement }) => {
      const [start, end] = [offsetOf(location.start), offsetOf(location.end)]
      return { file, line: location.start.line + 1, start, end, original: text.slice(start, end), replacement }
    })
  return [...inCode, ...sqlChangesOf(file, text)].toSorted((left, right) => left.start - right.start)
}

/**
 * Returns the changed text. Returns null if the file has another text at this place, or if the changed text
 * would not parse.
 */
export function makeChange(text: string, { file, start, end, original, replacement }: Change): string | null {
  if (text.slice(start, end) !== original) return null
  const changed = `${text.slice(0, start)}${replacement}${text.slice(end)}`
  return parseSync(file, changed).errors.length === 0 ? changed : null
}
