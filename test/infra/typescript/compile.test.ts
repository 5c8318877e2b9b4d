/** Tests the compiled files of a checkout, in processes that start as on the command line. */
import { execFile } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const ownScripts = 'infra/typescript'

describe('the TypeScript of a checkout', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'compile-'))
    cpSync(ownScripts, join(root, ownScripts), { recursive: true })
    mkdirSync(join(root, 'node_modules'))
    for (const name of ['esbuild', '@esbuild', 'zod'])
      symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
    write('package.json', '{"type":"module"}')
    write('schemas/word.ts', "export type Word = string\nexport const word: Word = 'first'\n")
    write('schemas/migrations/0001.sql', '-- one')
    write(
      'api/say.ts',
      `import { readdirSync } from 'node:fs'
import { z } from 'zod'
import { type Word, word } from '../schemas/word.ts'

const files: readonly string[] = readdirSync(new URL('../schemas/migrations/', import.meta.url))
const said: Word = z.string().parse(word)
console.log([said, ...files, ...process.argv.slice(2)].join(' '))
`,
    )
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const run = async (path = 'api/say.ts', ...words: readonly string[]): Promise<string> => {
    const argv = [join(root, ownScripts, 'run.js'), join(root, path), ...words]
    return (await promisify(execFile)(process.execPath, argv)).stdout.trim()
  }
  const compiledFiles = (): readonly string[] =>
    readdirSync(join(root, 'node_modules/.cache'), { recursive: true }).map(String)

  it('runs with its packages, its other files and the arguments', async () => {
    expect(await run('api/say.ts', 'a', 'b')).to.equal('first 0001.sql a b')
  })

  it('runs as it is now: with changed, new and without removed files', async () => {
    await run()
    write('schemas/word.ts', "export type Word = string\nexport const word: Word = 'second'\n")
    write('schemas/migrations/0002.sql', '-- two')
    expect(await run()).to.equal('second 0001.sql 0002.sql')
    unlinkSync(join(root, 'schemas/migrations/0001.sql'))
    write('schemas/word.ts', "export { other as word } from './other.ts'\nexport type Word = string\n")
    write('schemas/other.ts', "export const other = 'third'\n")
    expect(await run()).to.equal('third 0002.sql')
    unlinkSync(join(root, 'schemas/other.ts'))
    await run().then(
      () => expect.fail('a removed file was imported'),
      ({ stderr }) => expect(stderr).to.include('ERR_MODULE_NOT_FOUND'),
    )
  })

  it('runs as it is now if another file is removed while the folders are read', async () => {
    write('schemas/vanishing.ts', 'export const gone = true\n')
    const remove = `import { rmSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { stat } = promises
promises.stat = async (path) => {
  const found = await stat(path)
  if (path.endsWith('vanishing.ts')) rmSync(path, { force: true })
  return found
}
syncBuiltinESMExports()
`
    write('remove.mjs', remove)
    expect(await run()).to.equal('first 0001.sql')
    write('schemas/word.ts', "export type Word = string\nexport const word: Word = 'second'\n")
    write('schemas/vanishing.ts', 'export const gone = false\n')
    const argv = ['--import', join(root, 'remove.mjs'), join(root, ownScripts, 'run.js'), join(root, 'api/say.ts')]
    expect((await promisify(execFile)(process.execPath, argv)).stdout.trim()).to.equal('second 0001.sql')
    expect(compiledFiles().filter((file) => file.includes('vanishing'))).to.deep.equal([])
    expect(await run()).to.equal('second 0001.sql')
  })

  it('is compiled once: what has not changed is not compiled again', async () => {
    await run()
    // The compiler is removed, so that a new compilation would fail.
    unlinkSync(join(root, 'node_modules/esbuild'))
    expect(await run()).to.equal('first 0001.sql')
  })

  it('writes nothing when nothing has changed, so that later starts need no right to write', async () => {
    const written = () =>
      compiledFiles().map((file) => {
        const { ino, ctimeMs } = lstatSync(join(root, 'node_modules/.cache', file))
        return `${file} ${ino} ${ctimeMs}`
      })
    await run()
    const before = written()
    await run()
    expect(before).to.have.length.greaterThan(5)
    expect(written()).to.deep.equal(before)
  })

  it('is refused with what to do when nothing can be written', async () => {
    write('node_modules/.cache', 'no folder')
    await run().then(
      () => expect.fail('nothing failed'),
      ({ stderr }) =>
        expect(stderr).to.match(
          /cannot be compiled: E\w+: .*\. Start the service one time as a user who may write to /,
        ),
    )
  })

  it('is compiled again when the lists of the last time are broken', async () => {
    await run()
    for (const file of compiledFiles().filter((name) => name.endsWith('.list.json')))
      writeFileSync(join(root, 'node_modules/.cache', file), '')
    expect(await run()).to.equal('first 0001.sql')
  })

  it('is compiled by several processes at once', async () => {
    const said = await Promise.all(Array.from({ length: 4 }, () => run()))
    expect(new Set(said)).to.deep.equal(new Set(['first 0001.sql']))
    expect(compiledFiles().filter((file) => /\.\d+-\d+$/.test(file))).to.deep.equal([])
  })

  it('is compiled again after a process that died before it had written all', async () => {
    await run()
    for (const file of compiledFiles().filter(
      (name) => name.endsWith('word.ts.js') || name.endsWith('schemas.list.json'),
    ))
      unlinkSync(join(root, 'node_modules/.cache', file))
    expect(await run()).to.equal('first 0001.sql')
  })

  it('is compiled with the tests only where one of them is run', async () => {
    write('test/both.ts', "await import('../api/say.ts')\nconsole.log('test')\n")
    await run()
    expect(compiledFiles().filter((file) => file.includes('both'))).to.deep.equal([])
    expect(await run('test/both.ts')).to.equal('first 0001.sql\ntest')
  })

  it('takes the place of what was compiled of a checkout that no longer exists', async () => {
    const parent = join(root, 'node_modules/.cache/launch-data')
    for (const [name, checkout] of [
      ['abandoned', '/no/such/checkout'],
      ['kept', process.cwd()],
    ] as const)
      write(`node_modules/.cache/launch-data/${name}/package.json`, JSON.stringify({ type: 'module', checkout }))
    await run()
    const places = readdirSync(parent)
    expect(places).to.include('kept').and.not.to.include('abandoned')
    expect(places).to.have.length(2)
  })

  it('is refused outside the checkout', async () => {
    await run('../elsewhere.ts').then(
      () => expect.fail('nothing failed'),
      ({ stderr }) => expect(stderr).to.include('elsewhere.ts is not in'),
    )
  })

  it('is named in stack traces, by its own lines', async () => {
    write('api/fail.ts', 'type Reason = string\n\nconst reason: Reason = "told"\nthrow new RangeError(reason)\n')
    await run('api/fail.ts').then(
      () => expect.fail('nothing failed'),
      ({ stderr }) => expect(stderr).to.match(/api\/fail\.ts:4:7/),
    )
  })

  it('is refused with the places of the mistakes when it cannot be compiled', async () => {
    write('api/broken.ts', 'export const broken = (\n')
    await run().then(
      () => expect.fail('nothing failed'),
      ({ stderr }) => expect(stderr).to.include('api/broken.ts:2:0: ERROR'),
    )
  })

  it('runs in a worker thread, and in one that a compiled file starts', async () => {
    write(
      'api/worker.js',
      `import { importTypeScript } from '../${ownScripts}/import.js'
await importTypeScript(new URL('./say.ts', import.meta.url))
`,
    )
    write(
      'api/start.ts',
      "import { Worker } from 'node:worker_threads'\nnew Worker(new URL('./worker.js', import.meta.url), { argv: ['thread'] })\n",
    )
    expect(await run('api/start.ts')).to.equal('first 0001.sql thread')
  })
})
