import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { watermarkTable } from '../../projections/watermarks.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tables = [...tablesOf(projections).map(({ name }) => name), watermarkTable].join('|')

/**
 * `tableRead` finds a table that is read by its name, in any database and case. `clockOrChance` finds the
 * clock and the random functions of ClickHouse.
 */
const tableRead = new RegExp(`\\b(from|join|into|table|update)\\s+(\\w+\\.)?[\`"]?(${tables})\\b`, 'i')
const clockOrChance = /(?<![.\w])(now|now64|nowInBlock|today|yesterday|rand|rand64|generateUUIDv4)\(\)/i
/**
 * Finds a name that is interpolated after FROM or JOIN. Allowed are `atCut` and the other functions of this
 * list.
 */
const namePutIn =
  /\b(FROM|JOIN)\s+\$\{(?!atCut\(|fewAtCut\(|fromFewAtCut\(|firstTick\(|editionAt\(|editionsOf\(|reachAt\(|passedAt\(|sql\}|source\}|results\}|remembered\})/
/**
 * `namesImported` finds imports of the modules that export table names. A query may import the definition of
 * a table, but only for the columns.
 */
const namesImported = /from '[./]*(projections\/)?(projection|projections|watermarks)\.ts'/
const definitionImport = /import \{([^}]*)\} from '[^']*\/(?:tables\/[\w-]+|ticks)\.ts'/g

/** True if the text reads the name of a table from the table's definition. */
function takesName(text: string): boolean {
  const definitions = [...text.matchAll(definitionImport)].flatMap(([, names = '']) => names.match(/\w+(?=\s*(,|$))/g))
  if (definitions.length === 0) return false
  const any = `(${definitions.join('|')})`
  return new RegExp(`\\b${any}(\\.name\\b|\\[)|\\}\\s*=\\s*${any}\\b`).test(text)
}

const faultsIn = (text: string, isQuery: boolean): readonly string[] => [
  ...(tableRead.test(text) ? ['reads a table by its name'] : []),
  ...(clockOrChance.test(text) ? ["asks the engine's clock or chance"] : []),
  ...(isQuery && (namePutIn.test(text) || namesImported.test(text) || takesName(text))
    ? ['puts a table in by a variable']
    : []),
]

const isQueryFile = (path: string): boolean =>
  path.startsWith('api/') || path.includes('/queries/') || path === 'projections/cuts.ts'

/**
 * Reads all files of the projections and the API. Leaves out `projections/at-cut.ts`, which gives table names
 * to the other files.
 */
async function sources(): Promise<readonly Readonly<{ path: string; text: string }>[]> {
  const found: { path: string; text: string }[] = []
  for (const folder of ['projections', 'api'])
    for (const file of await readdir(join(root, folder), { recursive: true }))
      if (file.endsWith('.ts'))
        found.push({ path: `${folder}/${file}`, text: await readFile(join(root, folder, file), 'utf8') })
  return found.filter(({ path }) => path !== 'projections/at-cut.ts')
}

describe('queries', () => {
  it('read every table through the cut, and never the clock', async () => {
    const files = await sources()
    const found = files.flatMap(({ path, text }) =>
      faultsIn(text, isQueryFile(path)).map((fault) => `${path} ${fault}`),
    )
    expect(found).to.deep.equal([])
    const queries = files.filter(({ path, text }) => isQueryFile(path) && /\bSELECT\b/.test(text))
    expect(queries.length, 'files with queries').to.be.greaterThan(7)
  })

  it('are refused where they would', () => {
    const imported = "import { bursts, type Burst as B } from '../tables/bursts.ts'\n"
    const wrong = [
      'SELECT pool FROM pools',
      'SELECT 1 FROM\n  launch_data.bursts AS b',
      'INNER JOIN `burst_buyers` USING pool',
      'SELECT max(seq) FROM watermarks',
      'WHERE at_ms > toUnixTimestamp(now())',
      'SELECT now64() - 1',
      `SELECT * FROM \${table} WHERE 1`,
      `SELECT * FROM \${bursts.name} WHERE 1`,
      "import { tablesOf } from '../../projection.ts'",
      "import { projections } from '../projections/projections.ts'",
      "import { watermarkTable } from '../../watermarks.ts'",
      `${imported}const source = bursts.name`,
      `${imported}const source = bursts['name']`,
      `${imported}const { name: source } = bursts`,
      "import { ticks } from './ticks.ts'\nconst source = ticks.name",
    ]
    for (const text of wrong) expect(faultsIn(text, true), text).to.have.length(1)
    const right = `${imported}SELECT \${selectOf(bursts, 'b')} FROM \${atCut(bursts, cut.atMs)} AS bursts`
    expect(faultsIn(right, true)).to.deep.equal([])
  })
})
