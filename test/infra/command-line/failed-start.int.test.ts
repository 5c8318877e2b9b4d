import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunningProgram, startNode, startProgram, startScript } from '../../support/programs.ts'
import { runTypeScript } from '../../support/run-typescript.ts'

const oneHour = { SIMULATOR_LOOK_BACK_HOURS: '1' }

describe('a service of which a thread fails while it starts', () => {
  let dataDir: string
  let program: RunningProgram | undefined

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-failed-start-'))
  })
  after(async () => {
    program?.kill('SIGKILL')
    await program?.done
    await rm(dataDir, { recursive: true, force: true })
  })

  it('ends in order and says why', async () => {
    const written = await startScript('test/infra/command-line/write-other-migration.ts', dataDir, {}).done
    expect(written).to.deep.equal({ code: 0, signal: null })
    program = startProgram('up', { ...oneHour, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
    expect(await program.done).to.deep.equal({ code: 1, signal: null })
    expect(program.stderr()).to.match(/^launch-data: .*0001-watermarks\.sql was changed after it was applied/m)
  })
})

describe('a service whose tables cannot be read', () => {
  let dataDir: string
  let program: RunningProgram | undefined

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-broken-part-'))
  })
  after(async () => {
    program?.kill('SIGKILL')
    await program?.done
    await rm(dataDir, { recursive: true, force: true })
  })

  // The API notices the damage only after the local chains have started. These chains must not keep the
  // process alive.
  it('ends with its sentence, and not behind a signal or never', async () => {
    const made = startNode('tables', [runTypeScript, 'test/infra/clickhouse/ask-tables.ts', dataDir, 'make'], {})
    expect((await made.done).code).to.equal(0)
    const files = await readdir(join(dataDir, 'clickhouse'), { recursive: true })
    const checksums = join(dataDir, 'clickhouse', files.find((file) => /all_.*checksums\.txt$/.test(file)) ?? '')
    const bytes = await readFile(checksums)
    bytes[30] = (bytes[30] ?? 0) ^ 0x10
    await writeFile(checksums, bytes)
    program = startProgram('up', { ...oneHour, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
    expect(await program.done).to.deep.equal({ code: 1, signal: null })
    expect(program.stderr()).to.match(/^launch-data: the tables in .* are damaged: part broken-on-start_all_1_1_0/m)
  })
})
