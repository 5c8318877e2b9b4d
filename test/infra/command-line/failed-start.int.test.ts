import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunningProgram, startProgram, startScript } from '../../support/programs.ts'

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
    program = startProgram('up', { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
    expect(await program.done).to.deep.equal({ code: 1, signal: null })
    expect(program.stderr()).to.match(/^launch-data: .*0001-watermarks\.sql was applied and has changed since/m)
  })
})
