/**
 * Projects the real stage on a chain with reorgs. The final tables must equal those of a chain that has only
 * the final branch.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
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
import { drive, lastRows, livingOf } from '../replay/canonical-log.ts'
import { type KeyedRecord, lastSeqOf } from '../replay/keyed-record.ts'
import { reorgedMarket } from '../replay/reorgs/reorged-market.ts'
import { type ReorgPlan, reorgPlans } from '../replay/reorgs/with-reorgs.ts'
import { appendFacts, openStage, runUntil, silentLogger } from '../replay/stage-log.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { createDerivedLog, noonMs } from './derived-log.ts'
import { supersededBy } from './superseded.ts'

const partition = 0
const endAtMs = Date.UTC(2100, 0, 1)

/**
 * Two reorgs at each place. The first moves facts by three blocks, and the second mines the facts again with
 * other hashes.
 */
const movedThenRehashed = (depth: number, places: readonly number[]): readonly ReorgPlan[] =>
  places.flatMap((ofTicks) =>
    [{ laterBy: 3 }, 'same' as const].map((fate) => ({
      ...{ ofTicks, depth, shortBy: 0, fates: [fate], isRehashed: true },
    })),
  )
const examples: [number, readonly ReorgPlan[]][] = [
  [1, movedThenRehashed(400, [100, 200, 300, 400, 500, 600, 700, 800, 900])],
  // These reorgs are so deep that several bursts of one pool and tier move.
  [1, movedThenRehashed(6000, [900])],
]

describe('the tables of a chain with reorgs', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const project = async (source: Pick<Parameters<typeof projectToEnd>[0], 'log' | 'registry'>) => {
    for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
      await database.command(`TRUNCATE TABLE ${table}`)
    await projectToEnd({ projections, ...source, database, logger: silentLogger, signal: new AbortController().signal })
  }

  /** The last rows of the tables, without the times at which they were published. */
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

  /** Publishes each row of the final branch one time. */
  const derivedOfLiving = async (records: readonly KeyedRecord<ChainATypes>[]) => {
    const derived = await createDerivedLog()
    const rows = lastRows(chainA.stage, drive(chainA.stage, createTestDriver(chainA), livingOf(chainA.stage, records)))
    await derived.tick(
      noonMs,
      rows.map(({ token, record }) => [token, record]),
    )
    return derived
  }

  /**
   * Returns one line `pool tier time < time` per remaining burst. The second time is that of the earlier
   * burst that a reorg replaced by this one, or `none`.
   */
  const supersededInTable = async (): Promise<string[]> => {
    const rows = await database.query<Readonly<{ row: string }>>(
      `SELECT concat(pool, ' ', tier, ' ', toString(at_ms), ' < ', ifNull(toString(supersedes_at_ms), 'none')) AS row
       FROM ${atCut(bursts, endAtMs)}`,
    )
    return rows.map(({ row }) => row).sort()
  }

  it('are those of the chain that is left', async () => {
    let burstCount = 0
    let movedCount = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), reorgPlans(fc.nat(90)), async (seed, plans) => {
        const records = reorgedMarket(seed, plans)
        await project(await stageOn(records))
        const said = await lastSaid()
        const superseded = supersededBy(records)
        expect(await supersededInTable()).to.deep.equal(superseded)
        movedCount += superseded.filter((row) => !row.endsWith('none')).length
        await project(await derivedOfLiving(records))
        expect(said).to.deep.equal(await lastSaid())
        burstCount += said.bursts?.length ?? 0
      }),
      { numRuns: 4, seed: 5, examples },
    )
    expect(burstCount, 'bursts compared').to.be.greaterThan(0)
    expect(movedCount, 'bursts that moved').to.be.greaterThan(0)
  })
})
