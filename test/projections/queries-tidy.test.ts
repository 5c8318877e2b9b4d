import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { watermarkTable } from '../../projections/watermarks.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tables = [...tablesOf(projections).map(({ name }) => name), watermarkTable].join('|')

/** A table read by its name, in whatever database and case, and the engine's clock and chance. */
const tableRead = new RegExp(`\\b(from|join|into|table|update)\\s+(\\w+\\.)?[\`"]?(${tables})\\b`, 'i')
const clockOrChance = /(?<![.\w])(now|now64|nowInBlock|today|yesterday|rand|rand64|generateUUIDv4)\(\)/i
/** A name that is put in: only `atCut` and its like may stand there. */
const namePutIn =
  /\b(FROM|JOIN)\s+\$\{(?!atCut\(|firstTick\(|lastTickAt\(|completeness\(|editionAt\(|editionsOf\(|reachAt\(|passedAt\(|sql\}|source\}|asked\}|remembered\})/
/** The modules that hand out tables by name. A definition is imported too, but for its columns. */
const namesImported = /from '[./]*(projections\/)?(projection|projections|watermarks)\.ts'/
const definitionImport = /import \{([^}]*)\} from '[^']*\/(?:tables\/[\w-]+|ticks)\.ts'/g

/** What a module of definitions gave: its name must not be taken out of it. */
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

/** All but the one that names tables for the others. */
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
