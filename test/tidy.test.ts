import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Checks style rules that no linter here can check. Every source file in git is checked. */

const files = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.sql'], { encoding: 'utf8' }).trim().split('\n')
const sources = files.filter((file) => !file.startsWith('test/'))
const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const linesWith = (list: readonly string[], pattern: RegExp): string[] =>
  list.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )

/**
 * Returns true for a file with rules. These are all files in `processors/`, except the runtime and the main
 * program.
 */
const isRule = (file: string) =>
  file.startsWith('processors/') && !file.startsWith('processors/runtime/') && file !== 'processors/main.ts'

/** The files that combine signals for as long as a program, a part of it or a connection runs. */
const onceInALife = [
  'api/stream/feed.ts',
  'infra/command-line/listing/check-listing.ts',
  'infra/command-line/run-alone.ts',
  'infra/command-line/signing/read-keys.ts',
  'infra/command-line/up.ts',
  'infra/log/follow.ts',
  'infra/log/kafka/share-partitions.ts',
  'ingest/chain-a/follow/rpc-source.ts',
  'ingest/chain-b/follow/rpc-source.ts',
  'ingest/chain-b/follow/subscription.ts',
  'ingest/chain-b/repair/with-repairs.ts',
  'ingest/lookups/lookups.ts',
  'ingest/main.ts',
  'ingest/run-ingest.ts',
  'processors/main.ts',
  'processors/runtime/run-partitions.ts',
  'processors/runtime/run-stage.ts',
  'projections/sink/run.ts',
]

describe('the tree', () => {
  it('throws OperationError for the world and asserts our own bugs, never a bare Error', () => {
    expect(linesWith(sources, /throw new Error\(|throw ['"`]/)).to.deep.equal([])
  })

  it('has no clock and no chance in a rule', () => {
    expect(
      linesWith(sources.filter(isRule), /Math\.random|Date\.now|new Date|performance\.now|process\.env/),
    ).to.deep.equal([])
  })

  it('raises nothing in a rule but to a whole number: versions of Node round other powers differently', () => {
    const rules = sources.filter((file) => isRule(file) || file.startsWith('schemas/'))
    expect(linesWith(rules, /Math\.pow|[\w)\]] \*\* (?!\d+n?(?![\d.]))/)).to.deep.equal([])
  })

  it('combines signals with `limited` where work is done often: Node 20 keeps what `AbortSignal.any` returns', () => {
    const found = linesWith(sources, /AbortSignal\.any\(/).map((line) => line.replace(/:\d+ .*/, ''))
    expect([...new Set(found)]).to.deep.equal(onceInALife)
  })

  it('runs every test once, whatever folder it is in', () => {
    const { mocha } = JSON.parse(read('package.json')) as Readonly<{ mocha: Settings }>
    const unit = countIn(mocha)
    const integration = countIn(JSON.parse(read('.mocharc.integration.json')) as Settings)
    const tests = files.filter((file) => file.endsWith('.test.ts'))
    const [ofUnits, ofPrograms] = [tests.filter((file) => !isOfPrograms(file)), tests.filter(isOfPrograms)]
    expect(ofUnits.filter((file) => unit(file) !== 1)).to.deep.equal([])
    expect(ofPrograms.filter((file) => integration(file) !== 1)).to.deep.equal([])
    expect(ofUnits.length).to.be.greaterThan(500)
    expect(ofPrograms.length).to.be.greaterThan(50)
    // These folders do not exist yet.
    for (const folder of ['test', 'test/new', 'test/new/deep', 'test/replay/new'])
      expect(unit(`${folder}/some.test.ts`), folder).to.equal(1)
    for (const folder of ['test/new/deep', 'test/proofs/new'])
      expect(integration(`${folder}/some.int.test.ts`), folder).to.equal(1)
  })

  it('reads the environment in one place', () => {
    const readers = sources.filter((file) => !file.startsWith('infra/command-line/') && file !== 'infra/config.ts')
    expect(linesWith(readers, /process\.env/)).to.deep.equal([])
  })

  it('keeps files short enough to be seen', () => {
    expect(sources.filter((file) => read(file).split('\n').length > 300)).to.deep.equal([])
  })

  it('has no barrels, no bags and no marks left over', () => {
    expect(files.filter((file) => /(^|\/)(index|utils?|helpers?|common)\.ts$/.test(file))).to.deep.equal([])
    const marks = new RegExp(
      ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', '@ts-' + 'ignore', '\\.only\\(', '\\.skip\\('].join('|'),
    )
    expect(linesWith(files, marks)).to.deep.equal([])
  })
})

type Settings = Readonly<{ spec: readonly string[] }>

const isOfPrograms = (file: string): boolean => file.endsWith('.int.test.ts')

/** Returns a function that counts how often Mocha runs a file by its settings. */
function countIn({ spec }: Settings): (file: string) => number {
  const patterns = spec.map((pattern) => {
    const text = pattern
      .replaceAll('.', '\\.')
      .replace(/!\(([^)]*)\)/g, '(?!(?:$1)/)[^/@]+')
      .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
      .replaceAll('**/', '(?:.@/)?')
      .replace(/(?<![@.\])])\*/g, '[^/]*')
      .replaceAll('.@/', '.*/')
      .replaceAll('[^/@]', '[^/]')
    return new RegExp(`^${text}$`)
  })
  return (file) => patterns.filter((pattern) => pattern.test(file)).length
}
