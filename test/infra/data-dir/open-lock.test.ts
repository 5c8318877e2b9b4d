import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import * as lmdb from 'lmdb'
import { examineEnvironments } from '../../../infra/data-dir/examine-environments.ts'
import { type Environment, loadLmdb, loadLmdbReadOnly } from '../../../infra/data-dir/lmdb.ts'
import { runTypeScript } from '../../support/run-typescript.ts'

const row = Buffer.from('row')

describe('the open lock of a data directory', () => {
  let dataDir: string
  let children: ChildProcess[]
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'open-lock-'))
    children = []
    const open = await loadLmdb(dataDir)
    for (const name of ['owner', 'other']) {
      const environment = open(join(dataDir, name))
      environment.putSync('before', row)
      await environment.close()
    }
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true })
  })

  const startHolder = async (how: 'opens' | 'writes' | 'dies'): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('./lock-holder.ts', import.meta.url))
    const child = spawn(process.execPath, [runTypeScript, script, dataDir, how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    await new Promise((resolve) => child.stdout.once('data', resolve))
    return child
  }
  const isDone = () => existsSync(join(dataDir, 'done'))
  const openOwner = async () => (await loadLmdb(dataDir))(join(dataDir, 'owner'))

  it('delays a commit while another process opens an environment', async () => {
    const owner = await openOwner()
    await startHolder('opens')
    owner.putSync('key', row)
    expect(isDone()).to.equal(true)
    await owner.close()
  })

  it('delays a transaction while another process opens an environment', async () => {
    const owner = await openOwner()
    await startHolder('opens')
    owner.transactionSync(() => expect(isDone()).to.equal(true))
    await owner.close()
  })

  for (const [who, load] of [
    ['a program that writes', loadLmdb],
    ['a reader', loadLmdbReadOnly],
  ] as const)
    it(`delays ${who} in opening an environment while another process commits`, async () => {
      const open = await load(dataDir)
      const other = open(join(dataDir, 'other'))
      await startHolder('writes')
      const owner = open(join(dataDir, 'owner'))
      expect(isDone()).to.equal(true)
      await owner.close()
      await other.close()
    })

  it('delays the examination of the files while another process commits', async () => {
    await startHolder('writes')
    await examineEnvironments(dataDir)
    expect(isDone()).to.equal(true)
  })

  it('is free when a process that opened an environment was killed', async () => {
    const child = await startHolder('dies')
    await new Promise((resolve) => child.once('exit', resolve))
    const owner = await openOwner()
    owner.putSync('after', row)
    await owner.close()
    expect(isDone()).to.equal(false)
  })

  describe('in one process', () => {
    /** The environments that the code under test has opened and not closed, by the name of their folder. */
    let opened: Map<string, Environment>
    const open = async () =>
      loadLmdb(dataDir, async () => {
        const observed = (options: lmdb.RootDatabaseOptionsWithPath) => {
          const environment = lmdb.open(options) as Environment
          const name = String(options.path).slice(dataDir.length + 1)
          const { close } = environment
          environment.close = async () => {
            opened.delete(name)
            await close.call(environment)
          }
          opened.set(name, environment)
          return environment
        }
        return { ...lmdb, open: observed } as typeof lmdb
      })
    beforeEach(() => {
      opened = new Map()
    })
    const isHeld = (): boolean => {
      try {
        return Number(opened.get('open-lock')?.getWriteTxnId()) > 0
      } catch (error) {
        expect(String(error)).to.match(/no active write transaction/)
        return false
      }
    }

    it('is held in a transaction of an environment in a transaction of another, and not after them', async () => {
      const openEnvironment = await open()
      const [main, day] = ['main', 'day'].map((name) => openEnvironment(join(dataDir, name))) as [
        Environment,
        Environment,
      ]
      const result = main.transactionSync(() => {
        main.putSync(1, row)
        day.transactionSync(() => day.putSync(2, row))
        expect(isHeld()).to.equal(true)
        return 'result'
      })
      expect(isHeld()).to.equal(false)
      expect(result).to.equal('result')
      expect([main.get(1), day.get(2)]).to.deep.equal([row, row])
      await main.close()
      await day.close()
    })

    it('is free after a transaction that failed or was aborted, which leaves nothing', async () => {
      const main = (await open())(join(dataDir, 'main'))
      const fail = () =>
        main.transactionSync(() => {
          main.putSync(1, row)
          throw new RangeError('no')
        })
      expect(fail).to.throw(RangeError, 'no')
      const aborted = main.transactionSync(() => {
        main.putSync(1, row)
        return lmdb.ABORT
      })
      expect(aborted).to.equal(lmdb.ABORT)
      expect(isHeld()).to.equal(false)
      expect(main.get(1)).to.equal(undefined)
      await main.close()
    })

    it('is closed with the last environment, and opened again with the next', async () => {
      const openEnvironment = await open()
      const [first, second] = ['first', 'second'].map((name) => openEnvironment(join(dataDir, name))) as [
        Environment,
        Environment,
      ]
      await first.close()
      await first.close()
      expect([...opened.keys()].sort()).to.deep.equal(['open-lock', 'second'])
      second.putSync(1, row)
      await second.close()
      expect([...opened.keys()]).to.deep.equal([])
      const third = openEnvironment(join(dataDir, 'third'))
      third.putSync(1, row)
      expect([...opened.keys()].sort()).to.deep.equal(['open-lock', 'third'])
      await third.close()
    })

    it('is closed again if the environment cannot be opened', async () => {
      const openEnvironment = await open()
      writeFileSync(join(dataDir, 'file'), '')
      expect(() => openEnvironment(join(dataDir, 'file'))).to.throw(/file/)
      await new Promise((resolve) => setImmediate(resolve))
      expect([...opened.keys()]).to.deep.equal([])
    })
  })
})
