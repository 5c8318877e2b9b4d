/** The mutants of files: each is one small change, and a key by which lists name it. */
import { createHash } from 'node:crypto'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { noiseIn } from './mutators.ts'

export type Mutant = Readonly<{
  /** The number by which the instrumented file knows it. */
  number: string
  /** Stable while the line, the change and the number of the same ones before it in the file stay as they are. */
  id: string
  file: string
  line: number
  original: string
  replacement: string
}>

export type Instrumented = Readonly<{ mutants: readonly Mutant[]; texts: ReadonlyMap<string, string> }>

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

/** One text per file holds all of its mutants, switched off; a global number switches one on. */
export async function instrument(sources: ReadonlyMap<string, string>): Promise<Instrumented> {
  const mutants: Mutant[] = []
  const texts = new Map<string, string>()
  for (const [file, content] of sources) {
    const options = { plugins: null, excludedMutations: [], ignorers: [{ shouldIgnore: noiseIn(file) }] }
    const result = await new Instrumenter(logger).instrument([{ name: file, mutate: true, content }], options as never)
    const [text] = result.files
    const seen = new Map<string, number>()
    const numbers = new Map<string, string>()
    for (const { id, location, replacement, status } of result.mutants) {
      if (status === 'Ignored') continue
      const { start, end } = location
      const lines = content.split('\n')
      const original = textBetween(lines, start, end)
      const change = [file, lines[start.line]?.trim(), original, replacement].join('\n')
      const nth = seen.get(change) ?? 0
      seen.set(change, nth + 1)
      const number = String(mutants.length)
      numbers.set(id, number)
      mutants.push({
        number,
        id: createHash('sha256').update(`${change}\n${nth}`).digest('hex').slice(0, 8),
        file,
        line: start.line + 1,
        original: onOneLine(original),
        replacement: onOneLine(replacement),
      })
    }
    texts.set(file, numbered(text?.content ?? content, numbers))
  }
  return { mutants, texts }
}

type Position = Readonly<{ line: number; column: number }>

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  const part = lines.slice(start.line, end.line + 1)
  const last = part.length - 1
  return part
    .map((line, at) => line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined))
    .join('\n')
}

const onOneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}

/** The instrumenter counts in each file from 0; here all files are counted through. */
const numbered = (text: string, numbers: ReadonlyMap<string, string>): string =>
  text.replace(/stry(?:MutAct|Cov)_9fa48\(([^()]*)\)/g, (call) =>
    call.replace(/"(\d+)"/g, (_, id) => JSON.stringify(numbers.get(id) ?? id)),
  )
