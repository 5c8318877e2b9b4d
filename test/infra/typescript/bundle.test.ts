/** Tests the bundles of programs in processes that start as on the command line. */
import { execFile } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const ownScripts = 'infra/typescript'

describe('the bundle of a program', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'bundle-'))
    cpSync(ownScripts, join(root, ownScripts), { recursive: true })
    for (const name of ['esbuild', '@esbuild']) link(name)
    write('package.json', '{"type":"module","optionalDependencies":{"native":"1.0.0"}}')
    write('node_modules/.package-lock.json', '{"packages":1}')
    write('node_modules/plain/package.json', '{"name":"plain","main":"plain.js"}')
    write('node_modules/plain/plain.js', "exports.plain = 'plain'\n")
    write('node_modules/native/package.json', '{"name":"native","main":"native.js"}')
    write('node_modules/native/native.js', 'exports.native = __filename\n')
    write('schemas/word.ts', "export type Word = string\nexport const word: Word = 'first'\n")
    write('schemas/migrations/0001.sql', '-- one')
    // The compiler leaves characters like these as they are in patterns and in raw texts.
    write(
      'api/later.ts',
      "export const later = /^→$/.test('\\u2192') && String.raw`├` === '\\u251c' ? 'later' : 'garbled'\n",
    )
    write(
      'api/say.ts',
      `import { readdirSync } from 'node:fs'
import { plain } from 'plain'
import { type Word, word } from '../schemas/word.ts'

export async function main(words: readonly Word[]): Promise<void> {
  const { later } = await import('./later.ts')
  const { native } = await import('native')
  const files = readdirSync(new URL('../schemas/migrations/', import.meta.url))
  console.log([word, plain, later, native, ...files, ...words].join(' '))
}
`,
    )
    write(
      'api/say.js',
      `import { loadProgram } from '../${ownScripts}/load-program.js'
const { main } = await loadProgram(new URL('./say.ts', import.meta.url))
await main(process.argv.slice(2))
`,
    )
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  function link(name: string): void {
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
  }
  const run = async (path = 'api/say.js', ...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [join(root, path), ...words])).stdout.trim()
  const failureOf = (path?: string): Promise<string> =>
    run(path).then(
      () => expect.fail('nothing failed'),
      ({ stderr }: Readonly<{ stderr: string }>) => stderr,
    )
  const kept = (): readonly string[] =>
    readdirSync(join(root, 'node_modules/.cache'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  const keptAs = (end: string): string => kept().find((file) => file.endsWith(end)) ?? expect.fail(`no ${end} is kept`)
  const said = () => `first plain later ${join(root, 'node_modules/native/native.js')} 0001.sql`

  it('has the packages of the program, finds its other files, and loads optional packages from their place', async () => {
    expect(await run('api/say.js', 'a', 'b')).to.equal(`${said()} a b`)
    rmSync(join(root, 'node_modules/plain'), { recursive: true })
    expect(await run()).to.equal(said())
  })

  it('keeps a package that few services load in a bundle of its own, which is loaded at its first use', async () => {
    write('node_modules/@mtcute/node/package.json', '{"name":"@mtcute/node","type":"module","exports":"./index.js"}')
    write(
      'node_modules/@mtcute/node/index.js',
      `console.log('the package is loaded')
export const place = import.meta.url
export const fail = () => {
  throw new RangeError('told')
}
`,
    )
    write('api/chat.ts', "import { fail, place } from '@mtcute/node'\nexport const chat = place\nexport { fail }\n")
    write(
      'api/say.ts',
      `export async function main([word]: readonly string[]): Promise<void> {
  if (word === undefined) (await import('./chat.ts')).fail()
  console.log(word === 'chat' ? (await import('./chat.ts')).chat : word)
}
`,
    )
    expect(await run('api/say.js', 'word')).to.equal('word')
    const texts = () => kept().filter((file) => readFileSync(file, 'utf8').includes('the package is loaded'))
    const [alone = '', ...others] = texts()
    expect([dirname(alone), others]).to.deep.equal([dirname(keptAs('.cjs')).replace(/api.*/, '@mtcute/node'), []])
    expect(await failureOf()).to.match(/RangeError: told\n {4}at Object.fail \(.*@mtcute\/node\/index\.js:4:9\)\n/)

    write('api/other.ts', readFileSync(join(root, 'api/say.ts'), 'utf8'))
    write('api/other.js', readFileSync(join(root, 'api/say.js'), 'utf8').replace('say.ts', 'other.ts'))
    const { mtimeMs } = lstatSync(alone)
    expect(await run('api/other.js', 'word')).to.equal('word')
    expect(lstatSync(alone).mtimeMs, 'the other entry has the same package').to.equal(mtimeMs)
    rmSync(join(root, 'node_modules/@mtcute'), { recursive: true })
    expect(await run('api/say.js', 'chat')).to.equal(`the package is loaded\n${pathToFileURL(alone).href}`)
  })

  // V8 keeps a text in Latin-1 with one byte per character, and any other text with two.
  it('of each program of this service is in Latin-1', async () => {
    const print = `import { bundlesOf } from './${ownScripts}/bundle.js'
console.log(JSON.stringify(await bundlesOf('infra/command-line/command-line.ts')))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', print])
    const bundles = Object.entries<string>(JSON.parse(stdout))
    expect(bundles.map(([entry]) => entry)).to.include('infra/command-line/program-worker.ts')
    expect(bundles.some(([entry]) => entry.includes('@mtcute/node'))).to.equal(true)
    for (const [entry, path] of bundles)
      expect(/.{0,40}[\u0100-\uffff]/.exec(readFileSync(path, 'utf8'))?.[0], entry).to.equal(undefined)
  })

  it('is made again when a source or the installed packages have changed, and then only the newest is kept', async () => {
    await run()
    write('api/later.ts', "export const later = 'changed'\n")
    expect(await run()).to.equal(said().replace('later', 'changed'))
    write('node_modules/plain/plain.js', "exports.plain = 'newer'\n")
    write('node_modules/.package-lock.json', '{"packages":22}')
    expect(await run()).to.equal(said().replace('later', 'changed').replace('plain', 'newer'))
    expect(kept().filter((file) => file.endsWith('.cjs'))).to.have.length(1)
    unlinkSync(join(root, 'api/later.ts'))
    expect(await failureOf()).to.include('Could not resolve "./later.ts"')
  })

  it('is made again when the code that makes bundles has changed', async () => {
    await run()
    const before = kept()
      .filter((file) => file.endsWith('.json'))
      .map((file) => lstatSync(file).mtimeMs)
    write(`${ownScripts}/run-bundle.js`, `${readFileSync(join(root, ownScripts, 'run-bundle.js'), 'utf8')}\n`)
    expect(await run()).to.equal(said())
    expect(
      kept()
        .filter((file) => file.endsWith('.json'))
        .map((file) => lstatSync(file).mtimeMs),
    ).to.not.deep.equal(before)
  })

  it('finds its other files if this checkout is installed as a package', async () => {
    const packageRoot = join(root, 'node_modules/launch-data')
    mkdirSync(packageRoot)
    for (const name of [ownScripts, 'api', 'schemas', 'package.json'])
      cpSync(join(root, name), join(packageRoot, name), { recursive: true })
    expect(await run('node_modules/launch-data/api/say.js')).to.equal(said())
  })

  it('is made once, and later starts write nothing', async () => {
    const written = () => kept().map((file) => `${file} ${lstatSync(file).ino} ${lstatSync(file).ctimeMs}`)
    await run()
    const before = written()
    // The compiler is removed, so that a new compilation would fail.
    unlinkSync(join(root, 'node_modules/esbuild'))
    expect(await run()).to.equal(said())
    expect(written()).to.deep.equal(before)
  })

  it('is not made again when all times of files have lost their fractions of a second, as in an image', async () => {
    await run()
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const path = join(root, name)
      const found = lstatSync(path)
      if (found.isFile()) utimesSync(path, found.atime, Math.floor(found.mtimeMs / 1000))
    }
    unlinkSync(join(root, 'node_modules/esbuild'))
    expect(await run()).to.equal(said())
  })

  it('is made again when its file or its list is broken or missing', async () => {
    await run()
    for (const damage of [
      () => truncateSync(keptAs('.cjs'), 100),
      () => unlinkSync(keptAs('.cjs')),
      () => truncateSync(keptAs('say.ts.json'), 100),
      () => unlinkSync(keptAs('say.ts.json')),
    ]) {
      damage()
      expect(await run()).to.equal(said())
    }
  })

  it('is made by several processes at once, and none leaves a half of a file', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => run()))
    expect(new Set(all)).to.deep.equal(new Set([said()]))
    expect(kept().filter((file) => /\.\d+-\d+$/.test(file))).to.deep.equal([])
  })

  it('is made without a compiler that runs on', async () => {
    write(
      'api/children.ts',
      // The compiler has been told to end. On a busy machine, it needs some time for that.
      `import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8')
export async function main() {
  for (let turn = 0; turn < 200 && children() !== ''; turn++) await sleep(50)
  console.log('children:' + children())
}
`,
    )
    write('api/children.js', readFileSync(join(root, 'api/say.js'), 'utf8').replace('say.ts', 'children.ts'))
    expect(await run('api/children.js')).to.equal('children:')
  })

  it('is named by its sources in stack traces, also in those of packages', async () => {
    write('node_modules/plain/plain.js', '\nexports.plain = (run) =>\n  run()\n')
    write(
      'api/fail.ts',
      `import { plain } from 'plain'
type Reason = string

const reason: Reason = 'told'
export const main = () => plain(() => {
  throw new RangeError(reason)
})
`,
    )
    write('api/fail.js', readFileSync(join(root, 'api/say.js'), 'utf8').replace('say.ts', 'fail.ts'))
    const stderr = await failureOf('api/fail.js')
    expect(stderr).to.match(/RangeError: told\n {4}at .*api\/fail\.ts:6:9\)?\n {4}at .*plain\/plain\.js:3:3\)?\n/)
    unlinkSync(keptAs('.cjs.map'))
    expect(await failureOf('api/fail.js'), 'a lost map is made again').to.match(/api\/fail\.ts:6:9/)
  })

  it('does not read its map for the errors that Node makes when the reader of a stream is released', async () => {
    write(
      'api/read.ts',
      `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const readFileSync = fs.readFileSync
const maps: string[] = []
fs.readFileSync = ((path: string, ...rest: []) => {
  if (String(path).endsWith('.map')) maps.push(path)
  return readFileSync(path, ...rest)
}) as typeof readFileSync
syncBuiltinESMExports()
export async function main() {
  const stream = new ReadableStream({ start: (controller) => controller.close() })
  for await (const _ of stream) throw new TypeError('the stream is empty')
  const before = maps.length
  void new RangeError('ours').stack
  console.log(before, maps.length)
}
`,
    )
    write('api/read.js', readFileSync(join(root, 'api/say.js'), 'utf8').replace('say.ts', 'read.ts'))
    expect(await run('api/read.js')).to.equal('0 1')
  })

  it('is refused with the places of the mistakes when it cannot be compiled', async () => {
    write('api/later.ts', 'export const later = (\n')
    expect(await failureOf()).to.include('api/later.ts:2:0: ERROR')
  })

  it('is refused with what to do when nothing can be written', async () => {
    write('node_modules/.cache', 'no folder')
    expect(await failureOf()).to.match(
      /cannot be compiled: E\w+: .*\. Start the service one time as a user who may write to /,
    )
  })

  describe('with the code that V8 compiled of it', () => {
    /** Runs the bundle in a process whose timers end at once, as if the program ran for long. */
    const runLong = async (): Promise<string> => {
      write('soon.cjs', 'const { setTimeout: real } = globalThis\nglobalThis.setTimeout = (run) => real(run, 1)\n')
      write(
        'api/long.js',
        `${readFileSync(join(root, 'api/say.js'), 'utf8')}await new Promise((resolve) => setInterval(resolve, 300))\nprocess.exit()\n`,
      )
      const argv = ['--require', join(root, 'soon.cjs'), join(root, 'api/long.js')]
      return (await promisify(execFile)(process.execPath, argv)).stdout.trim()
    }

    it('runs the same, and keeps the code once', async () => {
      expect(await runLong()).to.equal(said())
      const before = lstatSync(keptAs('.all.code')).ino
      expect(await runLong()).to.equal(said())
      expect(lstatSync(keptAs('.all.code')).ino).to.equal(before)
    })

    it('runs without the code when it is damaged, and keeps it again', async () => {
      await runLong()
      const code = readFileSync(keptAs('.all.code'))
      for (const damaged of [
        code.subarray(0, 100),
        code.subarray(0, 2),
        overwritten(code, 64),
        overwritten(code, code.length - 1),
      ]) {
        writeFileSync(keptAs('.all.code'), damaged)
        expect(await runLong()).to.equal(said())
        expect(readFileSync(keptAs('.all.code')).length).to.be.above(1000)
      }
    })

    it('drops the code of an earlier bundle, also if both have the same length', async () => {
      await runLong()
      write('schemas/word.ts', "export type Word = string\nexport const word: Word = 'other'\n")
      expect(await runLong()).to.equal(said().replace('first', 'other'))
      expect(kept().filter((file) => file.endsWith('.code'))).to.have.length(1)
    })
  })
})

function overwritten(bytes: Buffer, from: number): Buffer {
  return Buffer.from(bytes).fill(0xff, from)
}
