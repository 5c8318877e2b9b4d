import { mkdirSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import type { Environment } from '../../../../infra/data-dir/lmdb.ts'
import { createDayEnvironments } from '../../../../infra/log/embedded/day-environments.ts'

describe('day environments', () => {
  let folder: string
  let closed: string[]

  /** A double of LMDB that creates the folder and notes each close. */
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
})
