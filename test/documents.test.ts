import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect } from 'chai'
import { variableNames } from '../infra/config.ts'
import packageFile from '../package.json' with { type: 'json' }
import { filesNotYet } from './tidy/not-yet.ts'

/** The files, commands and variables that documents name must exist. */

const listed = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter(existsSync)

const documents = listed('*.md')
const files = listed()
const read = (path: string): string => readFileSync(path, 'utf8')
const textOf = new Map(documents.map((path) => [path, read(path)]))

type Named = Readonly<{ document: string; name: string }>

/** The names in each document. The first group of `pattern` is the name. */
const namedBy = (pattern: RegExp): readonly Named[] =>
  [...textOf].flatMap(([document, text]) => [...text.matchAll(pattern)].map(([, name = '']) => ({ document, name })))

const wrong = (named: readonly Named[], isRight: (one: Named) => boolean): readonly string[] =>
  named.filter((one) => !isRight(one)).map(({ document, name }) => `${document}: ${name}`)

/** `<…>` and `*` match any name. */
function isThere(path: string): boolean {
  const source = path
    .replace(/\/$/, '')
    .replace(/[.+?()[\]{}^$|\\]/g, '\\$&')
    .replace(/<[^>]+>|\*/g, '[^/]+')
  const pattern = new RegExp(`^${source}(/|$)`)
  return files.some((file) => pattern.test(file))
}

const isThereSoon = (path: string): boolean => isThere(path) || filesNotYet.includes(path)

describe('documents', () => {
  it('link to files that exist', () => {
    const links = namedBy(/\]\((?!https?:)([^)#]+)/g)
    expect(links).to.have.length.above(30)
    const targetOf = ({ document, name }: Named) => posix.join(posix.dirname(document), name)
    expect(wrong(links, (link) => isThereSoon(targetOf(link)))).to.deep.equal([])
  })

  it('name paths that exist', () => {
    const paths = namedBy(/`((?:schemas|infra|ingest|processors|projections|api|test|\.ci)\/[^\s`:]*)`/g)
    expect(paths).to.have.length.above(30)
    expect(wrong(paths, ({ name }) => isThereSoon(name))).to.deep.equal([])
  })

  it('need every exception that is listed', () => {
    expect(filesNotYet.filter(isThere)).to.deep.equal([])
  })

  it('name npm scripts that exist', () => {
    const scripts = namedBy(/npm run ([\w:-]+)/g)
    expect(scripts).to.have.length.above(10)
    expect(wrong(scripts, ({ name }) => name in packageFile.scripts)).to.deep.equal([])
  })

  it('name commands of launch-data that exist', () => {
    const commandLine = files
      .filter((path) => path.startsWith('infra/command-line/'))
      .map(read)
      .join()
    const commands = namedBy(/launch-data ([a-z][a-z-]*)\b/g)
    expect(commands).to.have.length.above(5)
    const isCommand = ({ name }: Named) => new RegExp(`['"]${name}['"]`).test(commandLine)
    expect(wrong(commands, isCommand)).to.deep.equal([])
  })

  it('name variables that are read', () => {
    const elsewhere = listed('*.ts', '*.js').flatMap((file) => read(file).match(/process\.env\.\w+/g) ?? [])
    // Native code reads the variables that `npm start` sets.
    const native = packageFile.scripts.start.match(/\b[A-Z_]+(?==)/g) ?? []
    const known = new Set([...variableNames, ...native, ...elsewhere.map((text) => text.slice('process.env.'.length))])
    const variables = namedBy(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)
    expect(variables).to.have.length.above(40)
    expect(wrong(variables, ({ name }) => known.has(name) || name === 'BACKWARD_TRANSITIVE')).to.deep.equal([])
  })

  it('name no registry of packages, no place on a machine and no number of an issue', () => {
    const machine =
      /(registry\.[\w.-]+|npmjs\.\w+|\/(?:work|tmp|home|root|Users)\/\S*|\bissues? #?\d+|(?<![\w&])#\d+\b(?!\]\(https:))/g
    expect(wrong(namedBy(machine), () => false)).to.deep.equal([])
  })

  it('are listed: each decision in its list, each guide in the README', () => {
    const unlisted = (folder: string, list: string) =>
      documents
        .filter((path) => path.startsWith(`${folder}/`) && path !== list)
        .filter((path) => !textOf.get(list)?.includes(posix.relative(posix.dirname(list), path)))
    const guides = unlisted('infra/docs', 'README.md')
    expect(guides.filter((path) => posix.dirname(path) === 'infra/docs')).to.deep.equal([])
    expect(unlisted('infra/docs/decisions', 'infra/docs/decisions/README.md')).to.deep.equal([])
  })

  it('say of each decision its context, its choice and its cost', () => {
    const decisions = documents.filter((path) => /^infra\/docs\/decisions\/(?!README)/.test(path))
    const parts = ['Context', 'Choice', 'Cost']
    const isWhole = (path: string) => parts.every((part) => textOf.get(path)?.includes(`\n## ${part}\n`))
    expect(decisions.filter((path) => !isWhole(path))).to.deep.equal([])
  })
})

describe('the README', () => {
  it('has at most 900 words', () => {
    expect(textOf.get('README.md')?.split(/\s+/).length).to.be.at.most(900)
  })

  it('begins with the commands of a newcomer', () => {
    const commands = [...(textOf.get('README.md') ?? '').matchAll(/^ {4}(npm .*)$/gm)].map(([, command]) => command)
    expect(commands.slice(0, 2)).to.deep.equal(['npm ci && npm start', 'npm ci && npm test'])
  })
})
