/** Finds single code changes in the SQL of queries, which is put together from several strings. */
import { parseSync, Visitor } from 'oxc-parser'
import type { Change } from './changes.ts'

const isQuery = (file: string): boolean => file.startsWith('projections/')

const isSql = (text: string): boolean =>
  /\b(SELECT|FROM|WHERE|AND|OR|JOIN|GROUP BY|ORDER BY|LIMIT|HAVING|DESC)\b| (=|!=|>=?|<=?) |\b\w+(If|Exact|Null)\(/.test(
    text,
  )

const pairs: readonly (readonly [string, string])[] = [
  ['>=', '>'],
  ['<=', '<'],
  ['=', '!='],
  ['AND', 'OR'],
  ['ASC', 'DESC'],
  ['min', 'max'],
  ['minIf', 'maxIf'],
  ['argMin', 'argMax'],
  ['+', '-'],
  ['*', '/'],
  ['INNER JOIN', 'LEFT JOIN'],
]

const replacements = new Map([...pairs, ...pairs.map(([one, other]) => [other, one] as const), ['uniqExact', 'count']])

/**
 * Matches what can be changed: a function name, a keyword, an operator between spaces, or a number that is
 * not part of a name.
 */
const token =
  /\b(?:min|max|minIf|maxIf|argMin|argMax|uniqExact)(?=\()|\b(?:AND|OR|ASC|DESC|INNER JOIN|LEFT JOIN)\b|(?<= )(?<!SELECT )(?:>=|<=|!=|[=<>+*/-])(?= )|(?<![\w.'])\d+(?![\w.'])/g

function replace(found: string): string {
  return /^\d/.test(found) ? String(BigInt(found) + 1n) : (replacements.get(found) ?? found)
}

/** In the order of the text. */
export function sqlChangesOf(file: string, text: string): readonly Change[] {
  if (!isQuery(file)) return []
  const changes: Change[] = []
  const add = (start: number, end: number): void => {
    const sql = text.slice(start, end)
    if (!isSql(sql)) return
    for (const { 0: original, index } of sql.matchAll(token)) {
      const at = start + index
      const line = text.slice(0, at).split('\n').length
      changes.push({ file, line, start: at, end: at + original.length, original, replacement: replace(original) })
    }
  }
  new Visitor({
    TemplateElement: ({ start, end }) => add(start, end),
    Literal: ({ start, end, value }) => {
      if (typeof value === 'string') add(start, end)
    },
  }).visit(parseSync(file, text).program)
  return changes.toSorted((left, right) => left.start - right.start)
}
