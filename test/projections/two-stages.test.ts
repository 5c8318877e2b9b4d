/** Tests two stages in one database: chain A, and a toy stage with its own records, table and number of partitions. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { OperationError } from '../../infra/errors.ts'
import { atCut } from '../../projections/at-cut.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { type Cuts, createCuts } from '../../projections/cuts.ts'
import { type Projection, tablesOf } from '../../projections/projection.ts'
import { rowOf, type Selected, selectOf, stampOf } from '../../projections/select.ts'
import { rebuildProjections } from '../../projections/sink/rebuild.ts'
import { projectToEnd, runProjections } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { hourMs, minuteMs } from '../../schemas/units.ts'
import { address, buildBurst, createDerivedLog, type DerivedLog, noonMs } from './derived-log.ts'
import { createToyLog, type ToyLog } from './toy/derived-log.ts'
import { toyProjection, visits } from './toy/projection.ts'
import { toyStage, toyTopics } from './toy/visits.ts'

const projections = [chainAProjection, toyProjection]
const both = [chainAStage, toyStage]
const logger = pino({ level: 'silent' })

describe('two stages', () => {
  let dataDir: string
  let writer: Database
  let reader: Database
  let cuts: Cuts
  let derived: DerivedLog
  let toy: ToyLog

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    writer = await createDatabase({ dataDir, role: 'writer' })
    reader = await createDatabase({ dataDir, role: 'reader' })
    cuts = createCuts({ database: reader })
  })
  after(async () => {
    await reader.close()
    await writer.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    derived = await createDerivedLog(toyTopics)
    toy = await createToyLog(derived)
  })
  afterEach(async () => {
    for (const name of [...tablesOf(projections).map((table) => table.name), watermarkTable])
      await writer.command(`TRUNCATE TABLE IF EXISTS ${name}`)
  })

  const options = () => ({ projections, log: derived.log, registry: derived.registry, logger })
  const project = () => projectToEnd({ ...options(), database: writer, signal: new AbortController().signal })
  const visitsAt = async (atMs: number) => {
    const rows = await reader.query<Selected>(
      `SELECT ${selectOf(visits, 'v')} FROM ${atCut(visits, atMs)} AS v ORDER BY v.place, v.at_ms`,
    )
    return rows.map((selected) => ({ ...rowOf(visits, 'v', selected), ...stampOf('v', selected) }))
  }
  const visit = (atMs: number, guests: bigint | null = 1n) =>
    ({ type: 'Visit', data: { atMs, guests, isOpen: guests !== null } }) as const

  it('are cut at the newest instant for which the slower one is complete', async () => {
    await derived.tick(noonMs)
    await derived.tick(noonMs + 9500)
    await project()
    expect(await cuts.newest(both), 'the toy is not projected yet').to.equal(null)
    expect(await cuts.at(noonMs, both)).to.equal(null)
    await toy.tick(noonMs + 100)
    await toy.tick(noonMs + 4200)
    await project()
    const withoutRows = ({ tables }: Pick<Projection, 'tables'>) => ({
      lastKnown: Object.fromEntries(tables.map(({ name }) => [name, 0])),
    })
    const chainA = {
      ...{ blockNumber: 10, blockAtMs: noonMs, coinPrice: { usd: 2000.1, atMs: noonMs - 1000 } },
      ...withoutRows(chainAProjection),
    }
    const ofToy = { blockNumber: 200, blockAtMs: noonMs + 3700, coinPrice: null, ...withoutRows(toyProjection) }
    const [atMs, source] = [noonMs + 4200, 'simulated']
    const cut = { atMs, stages: { 'chain-a': { atMs, ...chainA, source }, toy: { atMs, ...ofToy, source } } }
    expect(await cuts.newest(both)).to.deep.equal(cut)
    expect(await cuts.at(atMs, both)).to.deep.equal(cut)
    expect((await cuts.newest([toyStage]))?.stages).to.deep.equal({ toy: cut.stages.toy })
    expect((await cuts.newest([chainAStage]))?.atMs).to.equal(noonMs + 9500)
    expect(await cuts.at(noonMs + 4201, both), 'not all of the toy is projected').to.equal(null)
    expect(await cuts.at(noonMs + 50, both), 'nothing was known of the toy').to.equal(null)
    expect(await cuts.at(noonMs + 50, [chainAStage])).to.deep.include({ atMs: noonMs + 50 })
    await toy.tick(noonMs + 20_000)
    await project()
    expect((await cuts.newest(both))?.atMs, 'now chain A is the slower one').to.equal(noonMs + 9500)
    const fromWatermarks = await cuts.newest(both)
    // Only the first change is of one partition, so the partitions of a stage then have different ticks of equal times.
    for (const [what, change] of [
      ['ticks of equal times', `replace(last_tick, '"block_number":20', '"block_number":21') WHERE log_partition = 0`],
      ['a version with another column', `replace(last_tick, 'block_hash', 'hash') WHERE 1`],
      ['an earlier version', `'' WHERE 1`],
    ] as const) {
      const before = await reader.query(`SELECT last_tick FROM ${watermarkTable} FINAL ORDER BY ALL`)
      await writer.command(`ALTER TABLE ${watermarkTable} UPDATE last_tick = ${change} SETTINGS mutations_sync = 1`)
      const after = await reader.query(`SELECT last_tick FROM ${watermarkTable} FINAL ORDER BY ALL`)
      expect(after, what).to.not.deep.equal(before)
      expect(await cuts.newest(both), what).to.deep.equal(fromWatermarks)
    }
  })

  it('are cut at the last tick of each, however long ago it was', async () => {
    await derived.tick(noonMs)
    await toy.tick(noonMs)
    await derived.tick(noonMs + 2 * hourMs)
    await toy.tick(noonMs + 2 * hourMs)
    await project()
    const blockTimesAt = async (atMs: number) =>
      Object.values((await cuts.at(atMs, both))?.stages ?? {}).map(({ blockAtMs }) => blockAtMs - noonMs)
    for (const [agoMs, times] of [
      [0, [0, -500]],
      [minuteMs - 1, [0, -500]],
      [minuteMs, [0, -500]],
      [minuteMs + 1, [0, -500]],
      [2 * hourMs - 1, [0, -500]],
      [2 * hourMs, [2 * hourMs, 2 * hourMs - 500]],
    ] as const)
      expect(await blockTimesAt(noonMs + agoMs), `${agoMs} ms later`).to.deep.equal(times)
  })

  it('are cut with one query more for later stages, and for each without a tick in the last minute', async () => {
    await derived.tick(noonMs)
    await toy.tick(noonMs)
    await derived.tick(noonMs + 90_000)
    await toy.tick(noonMs + 120_000)
    await project()
    let count = 0
    const counted = createCuts({
      database: {
        ...reader,
        query: (sql, parameters) => {
          count++
          return reader.query(sql, parameters)
        },
      },
    })
    for (const [ask, queries] of [
      [() => counted.newest(both), 3],
      [() => counted.newest([toyStage]), 1],
      [() => counted.newest([chainAStage]), 1],
      [() => counted.at(noonMs + 90_000, both), 3],
      [() => counted.at(noonMs + 90_000, [chainAStage]), 1],
      [() => counted.at(noonMs + 1, both), 2],
      [() => counted.at(noonMs + 61_000, both), 4],
      [() => counted.at(noonMs + 120_001, both), 1],
      [() => counted.newest([]), 0],
    ] as const) {
      count = 0
      await ask()
      expect(count, String(ask)).to.equal(queries)
    }
  })

  it('are cut at no time whose rows are written while the cut is looked up', async () => {
    await derived.tick(noonMs)
    await toy.tick(noonMs)
    await project()
    for (const [step, look] of [
      (lookUp: Cuts, atMs: number) => lookUp.at(atMs, both),
      (lookUp: Cuts) => lookUp.newest(both),
    ].entries()) {
      const atMs = noonMs + 1000 * (step + 1)
      await derived.tick(atMs)
      await toy.tick(atMs)
      let isFirst = true
      const query: Database['query'] = async (sql, parameters) => {
        const wasFirst = isFirst
        isFirst = false
        const rows = await reader.query<never>(sql, parameters)
        if (wasFirst) await project()
        return rows
      }
      const found = await look(createCuts({ database: { ...reader, query } }), atMs)
      for (const { blockAtMs } of Object.values(found?.stages ?? {}))
        expect(blockAtMs, `the cut at ${found?.atMs} has the block of its own time`).to.be.within(
          Number(found?.atMs) - 500,
          Number(found?.atMs),
        )
      expect(await cuts.at(atMs, both), 'the rows were written').to.not.equal(null)
    }
  })

  it('have tables of their own, whose rows come back as they went in', async () => {
    const guests = 2n ** 200n + 1n
    await toy.tick(noonMs, [
      ['park', visit(noonMs, guests)],
      ['park', { type: 'Closed', data: { atMs: noonMs } }],
      ['zoo', visit(noonMs, null)],
    ])
    await toy.tick(noonMs + 1000, [
      ['park', { type: 'Withdrawn', data: { recordType: 'Visit', atMs: noonMs } }],
      ['park', { type: 'Withdrawn', data: { recordType: 'Closed', atMs: noonMs } }],
      ['park', { type: 'Restated', data: { recordType: 'Visit', atMs: noonMs + 7, supersedesAtMs: noonMs } }],
      ['park', visit(noonMs + 7, 2n)],
    ])
    await derived.tick(noonMs, [[address(1), buildBurst()]])
    await project()
    const park = { place: 'park', atMs: noonMs, guests: String(guests), isOpen: true, supersedesAtMs: null }
    const zoo = { ...park, place: 'zoo', guests: null, isOpen: false, knownAtMs: noonMs, publishedAtMs: noonMs }
    expect(await visitsAt(noonMs)).to.deep.equal([{ ...park, knownAtMs: noonMs, publishedAtMs: noonMs }, zoo])
    const moved = { ...park, atMs: noonMs + 7, guests: '2', supersedesAtMs: noonMs }
    expect(await visitsAt(noonMs + 1000)).to.deep.equal([
      { ...moved, knownAtMs: noonMs + 1000, publishedAtMs: noonMs },
      zoo,
    ])
    expect(await reader.query('SELECT count() AS n FROM bursts')).to.deep.equal([{ n: '1' }])
  })

  it('are projected again together by a rebuild', async () => {
    for (let step = 0; step < 5; step++) {
      await toy.tick(noonMs + step * 1000, [['park', visit(noonMs + step)]])
      await derived.tick(noonMs + step * 1000, [[address(1), buildBurst({ atMs: noonMs + step })]])
    }
    await project()
    const expected = [await cuts.newest(both), await visitsAt(noonMs + 3000)]
    await writer.command('TRUNCATE TABLE toy_visits')
    await writer.command('TRUNCATE TABLE ticks')
    await rebuildProjections({ ...options(), database: { dataDir }, signal: new AbortController().signal })
    expect([await cuts.newest(both), await visitsAt(noonMs + 3000)]).to.deep.equal(expected)
    expect(await reader.query('SELECT count() AS n FROM bursts')).to.deep.equal([{ n: '5' }])
  })

  describe('run side by side', () => {
    const stop = { now: () => {}, done: Promise.resolve() }
    /** The waiting calls of `reached`. A call resolves when a batch of the stage reaches the tick. */
    const waits: { name: string; seq: number; resolve: () => void }[] = []
    const reached = (name: string, seq: number) =>
      new Promise<void>((resolve) => {
        waits.push({ name, seq, resolve })
      })

    const start = (database: Database) => {
      const stopping = new AbortController()
      stop.now = () => stopping.abort()
      stop.done = runProjections({
        ...options(),
        database,
        signal: stopping.signal,
        flushIntervalMs: 0,
        onProgress: ({ projection, seq }) => {
          for (const wait of waits) if (wait.name === projection.stage.name && seq >= wait.seq) wait.resolve()
        },
      })
    }
    afterEach(async () => {
      waits.length = 0
      stop.now()
      await stop.done
    })

    it('while one waits for a tick', async () => {
      await toy.append([['park', visit(noonMs)]])
      start(writer)
      for (let seq = 1; seq <= 3; seq++) {
        const written = reached('chain-a', seq)
        await derived.tick(noonMs + seq * 1000)
        await written
      }
      const written = reached('toy', 1)
      await toy.tick(noonMs)
      await written
      expect(await visitsAt(noonMs)).to.have.length(1)
    })

    it('while the rows of one are not accepted', async () => {
      let isRefused = true
      let refusals = 0
      start({
        ...writer,
        insert: async (insert) => {
          if (isRefused && insert.table === visits.name) {
            refusals += 1
            throw new OperationError('database_failed', 'busy', { context: { isRetryable: true } })
          }
          await writer.insert(insert)
        },
      })
      await toy.tick(noonMs, [['park', visit(noonMs)]])
      for (let seq = 1; seq <= 3 || refusals < 2; seq++) {
        const written = reached('chain-a', seq)
        await derived.tick(noonMs + seq * 1000)
        await written
      }
      expect(await visitsAt(noonMs)).to.deep.equal([])
      const written = reached('toy', 1)
      isRefused = false
      await written
      expect(await visitsAt(noonMs)).to.have.length(1)
    })

    it('with one insert at a time', async () => {
      let running = 0
      let most = 0
      let count = 0
      start({
        ...writer,
        insert: async (insert) => {
          running += 1
          count += 1
          most = Math.max(most, running)
          await writer.insert(insert)
          running -= 1
        },
      })
      const written = [reached('chain-a', 20), reached('toy', 20)]
      for (let seq = 1; seq <= 20; seq++) {
        await derived.tick(noonMs + seq * 1000, [[address(1), buildBurst({ atMs: noonMs + seq })]])
        await toy.tick(noonMs + seq * 1000, [['park', visit(noonMs + seq)]])
      }
      await Promise.all(written)
      expect(most).to.equal(1)
      expect(count).to.be.greaterThan(6)
    })

    const corrupt = (topic: 'toy-derived' | 'chain-a-derived') =>
      derived.append([{ topic, partition: 1, key: 'x', value: Buffer.from([0, 0, 0, 0, 1, 9]) }])

    it('while the log of one cannot be read', async () => {
      await toy.tick(noonMs)
      await corrupt('toy-derived')
      start(writer)
      for (let seq = 1; seq <= 3; seq++) {
        const written = reached('chain-a', seq)
        await derived.tick(noonMs + seq * 1000)
        await Promise.race([written, stop.done])
      }
      expect((await cuts.newest([chainAStage]))?.atMs).to.equal(noonMs + 3000)
      expect(await cuts.newest(both)).to.equal(null)
    })

    it('until no log can be read', async () => {
      await corrupt('toy-derived')
      await corrupt('chain-a-derived')
      start(writer)
      const failure = await stop.done.catch((error) => error)
      stop.done = Promise.resolve()
      expect(failure).to.include({ code: 'record_corrupt' })
      expect(failure.message).to.match(/^(toy|chain-a)-derived\/1 cannot be written to the tables at offset /)
    })
  })
})
