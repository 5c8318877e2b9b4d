/** The code around a mutation. `port.ts` uses it to find the same mutation in another checkout. */
import { parseSync } from 'oxc-parser'
import type { Change } from './changes.ts'

/**
 * `lineText` is the line on which the mutation starts. `around` is the top-level statement that contains the
 * mutation.
 */
export type Surroundings = Readonly<{ lineText: string; around: string; offsetInAround: number }>

export type Statement = Readonly<{ start: number; end: number }>

export const statementsOf = (file: string, text: string): readonly Statement[] =>
  parseSync(file, text).program.body.map(({ start, end }) => ({ start, end }))

export function surroundingsOf({ start, line }: Change, text: string, statements: readonly Statement[]): Surroundings {
  const statement = statements.find((each) => each.start <= start && start < each.end) ?? { start: 0, end: text.length }
  return {
    lineText: text.split('\n')[line - 1]?.trim() ?? '',
    around: text.slice(statement.start, statement.end),
    offsetInAround: start - statement.start,
  }
}
