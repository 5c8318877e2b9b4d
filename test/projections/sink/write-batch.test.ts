import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { type Progress, readProgress, writeBatch } from '../../../projections/sink/write-batch.ts'
import { columnsOf } from '../../../projections/table.ts'
import { textOfTick, ticks } from '../../../projections/ticks.ts'
import { watermarkColumns, watermarkTable } from '../../../projections/watermarks.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'
import { buildTick, noonMs } from '../derived-log.ts'
import { toyProjection, visits } from '../toy/projection.ts'

type Insert = Parameters<Database['insert']>[0]

describe('the inserts of a batch', () => {
  const topic = toyProjection.stage.derivedTopic.name
  const closed = (seq: number, rows: readonly Readonly<{ table: typeof visits | typeof ticks; value: string }>[]) => ({
    ...{ tick: buildTick({ seq, knownAtMs: noonMs + seq }), nextOffset: 10 * seq },
    rows: rows.map(({ table, value }) => ({ table, values: [value] })),
  })
  const visit = (value: string) => ({ table: visits, value })

  /**
   * Returns the inserts of a batch with these parts, in order. `editions` marks the place where the hourly
   * lists are written.
   */
  const written = async (parts: Parameters<typeof writeBatch>[1]['parts']) => {
    const inserts: (Insert | 'editions')[] = []
    const refuse = () => expect.fail('a batch only inserts')
    const database: Database = {
      name: 'of the test',
      insert: async (insert) => void inserts.push(insert),
      ...{ query: refuse, command: refuse, close: refuse },
    }
    await writeBatch(database, { projection: toyProjection, parts }, async () => void inserts.push('editions'))
    return inserts
  }

  it('are its bounds, its rows by table in the order of the log, its editions, and then its bounds as done', async () => {
    const parts = [
      {
        ...{ partition: 0, lastKnown: { visits: 4 } },
        ticks: [closed(4, [visit('a'), { table: ticks, value: 't' }]), closed(5, [visit('b')])],
      },
      { partition: 1, lastKnown: { visits: 5 }, ticks: [closed(5, [visit('c')])] },
    ]
    const bounds = (state: string, lastKnown: readonly object[], lastTick: string): Insert => ({
      ...{ table: watermarkTable, columns: watermarkColumns },
      rows: [0, 1].map((partition) => [topic, partition, state, 5, noonMs + 5, 50, lastKnown[partition], lastTick]),
    })
    const lastTick = textOfTick(closed(5, []).tick, topic)
    const rowsOf = (table: typeof visits | typeof ticks, values: readonly string[]): Insert => ({
      ...{ table: table.name, columns: columnsOf(table), rows: values.map((value) => [value]) },
      token: `${table.name} ${topic} 0:4-5,1:5-5 0`,
    })
    const inserts = await written(parts)
    expect(inserts.slice(1, -2)).to.have.deep.members([rowsOf(visits, ['a', 'b', 'c']), rowsOf(ticks, ['t'])])
    expect([inserts[0], ...inserts.slice(-2)]).to.deep.equal([
      bounds('planned', [{}, {}], ''),
      'editions',
      bounds('done', [{ visits: 4 }, { visits: 5 }], lastTick),
    ])
  })

  // Another version of the program may write the batch again. ClickHouse ignores an insert whose token it has
  // seen, so a token must always name the same rows.
  for (const [rowCount, sizes] of [
    [50_000, [50_000]],
    [100_001, [50_000, 50_000, 1]],
  ] as const)
    it(`are cut at every 50,000 rows: ${rowCount} rows`, async () => {
      const rows = Array.from({ length: rowCount }, (_, index) => visit(String(index)))
      const inserts = (await written([{ partition: 1, lastKnown: {}, ticks: [closed(7, rows)] }])).filter(
        (its) => its !== 'editions',
      )
      const ofRows = inserts.filter(({ table }) => table === visits.name)
      expect(ofRows.map((insert) => insert.rows.length)).to.deep.equal(sizes)
      expect(ofRows.map(({ token, rows: [first] }) => [token, first])).to.deep.equal(
        sizes.map((_, index) => [`${visits.name} ${topic} 1:7-7 ${50_000 * index}`, [String(50_000 * index)]]),
      )
    })
})

describe('the progress of a sink', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations([toyProjection]))
  })

  type Mark = readonly [partition: number, state: 'planned' | 'done', seq: number]
  const doneTo = (seq: number) => ({
    ...{ seq, knownAtMs: noonMs + seq, nextOffset: 10 * seq },
    lastKnown: { visits: seq },
  })

  const table: readonly (readonly [
    what: string,
    marks: readonly Mark[],
    expected: Readonly<Record<number, Progress>>,
  ])[] = [
    ['nothing before the first batch', [], {}],
    ['a batch that was announced only', [[0, 'planned', 4]], { 0: { done: null, plannedSeq: 4 } }],
    [
      'the last batch that is done, and no batch that is not',
      [
        [0, 'planned', 4],
        [0, 'done', 4],
        [0, 'planned', 9],
        [0, 'done', 9],
        [1, 'planned', 3],
        [1, 'done', 3],
      ],
      { 0: { done: doneTo(9), plannedSeq: null }, 1: { done: doneTo(3), plannedSeq: null } },
    ],
    [
      'the batch behind it that was announced, of each partition by itself',
      [
        [0, 'planned', 4],
        [0, 'done', 4],
        [0, 'planned', 9],
        [1, 'planned', 8],
        [1, 'done', 8],
        [2, 'planned', 9],
      ],
      {
        0: { done: doneTo(4), plannedSeq: 9 },
        1: { done: doneTo(8), plannedSeq: null },
        2: { done: null, plannedSeq: 9 },
      },
    ],
  ]
  for (const [index, [what, marks, expected]] of table.entries())
    it(`is ${what}`, async () => {
      const rowsOf = (topic: string, shift: number) =>
        marks.map(([partition, state, seq]) => [
          ...[
            topic,
            partition,
            state,
            seq + shift,
            noonMs + seq + shift,
            10 * (seq + shift),
            { visits: seq + shift },
            '',
          ],
        ])
      const rows = [...rowsOf(`topic ${index}`, 0), ...rowsOf('another topic', 50)]
      if (rows.length > 0) await database.insert({ table: watermarkTable, columns: watermarkColumns, rows })
      expect(Object.fromEntries(await readProgress(database, `topic ${index}`))).to.deep.equal(expected)
    })
})
