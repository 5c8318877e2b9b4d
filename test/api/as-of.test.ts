/**
 * Tests that every data route can answer for an earlier time. The tables have rows of both chains and of
 * chats.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { routesOf } from '../../api/products.ts'
import type { ApiSource } from '../../api/source.ts'
import { createSources } from '../../api/sources.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { readConfig } from '../../infra/config.ts'
import { projections } from '../../projections/projections.ts'
import { rebuildProjections } from '../../projections/sink/rebuild.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { type CallsLog, createCallsLog } from '../projections/calls/derived-log.ts'
import { noonMs } from '../projections/derived-log.ts'
import { openShop, type Shop } from '../proofs/answers/shop.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { closeAll } from '../support/close-all.ts'
import { changedAtMs, widestPathOf, writeFirst, writeMore } from './as-of-market.ts'

const hourMs = 3_600_000
const firstAtMs = noonMs + hourMs + 150_000
const laterAtMs = noonMs + 2 * hourMs + 150_000
const unsoldAtMs = laterAtMs - 1000

type Body = Readonly<{ generatedAt: number }>

describe('every data route, asked as of an instant', () => {
  let dataDir: string
  let writer: Database
  let reader: Database
  let derived: CallsLog
  let shop: Shop
  /**
   * The number of table queries that the routes made. Queries that look up the data time of an answer are not
   * counted.
   */
  let queryCount = 0
  let paths: readonly string[] = []
  /** The response bodies that were sold at `firstAtMs`, by request path. */
  const sold = new Map<string, string>()

  const chainsOf = (database: Database): readonly ApiSource[] =>
    createSources({
      ...{ config: readConfig({}), database },
      ...{ ruleIdSecret: 'a secret of the test', callerIdSecret: 'another secret of the test' },
    })
  /** Starts a new service, which has no cached answers. */
  const startShop = async () => {
    const counting: Database = {
      ...reader,
      query(...question) {
        queryCount += 1
        return reader.query(...question)
      },
    }
    return openShop(reader, chainsOf(counting))
  }
  const options = () => ({ projections, ...derived, logger: silentLogger, signal: new AbortController().signal })
  const project = () => projectToEnd({ ...options(), database: writer })
  const asOf = (path: string, atMs: number) => `${path}&asOf=${atMs}`

  const otherThanSold = async (nowMs: number): Promise<readonly string[]> => {
    const found: string[] = []
    for (const path of paths)
      if ((await shop.buyText(asOf(path, firstAtMs), nowMs)) !== sold.get(path)) found.push(path)
    return found
  }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    writer = await createDatabase({ dataDir, role: 'writer' })
    reader = await createDatabase({ dataDir, role: 'reader' })
    derived = await createCallsLog()
    await writeFirst(derived)
    await project()
    const routes = routesOf(chainsOf(reader)).filter((route) => !route.isPersonal)
    paths = routes.map(widestPathOf)
    shop = await startShop()
  })
  after(() => closeAll(shop?.close, reader?.close, writer?.close, () => rm(dataDir, { recursive: true, force: true })))

  it('is sold now, each with something to tell', async () => {
    expect(paths.length).to.be.greaterThan(20)
    for (const path of paths) {
      const text = await shop.buyText(path, firstAtMs)
      expect((JSON.parse(text) as Body).generatedAt, path).to.equal(firstAtMs)
      sold.set(path, text)
    }
  })

  it('repeats byte for byte what was sold at it', async () => {
    expect(await otherThanSold(firstAtMs)).to.deep.equal([])
  })

  it('repeats it after rows were added, filled, restated and withdrawn, though none is the same now', async () => {
    await writeMore(derived)
    await project()
    const withoutTime = (text: string) => {
      const { generatedAt: _at, ageSec: _age, ...told } = JSON.parse(text)
      return JSON.stringify(told)
    }
    const same: string[] = []
    for (const path of paths) {
      const now = await shop.seek(path, laterAtMs)
      if (now !== null && withoutTime(JSON.stringify(now)) === withoutTime(sold.get(path) ?? '')) same.push(path)
    }
    expect(same, 'told the same later').to.deep.equal([])
    expect(await otherThanSold(laterAtMs)).to.deep.equal([])
  })

  it('repeats it after a restart from tables that were made anew', async () => {
    await rebuildProjections({ ...options(), database: { dataDir } })
    await shop.close()
    shop = await startShop()
    expect(await otherThanSold(laterAtMs)).to.deep.equal([])
  })

  it('tells of no instant after it, at whatever instant', async () => {
    for (const atMs of [changedAtMs - 1, changedAtMs])
      for (const path of paths) {
        const body = await shop.seek(asOf(path, atMs), laterAtMs)
        if (body === null) continue
        expect((body as Body).generatedAt, path).to.equal(atMs)
        expect(laterThan(atMs, body), `${path} as of ${atMs}`).to.deep.equal([])
      }
  })

  it('asks the tables nothing until it is paid for', async () => {
    const askedBefore = queryCount
    for (const path of paths) {
      const { status } = await shop.look(asOf(path, unsoldAtMs), laterAtMs)
      expect(status, path).to.equal(402)
    }
    expect(queryCount).to.equal(askedBefore)
    for (const path of paths) await shop.seek(asOf(path, unsoldAtMs), laterAtMs)
    expect(queryCount).to.be.greaterThan(askedBefore + paths.length)
  })
})

const instantMin = 1_600_000_000_000

/**
 * Returns the names of fields with a time after `atMs`. `publishedAt` is left out, because it is the time
 * when the row was written.
 */
function laterThan(atMs: number, value: unknown, name = ''): readonly string[] {
  if (typeof value === 'number') return value > atMs && value > instantMin && value < 2 * instantMin ? [name] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([key]) => key !== 'publishedAt')
    .flatMap(([key, one]) => laterThan(atMs, one, `${name}.${key}`))
}
