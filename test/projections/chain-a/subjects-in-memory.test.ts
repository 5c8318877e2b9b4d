import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createChainAQueries } from '../../../projections/chain-a/queries/chain-a.ts'
import { burstBuyers } from '../../../projections/chain-a/tables/burst-buyers.ts'
import { burstLp } from '../../../projections/chain-a/tables/burst-lp.ts'
import { burstOutcomes } from '../../../projections/chain-a/tables/burst-outcomes.ts'
import { bursts } from '../../../projections/chain-a/tables/bursts.ts'
import { pools } from '../../../projections/chain-a/tables/pools.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { subjectRows } from '../../../projections/subject-rows.ts'
import type { AnyVersionTable } from '../../../projections/table.ts'
import { hourMs } from '../../../schemas/units.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'
import {
  address,
  buildBurst,
  buildBuyers,
  buildLp,
  buildOutcome,
  buildPoolOpened,
  noonMs,
  poolId,
} from '../derived-log.ts'
import { insertVersions } from '../insert-versions.ts'

const tables = { pool: pools, burst: bursts, lp: burstLp, outcome: burstOutcomes, buyers: burstBuyers } as const
type Name = keyof typeof tables

/** Times are hours after noon. Two pools belong to one token, and the third to another. */
const version = fc.record({
  of: fc.constantFrom<Name>('pool', 'burst', 'burst', 'outcome', 'outcome', 'lp', 'buyers'),
  pool: fc.constantFrom(1, 2, 3, 3),
  at: fc.constantFrom(0, 1, 2),
  knownAfter: fc.constantFrom(0, 1, 20, 30),
  isRug: fc.boolean(),
  isWithdrawn: fc.integer({ min: 0, max: 5 }).map((draw) => draw === 0),
})
type Version = typeof version extends fc.Arbitrary<infer Value> ? Value : never

const tokenOf = (pool: number): string => address(pool === 3 ? 2 : 1)

function recordOf({ of, pool, at, isRug }: Version) {
  const key = { pool: poolId(pool), atMs: noonMs + at * hourMs }
  const rug = isRug ? { atSec: 60, lpRemoved: 1 } : null
  const records = {
    pool: buildPoolOpened({ pool: key.pool, createdAtMs: key.atMs, dex: 'v3', px: pool === 2 && isRug ? null : 1 }),
    burst: buildBurst({ ...key, poolCreatedAtMs: noonMs }),
    lp: buildLp(key),
    outcome: buildOutcome({ ...key, rug }),
    buyers: buildBuyers(key),
  }
  return records[of].data
}

describe('the flow and the verdict', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const insert = async (versions: readonly Version[]) => {
    for (const [name, table] of Object.entries(tables)) {
      const rows = versions
        .filter(({ of }) => of === name)
        .map((one) => {
          const context = { topic: 'chain-a-derived', logKey: tokenOf(one.pool), supersedesAtMs: null }
          const values = (table as AnyVersionTable).valuesOf(recordOf(one) as never, context)
          return { values, knownAtMs: noonMs + (one.at + one.knownAfter) * hourMs, isWithdrawn: one.isWithdrawn }
        })
      if (rows.length > 0) await insertVersions(database, { table, topic: 'chain-a-derived', rows })
    }
  }
  const cutAt = (hour: number): StageCut => ({
    ...{ atMs: noonMs + hour * hourMs, blockAtMs: noonMs + hour * hourMs, blockNumber: 1 },
    ...{ coinPrice: null, source: 'simulated' },
  })
  type Queries = ReturnType<typeof createChainAQueries>
  const allOf = async (queries: Queries, cut: StageCut) => ({
    flows: await Promise.all([1, 2, 3].map((pool) => queries.poolFlow(cut, poolId(pool)))),
    verdicts: await Promise.all([1, 2].map((token) => queries.verdict(cut, address(token)))),
  })

  type Found = Awaited<ReturnType<typeof allOf>>
  const countsOf = ({ flows, verdicts }: Found) => ({
    flows: flows.filter((flow) => flow !== null).length,
    bursts: flows.flatMap((flow) => flow?.bursts ?? []).length,
    verdicts: verdicts.filter((verdict) => verdict !== null).length,
    rugs: verdicts.filter((verdict) => verdict?.isRugged).length,
  })

  it('are the same from memory as from queries about the pool and the token', async () => {
    const hours = fc.array(fc.constantFrom(0, 1, 2, 3, 22, 23, 24, 25, 26, 27, 40), { minLength: 2, maxLength: 5 })
    const seen = { flows: 0, bursts: 0, verdicts: 0, rugs: 0 }
    const compare = async (versions: readonly Version[], asked: readonly number[]) => {
      await insert(versions)
      // The memory of these queries is newer than each cut, so they select the rows of the subject.
      const late = createChainAQueries({ database })
      await allOf(late, cutAt(100))
      let ofSubjects = 0
      const query: Database['query'] = (sql, parameters) => {
        if (sql.includes(subjectRows.name)) ofSubjects++
        return database.query(sql, parameters)
      }
      const forward = createChainAQueries({ database: { ...database, query } })
      for (const hour of asked) {
        const cut = cutAt(hour)
        const selected = await allOf(late, cut)
        expect(await allOf(createChainAQueries({ database }), cut), `${hour}, first answer`).to.deep.equal(selected)
        expect(await allOf(forward, cut), `${hour}, from memory`).to.deep.equal(selected)
        ofSubjects = 0
        await allOf(forward, cut)
        expect(ofSubjects, 'only for the verdicts').to.be.within(1, 2)
        for (const [name, count] of Object.entries(countsOf(selected))) seen[name as keyof typeof seen] += count
      }
    }
    const inOrder = (left: Version, right: Version) => left.at + left.knownAfter - right.at - right.knownAfter
    await fc.assert(
      fc
        .asyncProperty(fc.array(version, { minLength: 16, maxLength: 30 }), hours, (drawn, asked) =>
          compare(
            [...drawn].sort(inOrder),
            [...asked].sort((left, right) => left - right),
          ),
        )
        .afterEach(async () => {
          for (const { name } of [...Object.values(tables), subjectRows])
            await database.command(`TRUNCATE TABLE ${name}`)
        }),
      { numRuns: 10, endOnFailure: true },
    )
    for (const [name, count] of Object.entries(seen)) expect(count, name).to.be.above(0)
  })
})
