import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { poolProfiles } from '../../projections/chain-a/tables/pool-profiles.ts'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import { projections } from '../../projections/projections.ts'
import { type RowAtCut, selectRowsAt } from '../../projections/rows-at-cut.ts'
import { selectSubject } from '../../projections/rows-of-subject.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { subjectRows } from '../../projections/subject-rows.ts'
import type { AnyVersionTable } from '../../projections/table.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'
import { insertVersions } from './insert-versions.ts'

const topic = 'chain-a-derived'

/** Versions of few pools, in the order of the log. The names of pools and tokens overlap. */
const versions = fc
  .array(fc.record({ pool: fc.nat(3), atMs: fc.nat(4), px: fc.nat(99), step: fc.nat(2), isWithdrawn: fc.boolean() }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((drawn) => {
    let knownAtMs = 0
    return drawn.map(({ pool, atMs, px, step, isWithdrawn }) => {
      knownAtMs += step
      return { values: [`x${pool}`, `x${pool % 2}`, 'v4', 1, atMs, px], knownAtMs, isWithdrawn }
    })
  })

const span = fc.tuple(fc.nat(4), fc.nat(4)).map(([from, to]) => ({ from, to }))

const profileOf = (pool: string, atMs: number) => [
  ...['t', pool, atMs, atMs, 1, null],
  ...['safe', 0, 0, 0, 1, 0, null, 2],
]

describe('the rows of a subject', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })
  beforeEach(async () => {
    for (const { name } of [pools, poolProfiles, subjectRows]) await database.command(`TRUNCATE TABLE ${name}`)
  })

  const textOf = (rows: readonly RowAtCut<typeof pools>[]) => rows.map((row) => JSON.stringify(row)).sort()

  const isSubject = 'IN {subjects:Array(String)}'
  const conditionsOf = {
    pool: { conditions: { pool: { sql: isSubject } }, constant: {} },
    token: { conditions: {}, constant: { token: isSubject } },
  } as const

  it('are those of a query on their table, for each kind of subject, span and cut', async () => {
    const question = fc.record({
      atMs: fc.nat(40),
      within: fc.option(span, { nil: null }),
      subjects: fc.subarray(['x0', 'x1', 'x2'], { minLength: 1 }),
      kind: fc.constantFrom('token', 'pool'),
    })
    await fc.assert(
      fc.asyncProperty(versions, question, async (rows, { atMs, within, subjects, kind }) => {
        for (const { name } of [pools, subjectRows]) await database.command(`TRUNCATE TABLE ${name}`)
        await insertVersions(database, { table: pools, topic, rows })
        const known = await selectSubject(database, { topic, kind, subjects, atMs, tables: [[pools, within]] })
        const { conditions, constant } = conditionsOf[kind]
        const alone = await selectRowsAt(database, pools, {
          ...{ atMs, constant, parameters: { subjects } },
          conditions: within === null ? conditions : { ...conditions, created_at_ms: within },
        })
        expect(textOf((await known.of(pools)).rows)).to.deep.equal(textOf(alone.rows))
      }),
      { numRuns: 60 },
    )
  })

  it('are those in the span of their own table, whichever spans the other tables have', async () => {
    const anySpan = fc.option(span, { nil: null })
    const question = fc.record({ atMs: fc.nat(40), opened: anySpan, checked: anySpan })
    let found = 0
    await fc.assert(
      fc.asyncProperty(versions, question, async (rows, { atMs, opened, checked }) => {
        for (const { name } of [pools, poolProfiles, subjectRows]) await database.command(`TRUNCATE TABLE ${name}`)
        const profiles = rows.map(({ values, ...row }) => {
          const [pool, token, , , createdAtMs] = values
          return { ...row, values: [token, ...profileOf(String(pool), Number(createdAtMs)).slice(1)] }
        })
        await insertVersions(database, { table: pools, topic, rows })
        await insertVersions(database, { table: poolProfiles, topic, rows: profiles })
        const known = await selectSubject(database, {
          ...{ topic, kind: 'token', subjects: ['x1'], atMs },
          tables: [
            [pools, opened],
            [poolProfiles, checked],
          ],
        })
        for (const [table, within] of [
          [pools, opened],
          [poolProfiles, checked],
        ] as const) {
          const { rows: alone } = await selectRowsAt<AnyVersionTable>(database, table, {
            ...{ atMs, conditions: within === null ? {} : { created_at_ms: within }, constant: { token: "= 'x1'" } },
          })
          const texts = (some: readonly object[]) => some.map((row) => JSON.stringify(row)).sort()
          expect(texts((await known.of<AnyVersionTable>(table)).rows), table.name).to.deep.equal(texts(alone))
          found += alone.length
        }
      }),
      { numRuns: 60, endOnFailure: true },
    )
    expect(found).to.be.above(0)
  })

  it('are the same if they are asked for together', async () => {
    const question = fc.record({ atMs: fc.nat(40), within: fc.option(span, { nil: null }) })
    await fc.assert(
      fc.asyncProperty(versions, question, async (rows, { atMs, within }) => {
        for (const { name } of [pools, subjectRows]) await database.command(`TRUNCATE TABLE ${name}`)
        await insertVersions(database, { table: pools, topic, rows })
        const asked: string[] = []
        const watched = {
          query(...query: Parameters<Database['query']>) {
            asked.push(query[0])
            return database.query(...query)
          },
        } as Database
        for (const kind of ['token', 'pool'] as const) {
          const of = async (from: Pick<Database, 'query'>, subject: string) => {
            const known = await selectSubject(from, {
              topic,
              kind,
              subjects: [subject],
              atMs,
              tables: [[pools, within]],
            })
            return textOf((await known.of(pools)).rows)
          }
          const subjects = ['x0', 'x1', 'x2', 'x3', 'y']
          const together = await Promise.all(subjects.map((subject) => of(watched, subject)))
          for (const [index, subject] of subjects.entries())
            expect(together[index], subject).to.deep.equal(await of(database, subject))
        }
        expect(asked.length, 'queries').to.equal(6)
      }),
      { numRuns: 40 },
    )
  })

  it('are those of the topic, and of no other chain with the same address', async () => {
    const rows = [{ values: ['p', 't', 'v4', 1, 5, 2], knownAtMs: 5 }]
    await insertVersions(database, { table: pools, topic: 'chain-b-derived', rows })
    const question = { kind: 'token', subjects: ['t'], atMs: 9, tables: [[pools, null]] } as const
    const read = async (from: typeof topic | 'chain-b-derived') =>
      (await (await selectSubject(database, { ...question, topic: from })).of(pools)).rows.length
    expect([await read(topic), await read('chain-b-derived')]).to.deep.equal([0, 1])
  })

  it('are limited together with the withdrawn ones, and tell whether some are left out', async () => {
    const rows = [1, 2, 3].map((pool) => ({
      ...{ values: profileOf(`p${pool}`, pool), knownAtMs: pool, isWithdrawn: pool === 3 },
    }))
    await insertVersions(database, { table: poolProfiles, topic, rows })
    const known = await selectSubject(database, {
      ...{ topic, kind: 'token', subjects: ['t'], atMs: 9, tables: [[poolProfiles, null]] },
    })
    const found = async (limit: number) => {
      const { rows: some, isAll } = await known.of(poolProfiles, limit)
      return [some.map(({ pool }) => pool), isAll]
    }
    expect([await found(1), await found(2), await found(3), await found(4)]).to.deep.equal([
      [[], false],
      [['p2'], false],
      [['p2', 'p1'], false],
      [['p2', 'p1'], true],
    ])
  })

  it('are selected from each table if they are more than one query may return', async () => {
    const rows = Array.from({ length: 2001 }, (_, index) => ({ values: profileOf(`p${index}`, 7), knownAtMs: 7 }))
    await insertVersions(database, { table: poolProfiles, topic, rows })
    await insertVersions(database, {
      table: pools,
      topic,
      rows: [{ values: ['p1', 't', 'v3', 1, 7, 2], knownAtMs: 7 }],
    })
    const tables: readonly (readonly [AnyVersionTable, { from: number; to: number }])[] = [
      [poolProfiles, { from: 7, to: 7 }],
      [pools, { from: 7, to: 7 }],
    ]
    const asked: string[] = []
    const watched = {
      query(...query: Parameters<Database['query']>) {
        asked.push(query[0])
        return database.query(...query)
      },
    }
    const known = await selectSubject(watched as Database, { topic, kind: 'token', subjects: ['t'], atMs: 9, tables })
    expect((await known.of(poolProfiles, 51)).rows).to.have.length(51)
    expect((await known.of(poolProfiles, 51)).isAll).to.equal(false)
    expect((await known.of(poolProfiles)).rows).to.have.length(2001)
    expect((await known.of(pools)).rows.map(({ dex }) => dex)).to.deep.equal(['v3'])
    expect(asked.length, 'queries').to.equal(5)
  })

  it('are selected for each subject if one query may not return those of all', async () => {
    const profiles = (token: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        values: [token, ...profileOf(`${token}${index}`, 7).slice(1)],
        knownAtMs: 7,
      }))
    const rows = [...profiles('few', 3), ...profiles('many', 2001), ...profiles('most', 6000)]
    await insertVersions(database, { table: poolProfiles, topic, rows })
    const countOf = async (token: string) => {
      const question = { topic, kind: 'token', subjects: [token], atMs: 9, tables: [[poolProfiles, null]] } as const
      return (await (await selectSubject(database, question)).of(poolProfiles)).rows.length
    }
    expect(await Promise.all(['few', 'few', 'few', 'many'].map(countOf))).to.deep.equal([3, 3, 3, 2001])
    expect(await Promise.all(['few', 'few', 'few', 'many', 'most'].map(countOf))).to.deep.equal([3, 3, 3, 2001, 6000])
  })

  it('are refused for a table that is not in the question, or has no such subject', async () => {
    const question = { topic, kind: 'pool', subjects: ['p'], atMs: 9, tables: [[pools, null]] } as const
    const known = await selectSubject(database, question)
    const failure = (call: Promise<unknown>) => call.then(() => null, String)
    expect(await failure(known.of(poolProfiles))).to.include('pool_profiles is not in the question')
    const other = await selectSubject(database, { ...question, tables: [[poolProfiles, null]] })
    expect(await failure(other.of(poolProfiles))).to.include('cannot be selected by pool')
  })
})

/** Values of a ClickHouse type, in the form in which the sink inserts them. */
function valuesOf(type: string): fc.Arbitrary<unknown> {
  const inner = /^(Nullable|LowCardinality|Array)\((.*)\)$/.exec(type)
  if (inner?.[1] === 'Nullable') return fc.option(valuesOf(inner[2] ?? ''), { nil: null })
  if (inner?.[1] === 'LowCardinality') return valuesOf(inner[2] ?? '')
  if (inner?.[1] === 'Array') return fc.array(valuesOf(inner[2] ?? ''), { maxLength: 3 })
  const fields = /^Tuple\((.*)\)$/.exec(type)?.[1]
  if (fields !== undefined)
    return fc.record(
      Object.fromEntries(
        fields.split(', ').map((field) => [field.split(' ')[0], valuesOf(field.slice(field.indexOf(' ') + 1))]),
      ),
    )
  if (type === 'String') return fc.string({ unit: 'grapheme', maxLength: 8 })
  if (type === 'Float64') return fc.double({ noNaN: true, noDefaultInfinity: true })
  if (type === 'Int256') return fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }).map(String)
  if (type === 'Int64') return fc.maxSafeInteger()
  if (type === 'UInt8') return fc.nat(1)
  return fc.nat(2 ** 31 - 1)
}

describe('the migrations that fill the table of subjects', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const asked = projections.flatMap(({ stage, tables }) =>
    tables.flatMap((table) => (table.bySubject === null ? [] : [{ table, topic: stage.derivedTopic.name }])),
  )

  type Stored = Readonly<{ details: string; place: string }>
  const stored = async () => {
    const rows = await database.query<Stored>(
      `SELECT details, concat(topic, ' ', subject, ' ', table_name, ' ', toString(at_ms), ' ', row_key, ' ', toString(log_offset), toString(known_at_ms), toString(published_at_ms), toString(withdrawn)) AS place
       FROM ${subjectRows.name} ORDER BY place`,
    )
    return rows.map(({ details, place }) => [place, details === '' ? '' : JSON.parse(details)])
  }

  for (const { table, topic: own } of asked)
    it(`insert what the sink inserts: ${own} ${table.name}`, async () => {
      const columns = Object.entries(table.columns)
      const row = fc.tuple(
        ...columns.map(([name, { type }]) => (name === 'chain' ? fc.constant(table.chain) : valuesOf(type))),
      )
      const fills = (await readMigrations(projections)).filter(({ sql }) => sql.includes('INSERT INTO subject_rows'))
      const [fill, ...more] = fills.filter(({ sql }) => new RegExp(`^FROM ${table.name}$`, 'm').test(sql))
      expect([fill === undefined, more.length], 'one migration fills it').to.deep.equal([false, 0])
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(row, fc.boolean()), { minLength: 3, maxLength: 6 }), async (drawn) => {
          for (const { name } of [table, subjectRows]) await database.command(`TRUNCATE TABLE ${name}`)
          const rows = drawn.map(([values, isWithdrawn], index) => ({ values, knownAtMs: index, isWithdrawn }))
          await insertVersions(database, { table, topic: own as typeof topic, rows })
          const expected = await stored()
          await database.command(`TRUNCATE TABLE ${subjectRows.name}`)
          await database.command(fill?.sql ?? '')
          expect(await stored()).to.deep.equal(expected)
        }),
        { numRuns: 3 },
      )
      await database.command(`TRUNCATE TABLE ${table.name}`)
    })

  it('read no table that is not asked by subject', async () => {
    const fills = (await readMigrations(projections)).filter(({ sql }) => sql.includes('INSERT INTO subject_rows'))
    const read = fills.flatMap(({ sql }) => [...sql.matchAll(/^FROM (\w+)$/gm)].map(([, name]) => name))
    expect([...new Set(read)]).to.have.members([...new Set(asked.map(({ table }) => table.name))])
  })
})
