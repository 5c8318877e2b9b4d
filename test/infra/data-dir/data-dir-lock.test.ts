import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import { loadLmdb } from '../../../infra/data-dir/lmdb.ts'
import { processStart } from '../../../infra/data-dir/process-start.ts'
import { OperationError } from '../../../infra/errors.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { runTypeScript } from '../../support/run-typescript.ts'

describe('the lock of a data directory', () => {
  let dataDir: string
  let children: ChildProcess[]
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'data-dir-lock-'))
    children = []
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true })
  })

  const startOwner = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [
      runTypeScript,
      fileURLToPath(new URL('./lock-owner.ts', import.meta.url)),
      dataDir,
    ])
    children.push(child)
    const answer = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))))
    expect(answer).to.equal('locked\n')
    return child
  }

  it('is free after its release, and not before', async () => {
    const lock = await lockDataDir(dataDir)
    await expectFailure(lockDataDir(dataDir), 'data_dir_in_use')
    await lock.release()
    await lock.release()
    await (await lockDataDir(dataDir)).release()
  })

  it('names the process that has it, and is free when that process is killed', async () => {
    const child = await startOwner()
    const failure = await lockDataDir(dataDir).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(OperationError).with.property('code', 'data_dir_in_use')
    expect((failure as Error).message).to.contain(`in use by process ${child.pid}`)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    await (await lockDataDir(dataDir)).release()
  })

  it('is not held by another process with the id of a dead owner', async () => {
    const open = await loadLmdb(dataDir)
    const environment = open(join(dataDir, 'owner'))
    const stale = { pid: process.pid, startedAt: 'another boot/1', lockId: 'x' }
    environment.putSync('owner', Buffer.from(JSON.stringify(stale)))
    await environment.close()
    await (await lockDataDir(dataDir)).release()
  })
})

describe('the start time of a process', () => {
  it('is the same at every call, and null if the process does not exist', () => {
    expect(processStart(process.pid)).to.be.a('string').and.equal(processStart(process.pid))
    expect(processStart(1)).to.not.equal(processStart(process.pid))
    expect(processStart(2 ** 30)).to.equal(null)
  })
})

describe('without lmdb', () => {
  it('names the missing package and the alternative', async () => {
    await expectFailure(
      loadLmdb('data', () => Promise.reject(new TypeError('not found'))),
      'dependency_missing',
    )
  })
})
