import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { isDamage, setAsideDamagedTables, tablesDamaged } from '../../../infra/clickhouse/damaged-tables.ts'
import { runTypeScript } from '../../support/run-typescript.ts'

const program = fileURLToPath(new URL('./ask-tables.ts', import.meta.url))

describe('damaged tables of the embedded engine', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'launch-data-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  /** Each command runs in its own process, because the engine reads a folder only one time per process. */
  const ask = (what: 'make' | 'sum') => {
    const { stdout } = spawnSync(process.execPath, [runTypeScript, program, dataDir, what], { encoding: 'utf8' })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null') as Readonly<{
      sum?: string
      error?: string
      fatal?: string
    }>
  }
  const filesIn = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
    )
  const fileNamed = (name: RegExp) => {
    const file = filesIn(join(dataDir, 'clickhouse')).find((each) => name.test(each) && /\/all_/.test(each))
    if (file === undefined) throw new RangeError(`no file is named ${name}`)
    return file
  }
  const flipIn = async (file: string) => {
    const bytes = await readFile(file)
    for (let at = 0; at < bytes.length; at += 7) bytes[at] = (bytes[at] ?? 0) ^ 0x10
    await writeFile(file, bytes)
  }

  for (const [what, name] of [
    ['values', /data\.bin$/],
    ['a list of checksums', /checksums\.txt$/],
  ] as const)
    it(`are never summed: flipped bits in ${what} end who asks, and the next start makes them anew`, async () => {
      expect(ask('make')).to.deep.equal({ sum: '499500' })
      await flipIn(fileNamed(name))
      const asked = ask('sum')
      expect(asked.error).to.match(/^the tables in .*clickhouse are damaged: .*Start the service again/)
      expect(asked.fatal).to.equal(asked.error)
      expect(setAsideDamagedTables(dataDir)).to.match(
        /^the tables were damaged: .*rebuilds them from the log\. The damaged tables are in/,
      )
      expect(existsSync(join(dataDir, 'clickhouse'))).to.equal(false)
      expect(setAsideDamagedTables(dataDir)).to.equal(null)
      expect(ask('make')).to.deep.equal({ sum: '499500' })
    })

  it('are told from tables that another process has open, killed later', async () => {
    const holder = spawn(process.execPath, [runTypeScript, program, dataDir, 'hold'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    try {
      await once(holder.stdout, 'data')
      expect(ask('sum').error).to.equal(
        `the tables in ${join(dataDir, 'clickhouse')} cannot be opened: process ${holder.pid} has them open. ` +
          'Stop that process, or choose another DATA_DIR',
      )
    } finally {
      holder.kill('SIGKILL')
    }
    await once(holder, 'exit')
    expect(ask('make')).to.deep.equal({ sum: '499500' })
    expect(setAsideDamagedTables(dataDir)).to.equal(null)
  })

  it('are made anew where a file of the engine is empty, as after a start on a full disk', async () => {
    expect(ask('make')).to.deep.equal({ sum: '499500' })
    const metadata = join(dataDir, 'clickhouse', 'metadata', 'launch_data.sql')
    await writeFile(metadata, '')
    const empty = ask('sum').error
    expect(empty).to.match(/ are damaged: they cannot be opened, and the engine printed the reason\. Start/)
    expect(setAsideDamagedTables(dataDir)).to.be.a('string')
  })

  it('are set aside once more where an older set stands there', () => {
    for (let time = 0; time < 2; time++) {
      rmSync(join(dataDir, 'clickhouse'), { recursive: true, force: true })
      writeFileSync(join(dataDir, 'clickhouse'), 'tables')
      expect(tablesDamaged(dataDir, 'a part is gone').context).to.deep.equal({ isFatal: true })
      expect(setAsideDamagedTables(dataDir)).to.include('a part is gone')
    }
  })

  for (const [code, message, counts] of [
    ['40', 'Checksum doesn’t match: (while reading from part /x/clickhouse/store/a/all_1_1_0/)', true],
    ['246', 'Corrupted data in part all_1_1_0', true],
    ['27', 'Cannot parse input: expected part before: x', false],
    ['40', 'Checksum doesn’t match', false],
    ['76', 'Cannot open file /x/clickhouse/store/a/all_1_1_0/data.bin, errno: 2, strerror: No such file', true],
    ['76', 'Cannot open file /x/clickhouse/store/a/all_1_1_0/data.bin, errno: 13, strerror: Permission denied', false],
    ['75', 'Cannot write to file /x/clickhouse/store/a/all_1_1_0/data.bin, No space left on device', false],
    [null, 'the socket of part all_1_1_0 was closed', false],
  ] as const)
    it(`are told from other failures: ${code} ${message}`, () => {
      expect(isDamage(code, message)).to.equal(counts)
    })
})
