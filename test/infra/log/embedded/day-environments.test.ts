import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import type { Environment } from '../../../../infra/data-dir/lmdb.ts'
import { createDayEnvironments } from '../../../../infra/log/embedded/day-environments.ts'

describe('day environments', () => {
  let folder: string
  let closed: string[]

  /** A simulated LMDB that creates the folder and notes each close. */
  const open = (path: string): Environment => {
    mkdirSync(path, { recursive: true })
    const environment = { resetReadTxn: () => {}, close: async () => void closed.push(basename(path)) }
    return environment as unknown as Environment
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-data-'))
    closed = []
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const removeElsewhere = (day: string) => rmSync(join(folder, 'chain-a-facts', day), { recursive: true })

  it('are closed when another thread has removed the day, even if it is never looked up again', () => {
    const days = createDayEnvironments(open, folder)
    for (const day of ['2026-09-01', '2026-09-02']) days.create('chain-a-facts', day)
    removeElsewhere('2026-09-01')
    for (let look = 0; look < 100; look++) days.find('chain-a-facts', '2026-09-02')
    expect(closed).to.deep.equal(['2026-09-01'])
    expect(days.find('chain-a-facts', '2026-09-01')).to.equal(null)
  })

  describe('of a log that another process owns', () => {
    const day = '2026-09-01'
    const pathOf = () => join(folder, 'chain-a-facts', day)
    const failure = new TypeError('the environment cannot be opened')
    /** Makes the folder of a day as the owner of the log does, with a data file. */
    const makeDay = () => {
      mkdirSync(pathOf(), { recursive: true })
      writeFileSync(join(pathOf(), 'data.mdb'), '')
    }
    /**
     * Returns the environments by day, as a reader opens them. While `meanwhile.doing` is set, opening a
     * folder calls it and then fails.
     */
    const readerOf = (meanwhile: { doing: (() => void) | null }) =>
      createDayEnvironments((path) => {
        if (meanwhile.doing === null) return open(path)
        meanwhile.doing()
        throw failure
      }, folder)

    for (const [says, remove] of [
      ['has removed', () => rmSync(pathOf(), { recursive: true })],
      ['is removing', () => rmSync(join(pathOf(), 'data.mdb'))],
    ] as const)
      it(`are null if the owner ${says} the day while it is opened, and are found when the day is there again`, () => {
        makeDay()
        const meanwhile: { doing: (() => void) | null } = { doing: remove }
        const days = readerOf(meanwhile)
        expect(days.find('chain-a-facts', day)).to.equal(null)
        meanwhile.doing = null
        makeDay()
        expect(days.find('chain-a-facts', day)).to.be.an('object')
      })

    it('fail as their opening does if the day is there, and are opened again by the next look', () => {
      makeDay()
      const meanwhile: { doing: (() => void) | null } = { doing: () => {} }
      const days = readerOf(meanwhile)
      for (const _ of [1, 2]) expect(() => days.find('chain-a-facts', day)).to.throw(failure)
      meanwhile.doing = null
      expect(days.find('chain-a-facts', day)).to.be.an('object')
    })
  })
})
