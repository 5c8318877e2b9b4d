/** The real stage on a chain with reorgs, projected: the tables end as a chain that never left its branch would leave them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import { atCut } from '../../projections/at-cut.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { bursts } from '../../projections/chain-a/tables/bursts.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { type KeyedRecord, lastSeqOf } from '../replay/keyed-record.ts'
import { drive, lastRows, livingOf } from '../replay/living-log.ts'
import { reorgedMarket } from '../replay/reorged-market.ts'
import { appendFacts, openStage, runUntil, silentLogger } from '../replay/stage-log.ts'
import { type ReorgPlan, reorgPlans } from '../replay/with-reorgs.ts'
import { createHoledLog } from '../support/holed-log.ts'
import { createDerivedLog, noonMs } from './derived-log.ts'

const partition = 0
const endAtMs = Date.UTC(2100, 0, 1)

/** All that was traded in the last blocks comes three blocks later. */
const moving = (ofTicks: number): ReorgPlan => ({
  ...{ ofTicks, depth: 400, shortBy: 0, fates: [{ laterBy: 3 }], isRehashed: true },
})

describe('the tables of a chain with reorgs', () => {
  let dataDir: string
  let database: Database

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
    await migrate(database, await readMigrations(projections))
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const project = async (source: Pick<Parameters<typeof projectToEnd>[0], 'log' | 'registry'>) => {
    for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
      await database.command(`TRUNCATE TABLE ${table}`)
    await projectToEnd({ projections, ...source, database, logger: silentLogger, signal: new AbortController().signal })
  }

  /** What the tables say at last, without when it was said. */
  const lastSaid = async () => {
    const said: Record<string, readonly object[]> = {}
    for (const table of chainAProjection.tables) {
      const columns = Object.keys(table.columns).filter((column) => column !== 'supersedes_at_ms')
      said[table.name] = await database.query(
        `SELECT ${columns.join(', ')} FROM ${atCut(table, endAtMs)} ORDER BY ${table.naturalKey.join(', ')}`,
      )
    }
    return said
  }

  const stageOn = async (records: readonly KeyedRecord<ChainATypes>[]) => {
    const registry = createMemoryRegistry()
    const open = await openStage(chainA, registry)
    const log = createHoledLog({ nowMs: () => 0 })
    await appendFacts({ ...open, log, partition }, records)
    await runUntil({ ...open, partition }, lastSeqOf(records), { log })
    return { log, registry }
  }

  /** The rows of the chain that is left, each published once. */
  const derivedOfLiving = async (records: readonly KeyedRecord<ChainATypes>[]) => {
    const derived = await createDerivedLog()
    const rows = lastRows(chainA.stage, drive(chainA.stage, createTestDriver(chainA), livingOf(chainA.stage, records)))
    await derived.tick(
      noonMs,
      rows.map(({ token, record }) => [token, record]),
    )
    return derived
  }

  /** Of the bursts that are left, how many name another instant; all of those stood there and were withdrawn. */
  const countMoved = async (): Promise<number> => {
    const key = (instant: string) => `concat(pool, ' ', tier, ' ', toString(${instant}))`
    const moved = await database.query<Readonly<{ old: string }>>(
      `SELECT ${key('supersedes_at_ms')} AS old FROM ${atCut(bursts, endAtMs)} WHERE supersedes_at_ms IS NOT NULL`,
    )
    const withdrawn = await database.query<Readonly<{ old: string }>>(
      `SELECT DISTINCT ${key('at_ms')} AS old FROM bursts WHERE withdrawn = 1`,
    )
    expect(withdrawn.map(({ old }) => old)).to.include.members(moved.map(({ old }) => old))
    return moved.length
  }

  it('are those of the chain that is left', async () => {
    let burstCount = 0
    let movedCount = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), reorgPlans(fc.nat(90)), async (seed, plans) => {
        const records = reorgedMarket(seed, plans)
        await project(await stageOn(records))
        const said = await lastSaid()
        movedCount += await countMoved()
        await project(await derivedOfLiving(records))
        expect(said).to.deep.equal(await lastSaid())
        burstCount += said.bursts?.length ?? 0
      }),
      { numRuns: 3, seed: 5, examples: [[1, [100, 200, 300, 400, 500, 600, 700, 800, 900].map(moving)]] },
    )
    expect(burstCount, 'bursts compared').to.be.greaterThan(0)
    expect(movedCount, 'bursts that moved').to.be.greaterThan(0)
  })
})
