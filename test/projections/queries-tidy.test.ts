import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { versionTableNames, watermarkTable } from '../../projections/tables.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tables = [...versionTableNames, watermarkTable].join('|')

/** A table read by its name, in whatever database and case, and the engine's clock and chance. */
const tableRead = new RegExp(`\\b(from|join|into|table|update)\\s+(\\w+\\.)?[\`"]?(${tables})\\b`, 'i')
const clockOrChance = /(?<![.\w])(now|now64|nowInBlock|today|yesterday|rand|rand64|generateUUIDv4)\(\)/i
/** A name that is put in: only `atCut` and its like may stand there. */
const namePutIn = /\b(FROM|JOIN)\s+\$\{(?!atCut\(|lastTickAt\(|completeness\(|sql\}|source\}|asked\}|remembered\})/
const tableNames = /from '[./]*tables\.ts'/

const faultsIn = (text: string, isQuery: boolean): readonly string[] => [
  ...(tableRead.test(text) ? ['reads a table by its name'] : []),
  ...(clockOrChance.test(text) ? ["asks the engine's clock or chance"] : []),
  ...(isQuery && (namePutIn.test(text) || tableNames.test(text)) ? ['puts a table in by a variable'] : []),
]

describe('queries', () => {
  it('read every table through the cut, and never the clock', async () => {
    const found: string[] = []
    for (const folder of ['projections', 'api'])
      for (const file of await readdir(join(root, folder), { recursive: true })) {
        const path = `${folder}/${file}`
        if (!file.endsWith('.ts') || path === 'projections/at-cut.ts') continue
        const isQuery = folder === 'api' || file.includes('/queries/')
        for (const fault of faultsIn(await readFile(join(root, path), 'utf8'), isQuery)) found.push(`${path} ${fault}`)
      }
    expect(found).to.deep.equal([])
  })

  it('are refused where they would', () => {
    const wrong = [
      'SELECT pool FROM pools',
      'SELECT 1 FROM\n  launch_data.bursts AS b',
      'INNER JOIN `burst_buyers` USING pool',
      'SELECT max(seq) FROM watermarks',
      'WHERE at_ms > toUnixTimestamp(now())',
      'SELECT now64() - 1',
      `SELECT * FROM \${table} WHERE 1`,
      "import { versionTableNames } from '../tables.ts'",
    ]
    for (const text of wrong) expect(faultsIn(text, true), text).to.have.length(1)
    expect(faultsIn(`SELECT pool FROM \${atCut('pools', cut.atMs)} AS pools`, true)).to.deep.equal([])
  })
})
