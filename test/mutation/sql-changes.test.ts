import { expect } from 'chai'
import { sqlChangesOf } from './sql-changes.ts'

const changesIn = (code: string, file = 'projections/queries.ts'): readonly string[] =>
  sqlChangesOf(file, code).map(({ line, original, replacement }) => `${line}: ${original} -> ${replacement}`)

describe('changes of SQL', () => {
  it('are made in the texts of queries, at their lines', () =>
    expect(
      changesIn(
        `const sql = \`SELECT max(p)\n FROM \${table} WHERE a >= 10 AND b = \${b + 1}\n ORDER BY p DESC LIMIT 5\``,
      ),
    ).to.deep.equal([
      '1: max -> min',
      '2: >= -> >',
      '2: 10 -> 11',
      '2: AND -> OR',
      '2: = -> !=',
      '3: DESC -> ASC',
      '3: 5 -> 6',
    ]))

  it('leave names, all columns and other texts alone', () =>
    expect(changesIn("f(`SELECT * FROM t1 AS max`, 'max 5', { at: 'a > b' })")).to.deep.equal(['1: > -> >=']))

  it('are made in projections alone', () => expect(changesIn('`SELECT 1`', 'api/page.ts')).to.deep.equal([]))

  it('are at the offsets of what they replace', () => {
    const code = "const on = 'a.x = b.x OR a.y < 3'"
    for (const { start, end, original } of sqlChangesOf('projections/on.ts', code))
      expect(code.slice(start, end)).to.equal(original)
  })
})
