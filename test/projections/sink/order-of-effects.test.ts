/**
 * The projections write tables from the log. Pairs of these effects must happen in a fixed order, which these
 * tests check. See `infra/docs/order-of-effects.md`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { tablesOf } from '../../../projections/projection.ts'
import { migrate, migrationTable } from '../../../projections/sink/migrate.ts'
import { exchangeTables, rebuildProjections } from '../../../projections/sink/rebuild.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { watermarkTable } from '../../../projections/watermarks.ts'
import { silentLogger as logger } from '../../replay/stage-log.ts'
import { expectOrder } from '../../support/effects/effects.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { createDerivedLog, type DerivedLog, noonMs } from '../derived-log.ts'
import { createToyLog } from '../toy/derived-log.ts'
import { toyProjection, visits } from '../toy/projection.ts'
import { toyTopics } from '../toy/visits.ts'

const projections = [toyProjection]

describe('the order of effects of the projections', () => {
  let dataDir: string
  let derived: DerivedLog
  /** Appends a tick with one visit. */
  let visit: (number: number) => Promise<void>
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    derived = await createDerivedLog(toyTopics)
    const toy = await createToyLog(derived)
    visit = (number) => {
      const atMs = noonMs + number * 1000
      return toy.tick(atMs, [[`place ${number}`, { type: 'Visit', data: { atMs, guests: 1n, isOpen: true } }]])
    }
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const options = () => ({ projections, log: derived.log, registry: derived.registry, logger })
  const project = (database: Database) => projectToEnd({ ...options(), database, signal: new AbortController().signal })
  const placesIn = async (database: Database) => {
    const rows = await database.query<{ place: string }>(`SELECT DISTINCT place FROM ${visits.name} ORDER BY place`)
    return rows.map(({ place }) => place)
  }
  const withWriter = async <Result>(use: (database: Database) => Promise<Result>): Promise<Result> => {
    const database = await createDatabase({ dataDir, role: 'writer' })
    try {
      return await use(database)
    } finally {
      await database.close()
    }
  }

  it('a migration is applied before it is noted: none is left out after a crash', () => {
    const names = ['0001-a.sql', '0002-b.sql', '0003-c.sql']
    const migrations = names.map((name) => ({ name, sql: `CREATE ${name}` }))
    type World = Readonly<{ applied: Set<string>; noted: (readonly unknown[])[] }>
    const databaseOf = ({ applied, noted }: World) =>
      ({
        command: async (sql: string) => void applied.add(sql),
        insert: async ({ rows }: Parameters<Database['insert']>[0]) => void noted.push(...rows),
        query: async () => noted.map(([name, checksum]) => ({ name, checksum })),
      }) as unknown as Database
    return expectOrder<World>({
      pairs: names.map((name) => [`apply ${name}`, `note ${name}`] as const),
      interrupt: 'crash',
      begin: () => ({ applied: new Set(), noted: [] }),
      run: (world, effects) => {
        const command = (sql: string) => (sql.startsWith('CREATE 0') ? sql.replace('CREATE', 'apply') : null)
        return migrate(
          effects.around(databaseOf(world), { command, insert: ({ rows }) => `note ${rows[0]?.[0]}` }),
          migrations,
        )
      },
      leaves: async (world) => {
        await migrate(databaseOf(world), migrations)
        expect([...world.applied]).to.include.members(migrations.map(({ sql }) => sql))
      },
    })
  })

  it('a rebuild exchanges tables, then watermarks, then migrations: no watermark is ahead of the rows, and no table lacks a migration', () => {
    const tables = tablesOf(projections).map(({ name }) => name)
    /**
     * Says for each live table whether the rebuild has replaced the table. The table of visits does not exist
     * before the rebuild.
     */
    type World = Map<string, 'old' | 'rebuilt'>
    const all = [...tables, watermarkTable, migrationTable]
    return expectOrder<World>({
      pairs: [...tables.map((name) => [name, watermarkTable] as const), [watermarkTable, migrationTable]],
      interrupt: 'crash',
      begin: () => new Map(all.flatMap((name) => (name === visits.name ? [] : [[name, 'old']]))),
      run: async (world, effects) => {
        const tableIn = (sql: string) => /^(?:EXCHANGE TABLES live|RENAME TABLE shadow)\.(\w+)/.exec(sql)?.[1] ?? ''
        const live = {
          name: 'live',
          query: async <Row>() => [...world.keys()].map((name) => ({ name }) as Row),
          command: async (sql: string) => void world.set(tableIn(sql), 'rebuilt'),
        }
        await exchangeTables(effects.around(live, { command: tableIn }), 'shadow', projections)
      },
      leaves: (world) => {
        const isRebuilt = (name: string) => world.get(name) === 'rebuilt'
        if (isRebuilt(watermarkTable)) expect(tables.filter((name) => !isRebuilt(name))).to.deep.equal([])
        if (isRebuilt(migrationTable)) expect(all.filter((name) => !isRebuilt(name))).to.deep.equal([])
      },
    })
  })

  it('a rebuild reads the whole log before it exchanges: an abort leaves the tables as they were', async () => {
    for (const number of [1, 2]) await visit(number)
    const lost = 'a place that is no longer in the log'
    let runs = 0
    await expectOrder<{ wasAborted: boolean }>({
      pairs: [],
      interrupt: 'abort',
      begin: async () => {
        await withWriter(async (live) => {
          await project(live)
          await live.command(`ALTER TABLE ${visits.name} DELETE WHERE place = '${lost}' SETTINGS mutations_sync = 2`)
          // The row differs in each run, because ClickHouse ignores an insert that it has already seen.
          await live.insert({ table: visits.name, columns: ['place', 'at_ms'], rows: [[lost, noonMs + ++runs]] })
        })
        return { wasAborted: false }
      },
      run: async (world, effects) => {
        const { signal } = effects
        const log = recordedLog(derived.log, effects, {
          read: ({ partition, offset }) => (partition + offset === 0 ? 'read' : null),
        })
        await rebuildProjections({ ...options(), log, signal, database: { dataDir } })
        world.wasAborted = signal.aborted
      },
      leaves: async ({ wasAborted }) => {
        const places = await withWriter(placesIn)
        expect(places.includes(lost)).to.equal(wasAborted)
        expect(places).to.include.members(['place 1', 'place 2'])
      },
    })
  })
})
