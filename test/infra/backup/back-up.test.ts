import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { backUp } from '../../../infra/backup/back-up.ts'
import { readManifest } from '../../../infra/backup/manifest.ts'
import { checkBackup } from '../../../infra/backup/restore.ts'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import { keptSecret } from '../../../infra/data-dir/secrets.ts'
import { markRestore } from '../../../infra/data-dir/unfinished-restore.ts'
import { isOperationError } from '../../../infra/errors.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { runTypeScript } from '../../support/run-typescript.ts'
import { copierOf, fillDataDir } from './data-dir.ts'

const madeAtMs = Date.UTC(2026, 0, 2)
const never = new AbortController().signal

describe('a backup', () => {
  let root: string
  let dataDir: string
  let folder: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-backup-'))
    dataDir = join(root, 'data')
    folder = join(root, 'backup')
    await fillDataDir(dataDir)
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const make = (changes: Partial<Parameters<typeof backUp>[0]> = {}) =>
    backUp({ dataDir, folder, copyLog: copierOf(dataDir), nowMs: () => madeAtMs, signal: never, ...changes })
  const pathsIn = async (of: string) => (await readManifest(of)).files.map(({ path }) => path)
  const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)

  it('has the log, the secrets, the read positions and the facilitators, and nothing that is made again', async () => {
    await make()
    const files = [
      'chats/positions.json',
      'facilitators/one.json',
      'log/chain-a-facts/2026-01-01/data.mdb',
      'log/main/data.mdb',
      'log/schemas/data.mdb',
      'secrets/stream-passes',
    ]
    expect(await pathsIn(folder)).to.deep.equal(files)
    const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    expect(found).to.have.lengthOf(files.length + 1)
    expect(await readFile(join(folder, 'secrets/stream-passes'), 'utf8')).to.equal(
      await keptSecret(dataDir, 'stream-passes'),
    )
    expect(await checkBackup(folder, never)).to.include({ madeAt: '2026-01-02T00:00:00.000Z', log: 'embedded' })
  })

  it('is in a folder that its owner alone may enter', async () => {
    await make()
    expect((await stat(folder)).mode & 0o777).to.equal(0o700)
    expect((await stat(join(folder, 'secrets/stream-passes'))).mode & 0o777).to.equal(0o600)
  })

  it('has no log if the log is on servers, and says so', async () => {
    expect((await make({ copyLog: null })).log).to.equal('servers')
    expect((await pathsIn(folder)).filter((path) => path.startsWith('log/'))).to.deep.equal([])
    await rm(folder, { recursive: true })
    for (const name of ['secrets', 'chats', 'facilitators']) await rm(join(dataDir, name), { recursive: true })
    await expectFailure(make({ copyLog: null }), 'nothing_found')
  })

  it('has read positions from before its log, and secrets from after it', async () => {
    const positions = join(dataDir, 'chats/positions.json')
    const copyLog = async (target: string, signal: AbortSignal) => {
      await copierOf(dataDir)(target, signal)
      await writeFile(positions, 'ahead of the copied log')
      await keptSecret(dataDir, 'operator')
    }
    await make({ copyLog })
    expect(await readFile(join(folder, 'chats/positions.json'), 'utf8')).to.equal('chats/positions.json')
    expect(await pathsIn(folder)).to.include('secrets/operator')
  })

  it('takes an empty folder, and no other', async () => {
    await mkdir(folder)
    await make()
    await expectFailure(make(), 'folder_unusable')
    await checkBackup(folder, never)
    const file = join(root, 'file')
    await writeFile(file, '')
    await expectFailure(make({ folder: file }), 'folder_unusable')
    await expectFailure(make({ folder: join(root, 'nowhere', 'backup') }), 'folder_unusable')
  })

  it('is not made in the data directory, by whatever path', async () => {
    await symlink(dataDir, join(root, 'link'))
    for (const inside of [join(dataDir, 'backup'), join(root, 'link', 'backup'), dataDir])
      await expectFailure(make({ folder: inside }), 'folder_unusable')
    // The name of this folder begins like that of the data directory.
    await make({ folder: `${dataDir}-backup` })
  })

  it('needs a data directory that is whole', async () => {
    await expectFailure(make({ dataDir: join(root, 'nowhere') }), 'log_missing')
    markRestore(dataDir)
    await expectFailure(make(), 'restore_unfinished')
  })

  it('leaves nothing if the disk is full', async () => {
    const full = new TypeError('No space left on device')
    const copyLog = async (target: string) => {
      await mkdir(target)
      await writeFile(join(target, 'data.mdb'), 'half')
      throw full
    }
    expect(await failureOf(make({ copyLog }))).to.equal(full)
    expect((await readdir(root)).sort()).to.deep.equal(['data'])
  })

  it('leaves nothing if it is stopped', async () => {
    const stop = new AbortController()
    const copyLog = async (target: string, signal: AbortSignal) => {
      await copierOf(dataDir)(target, signal)
      stop.abort()
    }
    await expectFailure(make({ copyLog, signal: stop.signal }), 'interrupted')
    expect((await readdir(root)).sort()).to.deep.equal(['data'])
  })

  it('does not touch the files of another backup that is being written', async () => {
    await mkdir(`${folder}.unfinished`)
    await writeFile(join(`${folder}.unfinished`, 'file'), 'of the other')
    await expectFailure(make(), 'folder_unusable')
    expect(await readdir(`${folder}.unfinished`)).to.deep.equal(['file'])
    expect(existsSync(folder)).to.equal(false)
  })

  it('leaves the rights of the data directory as they are', async () => {
    await chmod(join(dataDir, 'chats/positions.json'), 0o640)
    await make()
    expect((await stat(join(dataDir, 'chats/positions.json'))).mode & 0o777).to.equal(0o640)
    expect((await stat(join(folder, 'chats/positions.json'))).mode & 0o777).to.equal(0o600)
    expect(await readdir(join(dataDir, 'readers'))).to.deep.equal(['1-2'])
  })

  it('is whole or refused, whenever its process is killed', async () => {
    const script = fileURLToPath(new URL('./keep-backing-up.ts', import.meta.url))
    // With an owner, no process of the killed one examines the files and outlives it.
    const lock = await lockDataDir(dataDir)
    const found = { whole: 0, refused: 0 }
    for (let turn = 0; turn < 8; turn++) {
      const child: ChildProcess = spawn(process.execPath, [runTypeScript, script, dataDir, root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await new Promise((resolve) => child.stdout?.once('data', resolve))
      await sleep(turn * 7)
      child.kill('SIGKILL')
      await ended
      for (const name of (await readdir(root)).filter((each) => each !== 'data')) {
        const failure = await failureOf(checkBackup(join(root, name), never))
        if (failure === null) found.whole++
        else {
          expect(isOperationError(failure, 'backup_invalid'), String(failure)).to.equal(true)
          expect(name).to.match(/\.unfinished$/)
          found.refused++
        }
        await rm(join(root, name), { recursive: true })
      }
    }
    await lock.release()
    expect(found.whole).to.be.greaterThan(0)
    expect(found.refused).to.be.greaterThan(0)
  })
})
