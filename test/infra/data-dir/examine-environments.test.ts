import { copyFile, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import { examineEnvironments } from '../../../infra/data-dir/examine-environments.ts'
import { loadLmdb } from '../../../infra/data-dir/lmdb.ts'

/** The folders of four files: the main file, the table of schemas, one day of a large topic, and the owner. */
const folders = ['log/main', 'log/schemas', 'log/facts/2026-01-01', 'owner'] as const

describe('a look at the files of a data directory', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    const openEnvironment = await loadLmdb(dataDir)
    for (const folder of folders) {
      const environment = openEnvironment(join(dataDir, folder))
      // Writes enough keys for several pages of the file, and some values that fill whole pages.
      for (let key = 0; key < 300; key++) environment.putSync(key, Buffer.alloc(key % 10 === 0 ? 20_000 : 100, key))
      await environment.close()
    }
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const fileIn = (folder: string) => join(dataDir, folder, 'data.mdb')
  const failure = () =>
    examineEnvironments(dataDir).then(
      () => null,
      (error: unknown) => error,
    )
  const overwrite = async (file: string, bytes: Buffer, at: number) => {
    const handle = await open(file, 'r+')
    await handle.write(bytes, 0, bytes.length, at)
    await handle.close()
  }

  it('finds nothing wrong with whole ones, and makes nothing where there are none', async () => {
    expect(await failure()).to.equal(null)
    const empty = join(dataDir, 'nothing')
    await examineEnvironments(empty)
    expect(await stat(empty).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ENOENT')
  })

  const damages: readonly (readonly [string, (file: string) => Promise<void>])[] = [
    ['begins with zeros', (file) => overwrite(file, Buffer.alloc(8192), 0)],
    ['is cut in half', async (file) => truncate(file, (await stat(file)).size / 2)],
    ['is another file', (file) => copyFile(new URL(import.meta.url).pathname, file)],
  ]
  for (const folder of [...folders, 'open-lock'])
    for (const [what, damage] of damages)
      it(`names ${folder}/data.mdb, with the way out, where it ${what}`, async () => {
        await damage(fileIn(folder))
        const error = await failure()
        expect(error).to.include({ code: 'log_corrupt' })
        expect(String(error)).to.include(fileIn(folder))
        expect(String(error)).to.match(
          folder === 'owner' || folder === 'open-lock'
            ? new RegExp(`If no process uses .*, delete .*${folder}$`)
            : /restore a backup of DATA_DIR/,
        )
      })

  it('leaves no file in which a lock cannot be written, wherever it was cut, and writes nothing itself', async () => {
    await rm(dataDir, { recursive: true })
    // Taking and releasing the lock frees pages of the file and uses them again.
    for (let turn = 0; turn < 3; turn++) await (await lockDataDir(dataDir)).release()
    const whole = await readFile(fileIn('owner'))
    await examineEnvironments(dataDir)
    expect(await readFile(fileIn('owner'))).to.deep.equal(whole)
    const found = { refused: 0, locked: 0 }
    for (let size = 4096; size < whole.length; size += 4096) {
      await writeFile(fileIn('owner'), whole.subarray(0, size))
      if ((await failure()) === null) {
        await (await lockDataDir(dataDir)).release()
        found.locked++
      } else found.refused++
    }
    expect(found.refused).to.be.greaterThan(3)
  })

  it('names log/main/data.mdb where it is missing, and days of facts are there', async () => {
    await rm(fileIn('log/main'))
    expect(String(await failure())).to.include(`${fileIn('log/main')} is missing`)
    expect(await stat(fileIn('log/main')).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ENOENT')
  })
})
