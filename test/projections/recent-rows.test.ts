import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { chainBGraduationPosts } from '../../projections/chain-b/tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from '../../projections/chain-b/tables/chain-b-graduations.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { projections } from '../../projections/projections.ts'
import { createRecentRows } from '../../projections/recent-rows.ts'
import type { LastKnown } from '../../projections/recent-writes.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { columnsOf } from '../../projections/table.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'

const tables = { graduation: chainBGraduations, post: chainBGraduationPosts }
type Name = keyof typeof tables
type Version = Readonly<{ of: Name; mint: string; at: number; value: number; knownAt: number; isWithdrawn: boolean }>

/** All times of the test are in steps of 20 minutes. After more than three steps, the memory is too old to be advanced. */
const stepMs = 1_200_000
const lastStep = 30
const keptMs = 4 * stepMs

const written = fc
  .array(
    fc.record({
      of: fc.constantFrom<Name>('graduation', 'post'),
      mint: fc.constantFrom('m', 'n', 'o'),
      back: fc.nat(4),
      value: fc.nat(1000),
      step: fc.integer({ min: -1, max: 1 }).map((step) => Math.max(0, step)),
      isWithdrawn: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
    }),
    { minLength: 20, maxLength: 60 },
  )
  .map((drawn) => {
    let knownAt = 0
    return drawn.map(({ step, back, ...rest }): Version => {
      knownAt += step
      return { ...rest, at: Math.max(0, knownAt - back), knownAt }
    })
  })

/** Asks at times that mostly go forward. The block time is mostly that of the cut. */
const asked = fc
  .array(
    fc.record({
      step: fc.oneof(
        { weight: 9, arbitrary: fc.nat(2) },
        { weight: 6, arbitrary: fc.constant(1 / 60) },
        { weight: 1, arbitrary: fc.integer({ min: -8, max: 6 }) },
      ),
      blocksBehind: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
      span: fc.nat(6),
      edgeMs: fc.nat(1),
      hearsOfRows: fc.boolean(),
    }),
    { minLength: 10, maxLength: 25 },
  )
  .map((drawn) => {
    let at = 8
    return drawn.map(({ step, blocksBehind, ...rest }) => {
      at = Math.min(lastStep, Math.max(0, at + step))
      return { ...rest, at, blockAt: Math.max(0, at - blocksBehind) }
    })
  })

describe('rows in memory', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  async function insert(versions: readonly Version[]): Promise<void> {
    for (const [name, table] of Object.entries(tables)) {
      await database.command(`TRUNCATE TABLE ${table.name}`)
      const rows = versions.flatMap(({ of, mint, at, value, knownAt, isWithdrawn }, offset) => {
        if (of !== name) return []
        const values =
          of === 'graduation'
            ? [mint, at * stepMs, value, null, [], null, null, null, null]
            : [mint, at * stepMs, value, null, null, null]
        return [[...values, knownAt * stepMs, knownAt * stepMs, 0, offset, offset, isWithdrawn ? 1 : 0]]
      })
      if (rows.length > 0) await database.insert({ table: table.name, columns: columnsOf(table), rows })
    }
  }

  /** What the service knew at the cut, recounted from the versions. */
  function expectedAt(
    versions: readonly Version[],
    atMs: number,
    { from, to }: Readonly<{ from: number; to: number }>,
  ) {
    const last = new Map<string, Version>()
    for (const version of versions)
      if (version.knownAt * stepMs <= atMs) last.set(`${version.of} ${version.mint} ${version.at}`, version)
    const valid = [...last.values()].filter(({ isWithdrawn }) => !isWithdrawn)
    const posts = new Map(valid.flatMap(({ of, mint, at, value }) => (of === 'post' ? [[`${mint} ${at}`, value]] : [])))
    return valid
      .filter(({ of, at }) => of === 'graduation' && at * stepMs >= from && at * stepMs <= to)
      .map(({ mint, at, value }) => `${mint} ${at}: ${value}, ${posts.get(`${mint} ${at}`) ?? 'no post'}`)
  }

  const countingDatabase = () => {
    const seen = { queries: 0, sql: '' }
    const query: Database['query'] = (sql, parameters) => {
      seen.queries += 1
      seen.sql += sql
      return database.query(sql, parameters)
    }
    return { seen, database: { query } }
  }

  const lastKnownAt = (versions: readonly Version[], atMs: number): LastKnown =>
    Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [
        table.name,
        Math.max(
          0,
          ...versions
            .filter(({ of, knownAt }) => of === name && knownAt * stepMs <= atMs)
            .map(({ knownAt }) => knownAt * stepMs),
        ),
      ]),
    )

  const linesOf = async (
    found: Promise<
      readonly Readonly<{
        graduation: { mint: string; gradAtMs: number; slot: number }
        post: { anchorAtMs: number } | undefined
      }>[]
    >,
  ) =>
    (await found).map(
      ({ graduation: { mint, gradAtMs, slot }, post }) =>
        `${mint} ${gradAtMs / stepMs}: ${slot}, ${post?.anchorAtMs ?? 'no post'}`,
    )

  it('are those of the tables at every cut, whatever was asked before', async () => {
    const taken = { fromMemory: 0, selected: 0 }
    await fc.assert(
      fc.asyncProperty(written, asked, fc.constantFrom(1, 2, 3, 50), async (versions, cuts, rowsMax) => {
        await insert(versions)
        const counting = countingDatabase()
        const recent = createRecentRows({
          ...{ database: counting.database, tables, first: 'graduation' as const, time: 'grad_at_ms' },
          ...{ keptMs, rowsMax },
        })
        for (const { at, blockAt, span, edgeMs, hearsOfRows } of cuts) {
          const [atMs, blockAtMs] = [Math.round(at * stepMs), Math.round(blockAt * stepMs)]
          const known = hearsOfRows ? { lastKnown: lastKnownAt(versions, atMs) } : {}
          const range = { from: blockAtMs - span * stepMs + edgeMs, to: blockAtMs }
          counting.seen.queries = 0
          const found = await linesOf(recent({ atMs, blockAtMs, ...known } as StageCut, range))
          expect(found).to.have.members(expectedAt(versions, atMs, range))
          taken[counting.seen.queries === 0 ? 'fromMemory' : 'selected'] += 1
        }
      }),
      { numRuns: 60, endOnFailure: true },
    )
    expect(taken.fromMemory, 'cuts without a query').to.be.greaterThan(20)
    expect(taken.selected, 'cuts with a query').to.be.greaterThan(20)
  })

  const row = (at: number, changes: Partial<Version> = {}): Version => ({
    ...{ of: 'graduation', mint: 'm', at, value: 1, knownAt: 1, isWithdrawn: false },
    ...changes,
  })

  it('are the same objects until one of their rows changes', async () => {
    await insert([row(1), row(2), row(1, { of: 'post', value: 9, knownAt: 4 })])
    const recent = createRecentRows({
      ...{ database, tables, first: 'graduation' as const, time: 'grad_at_ms', keptMs },
    })
    const at = async (step: number) => {
      const found = await recent({ atMs: step * stepMs, blockAtMs: 5 * stepMs } as StageCut, {
        from: stepMs,
        to: 5 * stepMs,
      })
      return [...found].sort((one, other) => one.graduation.gradAtMs - other.graduation.gradAtMs)
    }
    const [before, again, after] = [await at(2), await at(3), await at(4)]
    expect([again[0] === before[0], again[1] === before[1]]).to.deep.equal([true, true])
    expect([after[0] === before[0], after[1] === before[1]]).to.deep.equal([false, true])
    expect([before[0]?.post?.anchorAtMs, after[0]?.post?.anchorAtMs]).to.deep.equal([undefined, 9])
  })

  it('are the newest ones if there are too many', async () => {
    await insert([1, 2, 3, 4, 5].map((at) => row(at, { knownAt: at })))
    const counting = countingDatabase()
    const recent = createRecentRows({
      ...{ database: counting.database, tables, first: 'graduation' as const, time: 'grad_at_ms', keptMs, rowsMax: 2 },
    })
    const ask = async (step: number, from: number) => {
      const cut = { atMs: step * stepMs, blockAtMs: 5 * stepMs } as StageCut
      await recent(cut, { from: 5 * stepMs, to: 5 * stepMs })
      counting.seen.queries = 0
      const found = await recent(cut, { from: from * stepMs, to: 5 * stepMs })
      return [found.length, counting.seen.queries]
    }
    expect(await ask(1, 1)).to.deep.equal([1, 0])
    expect(await ask(4, 1), 'four are twice as many as two').to.deep.equal([4, 0])
    expect(await ask(5, 4)).to.deep.equal([2, 0])
    expect(await ask(5, 3), 'both tables are selected').to.deep.equal([3, 2])
  })

  it('are selected if their time is only partly in memory', async () => {
    await insert([row(3), row(3, { mint: 'n' }), row(4)])
    const recent = createRecentRows({
      ...{ database, tables, first: 'graduation' as const, time: 'grad_at_ms', keptMs, rowsMax: 2 },
    })
    const found = await recent({ atMs: 5 * stepMs, blockAtMs: 5 * stepMs } as StageCut, {
      from: 3 * stepMs,
      to: 5 * stepMs,
    })
    expect(found).to.have.length(3)
  })

  it('are not brought to a cut for a time that they lack, until they are built again', async () => {
    await insert([1, 2, 3, 4, 5].map((at) => row(at)))
    const counting = countingDatabase()
    const recent = createRecentRows({
      ...{ database: counting.database, tables, first: 'graduation' as const, time: 'grad_at_ms', keptMs, rowsMax: 2 },
    })
    const ask = async (atMs: number, from: number) => {
      counting.seen.queries = 0
      const cut = { atMs, blockAtMs: 5 * stepMs } as StageCut
      const found = await recent(cut, { from: from * stepMs, to: 5 * stepMs })
      return [found.length, counting.seen.queries]
    }
    const start = 5 * stepMs
    expect(await ask(start, 5), 'the identity of the tables, and both tables').to.deep.equal([1, 3])
    expect(await ask(start + 1, 3), 'only both tables').to.deep.equal([3, 2])
    expect(await ask(start + 1, 5), 'what changed in both tables').to.deep.equal([1, 2])
    expect(await ask(start + 1 + 3_600_000, 3)).to.deep.equal([3, 2])
    expect(await ask(start + 2 + 3_600_000, 3), 'the memory is built again').to.deep.equal([3, 5])
  })

  it('need only the tables with new rows to be queried', async () => {
    await insert([row(1)])
    const counting = countingDatabase()
    const recent = createRecentRows({
      ...{ database: counting.database, tables, first: 'graduation' as const, time: 'grad_at_ms', keptMs },
    })
    const ask = async (atMs: number, lastKnown?: LastKnown) => {
      Object.assign(counting.seen, { queries: 0, sql: '' })
      await recent({ atMs, blockAtMs: 5 * stepMs, ...(lastKnown && { lastKnown }) } as StageCut, {
        from: stepMs,
        to: 5 * stepMs,
      })
      return counting.seen.queries
    }
    const none = { chain_b_graduations: 0, chain_b_graduation_posts: 0 }
    const start = 5 * stepMs
    expect(await ask(start, none), 'the identity of the tables, and both tables').to.equal(3)
    expect(await ask(start + 1, none), 'nothing changed').to.equal(0)
    expect(await ask(start + 2, { ...none, chain_b_graduations: start + 2 }), 'one table').to.equal(1)
    expect(await ask(start + 3), 'nothing is known of new rows').to.equal(2)
    expect(await ask(start), 'an earlier cut: both tables').to.equal(2)
    expect(await ask(start + 3 + 3_600_000)).to.equal(3)
    expect(counting.seen.sql, 'what changed in an hour').to.include(`known_at_ms > ${start + 3}`)
    expect(await ask(start + 4 + 7_200_000)).to.equal(3)
    expect(counting.seen.sql, 'after more than an hour, the newest rows').to.include('LIMIT 5000')
  })
})
