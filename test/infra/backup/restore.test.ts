import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { backUp } from '../../../infra/backup/back-up.ts'
import { backedUpFolders } from '../../../infra/backup/manifest.ts'
import { checkBackup, restoreBackup } from '../../../infra/backup/restore.ts'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import { examineEnvironments } from '../../../infra/data-dir/examine-environments.ts'
import { keptSecret } from '../../../infra/data-dir/secrets.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { expectFailure, fact, valuesOf } from '../../contracts/log-contract.ts'
import { runTypeScript } from '../../support/run-typescript.ts'
import { copierOf, fillDataDir } from './data-dir.ts'

const never = new AbortController().signal

describe('a restore', () => {
  let root: string
  let source: string
  let folder: string
  let dataDir: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-restore-'))
    source = join(root, 'source')
    folder = join(root, 'backup')
    dataDir = join(root, 'data')
    await fillDataDir(source)
    await backUp({ dataDir: source, folder, copyLog: copierOf(source), nowMs: Date.now, signal: never })
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const restore = (signal = never) => restoreBackup({ folder, dataDir, signal })
  const editManifest = async (edit: (manifest: Record<string, unknown>) => void) => {
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(await readFile(file, 'utf8'))
    edit(manifest)
    await writeFile(file, JSON.stringify(manifest))
  }
  const withPath = (path: string) =>
    editManifest((manifest) => {
      manifest.files = [{ path, bytes: 1, sha256: '0'.repeat(64) }]
    })

  it('gives a directory with the same records and secrets, which can be continued', async () => {
    const secret = await keptSecret(source, 'stream-passes')
    const manifest = await restore()
    expect(manifest.files).to.have.lengthOf(6)
    await examineEnvironments(dataDir)
    await (await lockDataDir(dataDir)).release()
    expect(await keptSecret(dataDir, 'stream-passes')).to.equal(secret)
    const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
    await (await log.openWriter('w')).append([fact(0, 'b')])
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b'])
    expect(await valuesOf(log, 'payments', 0)).to.deep.equal(['paid'])
    await log.close()
  })

  it('gives files and folders that their owner alone may read', async () => {
    await restore()
    for (const name of await readdir(dataDir, { recursive: true })) {
      const stats = await stat(join(dataDir, name))
      expect(stats.mode & 0o777, name).to.equal(stats.isFile() ? 0o600 : 0o700)
    }
  })

  it('does not need the backup to be writable, and changes nothing in it', async () => {
    const before = await readFile(join(folder, 'manifest.json'))
    await checkBackup(folder, never)
    await restore()
    expect(await readFile(join(folder, 'manifest.json'))).to.deep.equal(before)
    expect((await readdir(folder)).sort()).to.deep.equal([...backedUpFolders, 'manifest.json'].sort())
    await checkBackup(folder, never)
  })

  const log = 'log/main/data.mdb'
  const damages: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'with a changed bit',
      async () => {
        const bytes = await readFile(join(folder, log))
        bytes[9_000] = (bytes[9_000] ?? 0) ^ 1
        await writeFile(join(folder, log), bytes)
      },
    ],
    [
      'with a cut file',
      async () => writeFile(join(folder, log), (await readFile(join(folder, log))).subarray(0, 4096)),
    ],
    ['with a missing file', () => rm(join(folder, log))],
    ['without a manifest', () => rm(join(folder, 'manifest.json'))],
    ['with half a manifest', () => writeFile(join(folder, 'manifest.json'), '{"format":1,"files":[')],
    [
      'of a later version',
      () =>
        editManifest((manifest) => {
          manifest.format = 2
        }),
    ],
    [
      'without files',
      () =>
        editManifest((manifest) => {
          manifest.files = []
        }),
    ],
    ['that leads out of the folder', () => withPath('log/../../elsewhere')],
    ['that leads to another place', () => withPath('/etc/passwd')],
    ['with a folder that is no part of backups', () => withPath('owner/data.mdb')],
    [
      'that does not exist',
      () => {
        folder = join(root, 'nowhere')
        return Promise.resolve()
      },
    ],
  ]
  for (const [what, damage] of damages)
    it(`refuses a backup ${what}, and leaves the directory empty`, async () => {
      await damage()
      await expectFailure(checkBackup(folder, never), 'backup_invalid')
      await expectFailure(restore(), 'backup_invalid')
      expect(existsSync(dataDir) ? await readdir(dataDir) : []).to.deep.equal([])
    })

  it('names the version to use for a backup of a later version', async () => {
    await editManifest((manifest) => {
      manifest.format = 7
    })
    const failure = await restore().catch((error: unknown) => error)
    expect(String(failure)).to.match(/a later version .* \(format 7\)\. Restore it with that version/)
  })

  it('refuses a directory that is not empty, and changes nothing in it', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'file'), 'kept')
    await expectFailure(restore(), 'folder_unusable')
    expect(await readdir(dataDir)).to.deep.equal(['file'])
    await rm(join(dataDir, 'file'))
    await restore()
    await expectFailure(restore(), 'folder_unusable')
    expect(await readdir(join(dataDir, 'log'))).to.include('main')
  })

  it('leaves the directory empty if it is stopped', async () => {
    await expectFailure(restore(AbortSignal.abort()), 'interrupted')
    expect(await readdir(dataDir)).to.deep.equal([])
    await restore()
  })

  it('that was killed leaves a directory with which no service starts', async () => {
    const script = fileURLToPath(new URL('./keep-restoring.ts', import.meta.url))
    let unfinished = 0
    for (let turn = 0; turn < 12 && unfinished < 2; turn++) {
      const into = join(root, `turn-${turn}`)
      await mkdir(into)
      const child = spawn(process.execPath, [runTypeScript, script, folder, into], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await new Promise((resolve) => child.stdout.once('data', resolve))
      await sleep(turn * 3)
      child.kill('SIGKILL')
      await ended
      for (const name of await readdir(into)) {
        const half = join(into, name)
        if (!existsSync(join(half, 'unfinished-restore'))) continue
        unfinished++
        await expectFailure(examineEnvironments(half), 'restore_unfinished')
        await expectFailure(restoreBackup({ folder, dataDir: half, signal: never }), 'restore_unfinished')
      }
    }
    expect(unfinished).to.be.greaterThan(0)
  })
})
