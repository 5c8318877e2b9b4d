import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { verifyArchive } from '../../../infra/archive/verify.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { outliveReaders } from '../../../infra/command-line/outlive-readers.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { second } from '../../support/builders/build-facts.ts'
import { firstDay, laterMs, never, stages } from '../archive/filled-log.ts'
import { stepsOfSwaps, writeSteps } from '../replay/drawn-log.ts'

const program = 'infra/command-line/launch-data.js'

describe('a command whose output nobody reads to its end', () => {
  let root: string
  let environment: NodeJS.ProcessEnv
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-unread-'))
    environment = { ...process.env, DATA_DIR: join(root, 'data'), LOG_LEVEL: 'warn' }
    const open = { log: createMemoryLog({ nowMs: () => second(0) }), registry: createMemoryRegistry() }
    await writeSteps(open.log, open.registry, stepsOfSwaps([0, 1, 200, 400]))
    const exporting = { open, stages, folder: join(root, 'archive'), form: 'archive', day: firstDay } as const
    await exportDay({ ...exporting, nowMs: () => laterMs, signal: never })
    spawnSync(process.execPath, [program, 'import', join(root, 'archive')], { env: environment })
  })
  after(() => rm(root, { recursive: true, force: true }))

  /** The reader closes the pipe before the command writes. */
  const unread = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [program, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text
    })
    const [code] = await once(child, 'close')
    return { code, errors }
  }

  it('finishes its work and succeeds', async () => {
    const folder = join(root, 'again')
    expect(await unread('export', '--day', firstDay.name, '--folder', folder)).to.deep.equal({ code: 0, errors: '' })
    expect((await verifyArchive(folder, never)).faults).to.deep.equal([])
    for (const command of [
      ['topics'],
      ['rules'],
      ['verify', folder],
      ['--help'],
      ['export', '--day', firstDay.name, '--folder', join(root, 'dry'), '--dry'],
    ])
      expect(await unread(...command), command.join(' ')).to.deep.equal({ code: 0, errors: '' })
  })

  it('still fails with any other error of its output', () => {
    const stream = new PassThrough()
    outliveReaders([stream])
    expect(stream.emit('error', Object.assign(new Error('closed'), { code: 'EPIPE' }))).to.equal(true)
    expect(() => stream.emit('error', Object.assign(new Error('the disk is full'), { code: 'ENOSPC' }))).to.throw(
      'full',
    )
  })
})
