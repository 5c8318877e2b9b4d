import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { createTrackRecord } from '../../../projections/desk/queries/track-record.ts'
import { compareWithTwins } from '../../../projections/desk/queries/twins.ts'
import { deskTablesOf } from '../../../projections/desk/tables.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { columnsOf } from '../../../projections/table.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'

const tables = deskTablesOf('chain-a')
type Name = keyof Pick<typeof tables, 'DeskOpened' | 'DeskTrade' | 'DeskTwin'>
type Fields = Readonly<{
  token: string
  lane: string
  book: string
  opened_at_ms: number
  closed_at_ms: number
  ret: number
}>
type Version = Readonly<{ of: Name; fields: Fields; knownAtMs: number; isWithdrawn: boolean }>

/** The times of the test are in steps of ten minutes. That is also the longest time between a trade and its twin. */
const stepMs = 600_000
const inTimeMs = 120_000
const lanes = ['burst-spread', 'burst-any', 'call-1', 'call-2'] as const
/** These lanes have the twins of another lane. */
const twinLanes: Readonly<Record<string, string>> = { 'burst-any': 'burst-spread', 'call-1': 'call-2' }

const delayMs = fc.constantFrom(0, 0, 0, 1, inTimeMs, inTimeMs + 1, 3 * stepMs)
const position = fc.record({
  token: fc.constantFrom('t', 'u', 'v'),
  lane: fc.constantFrom(...lanes),
  opened: fc.integer({ min: 1, max: 200 }),
  /** No lane of chain A holds a position for more than an hour. */
  held: fc.nat(6),
  openDelayMs: delayMs,
  closeDelayMs: delayMs,
  hasOpening: fc.integer({ min: 0, max: 9 }).map((draw) => draw > 0),
  /** What a reorg changes later, if anything. */
  later: fc.option(
    fc.record({
      of: fc.constantFrom<Name>('DeskOpened', 'DeskTrade'),
      afterMs: fc.constantFrom(0, 1000, stepMs, 20 * stepMs),
      fate: fc.constantFrom('withdrawn', 'restated', 'back'),
    }),
    { freq: 3 },
  ),
})

const history = fc.array(position, { minLength: 20, maxLength: 60 }).map((drawn) => {
  const versions = drawn.flatMap(({ token, lane, opened, held, later, ...its }, index): readonly Version[] => {
    const openedAtMs = opened * stepMs
    const fields = {
      ...{ token, lane, book: lane.startsWith('call') ? 'explore' : 'main', ret: index },
      ...{ opened_at_ms: openedAtMs, closed_at_ms: openedAtMs + held * stepMs },
    }
    const version = (of: Name, knownAtMs: number, isWithdrawn = false): Version => ({
      of,
      fields,
      knownAtMs,
      isWithdrawn,
    })
    const opening = version('DeskOpened', openedAtMs + its.openDelayMs)
    const trade = version('DeskTrade', fields.closed_at_ms + its.closeDelayMs)
    const first = its.hasOpening ? [opening, trade] : [trade]
    if (later === null) return first
    const changed = later.of === 'DeskTrade' ? trade : opening
    const atMs = changed.knownAtMs + later.afterMs
    const next = { ...changed, fields: { ...fields, ret: index + 0.5 }, knownAtMs: atMs }
    if (later.fate === 'restated') return [...first, next]
    return [...first, version(later.of, atMs, true), ...(later.fate === 'back' ? [next] : [])]
  })
  return versions.sort((one, other) => one.knownAtMs - other.knownAtMs)
})

const twins = fc.array(
  fc.record({
    token: fc.constantFrom('t', 'u', 'v', 'w'),
    lane: fc.constantFrom(...lanes),
    opened: fc.nat(200),
    edgeMs: fc.constantFrom(0, 0, 0, 1, -1),
    delayMs,
  }),
  { minLength: 100, maxLength: 250 },
)

const twinVersions = (
  drawn: readonly Readonly<{ token: string; lane: string; opened: number; edgeMs: number; delayMs: number }>[],
) =>
  drawn.map(({ token, lane, opened, edgeMs, delayMs: lateMs }, index): Version => {
    const at = Math.max(0, opened * stepMs + edgeMs)
    const fields = { token, lane, book: '', opened_at_ms: at, closed_at_ms: at + stepMs, ret: index }
    return { of: 'DeskTwin', fields, knownAtMs: at + stepMs + lateMs, isWithdrawn: index % 10 === 9 }
  })

/** Asks at times that mostly go forward. */
const asked = fc
  .array(
    fc.record({
      step: fc.oneof({ weight: 6, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.integer({ min: -60, max: 40 }) }),
      edgeMs: fc.constantFrom(0, 0, 1, inTimeMs),
      blocksBehind: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(9) }),
      sinceSteps: fc.oneof(fc.nat(20), fc.constant(144), fc.nat(210)),
      sinceEdgeMs: fc.constantFrom(0, 0, 0.5, 1),
      book: fc.constantFrom('all' as const, 'main' as const, 'explore' as const),
      limit: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(100)),
    }),
    { minLength: 8, maxLength: 20 },
  )
  .map((drawn) => {
    let at = 120
    return drawn.map(({ step, edgeMs, blocksBehind, sinceSteps, sinceEdgeMs, ...rest }) => {
      at = Math.max(0, at + step)
      const blockAtMs = Math.max(0, at - blocksBehind) * stepMs
      return { ...rest, atMs: at * stepMs + edgeMs, blockAtMs, sinceMs: (at - sinceSteps) * stepMs + sinceEdgeMs }
    })
  })

type Asked = typeof asked extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** The valid rows of a table at the cut, recounted from the versions. */
function rowsAt(versions: readonly Version[], name: Name, { atMs }: Pick<Asked, 'atMs'>) {
  const last = new Map<string, Version>()
  for (const version of versions) {
    const { token, lane, opened_at_ms } = version.fields
    if (version.of === name && version.knownAtMs <= atMs) last.set(`${token} ${lane} ${opened_at_ms}`, version)
  }
  return new Map([...last].filter(([, { isWithdrawn }]) => !isWithdrawn))
}

function recountTrades(versions: readonly Version[], question: Asked): readonly Version[] {
  const openings = rowsAt(versions, 'DeskOpened', question)
  const isInTime = ({ knownAtMs }: Version, atMs: number) => knownAtMs <= atMs + inTimeMs
  const found = [...rowsAt(versions, 'DeskTrade', question)].filter(([key, trade]) => {
    const opening = openings.get(key)
    const { opened_at_ms, closed_at_ms, book } = trade.fields
    if (!opening || !isInTime(opening, opened_at_ms) || !isInTime(trade, closed_at_ms)) return false
    if (opened_at_ms > question.blockAtMs || closed_at_ms < Math.floor(question.sinceMs)) return false
    return question.book === 'all' || question.book === book
  })
  const placeOf = ({ fields: { closed_at_ms, token, lane, opened_at_ms } }: Version) =>
    `${10 ** 12 - closed_at_ms} ${token} ${lane.padEnd(20)} ${10 ** 12 - opened_at_ms}`
  const byPlace = (one: Version, other: Version) => (placeOf(one) < placeOf(other) ? -1 : 1)
  return found
    .map(([, trade]) => trade)
    .sort(byPlace)
    .slice(0, question.limit)
}

function recountTwins(versions: readonly Version[], trade: Version, question: Asked): readonly number[] {
  const { token, lane, opened_at_ms: openedAtMs } = trade.fields
  const hashOf = ({ fields }: Version) =>
    createHash('md5').update(`${token}:${lane}:${openedAtMs}:${fields.token}:${fields.opened_at_ms}`).digest('hex')
  return [...rowsAt(versions, 'DeskTwin', question).values()]
    .filter(
      ({ fields, knownAtMs }) =>
        fields.token !== token &&
        fields.lane === (twinLanes[lane] ?? lane) &&
        Math.abs(fields.opened_at_ms - openedAtMs) <= stepMs &&
        fields.opened_at_ms <= question.blockAtMs &&
        knownAtMs <= fields.closed_at_ms + inTimeMs,
    )
    .sort((one, other) => (hashOf(one) < hashOf(other) ? -1 : 1))
    .map(({ fields }) => fields.ret)
    .slice(0, 20)
}

describe('the track record of the desk', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  async function insert(versions: readonly Version[]): Promise<void> {
    for (const name of ['DeskOpened', 'DeskTrade', 'DeskTwin'] as const) {
      const table = tables[name]
      await database.command(`TRUNCATE TABLE ${table.name}`)
      const rows = versions.flatMap(({ of, fields, knownAtMs, isWithdrawn }, offset) => {
        if (of !== name) return []
        const values = { chain: 'chain-a', signal_at_ms: 0, market: 'm', peak_ret: 0, exit: 'time', ...fields }
        const own = Object.keys(table.columns).map((column) => (values as Readonly<Record<string, unknown>>)[column])
        return [[...own, knownAtMs, knownAtMs, 0, offset, offset, isWithdrawn ? 1 : 0]]
      })
      if (rows.length > 0) await database.insert({ table: table.name, columns: columnsOf(table), rows })
    }
  }

  const countingDatabase = () => {
    const seen = { pages: 0 }
    const query: Database['query'] = (sql, parameters) => {
      if (sql.includes('OFFSET')) seen.pages += 1
      return database.query(sql, parameters)
    }
    return { seen, database: { query } }
  }
  const lineOf = ({
    token,
    lane,
    openedAtMs,
    closedAtMs,
    ret,
  }: Readonly<{ token: string; lane: string; openedAtMs: number; closedAtMs: number; ret: number }>) =>
    `${token} ${lane} ${openedAtMs} ${closedAtMs} ${ret}`
  const lineOfVersion = ({ fields }: Version) =>
    lineOf({ ...fields, openedAtMs: fields.opened_at_ms, closedAtMs: fields.closed_at_ms })

  /** The number of cases of each kind. */
  const counted = () => ({ fromMemory: 0, onePage: 0, pages: 0, trades: 0, cutShort: 0 })

  it('is that of a recount at every cut, whatever was asked before', async () => {
    const taken = counted()
    await fc.assert(
      fc.asyncProperty(history, asked, fc.constantFrom(0, 2, 1000), async (versions, cuts, spareRows) => {
        await insert(versions)
        const counting = countingDatabase()
        const record = createTrackRecord({ database: counting.database, tables, desk: chainADesk }, spareRows)
        for (const question of cuts) {
          counting.seen.pages = 0
          const found = await record.newest(question as unknown as StageCut, question)
          expect(found.map(lineOf)).to.deep.equal(recountTrades(versions, question).map(lineOfVersion))
          const { pages } = counting.seen
          taken[(['fromMemory', 'onePage'] as const)[pages] ?? 'pages'] += 1
          taken.trades += found.length
          if (pages > 0 && found.length === question.limit) taken.cutShort += 1
        }
      }),
      { numRuns: 40, endOnFailure: true },
    )
    for (const [what, count] of Object.entries(taken)) expect(count, what).to.be.greaterThan(20)
  })

  it('has the last trade of a token', async () => {
    const taken = { found: 0, none: 0 }
    await fc.assert(
      fc.asyncProperty(history, asked, async (versions, cuts) => {
        await insert(versions)
        const record = createTrackRecord({ database, tables, desk: chainADesk })
        for (const question of cuts.slice(0, 4)) {
          const { sinceMs } = question
          const found = await record.lastOf(question as unknown as StageCut, { token: 't', sinceMs })
          const all = recountTrades(versions, { ...question, book: 'all', limit: 1000 })
          const expected = all.find(({ fields }) => fields.token === 't')
          expect(found && lineOf(found)).to.equal(expected === undefined ? null : lineOfVersion(expected))
          taken[found ? 'found' : 'none'] += 1
        }
      }),
      { numRuns: 15, endOnFailure: true },
    )
    for (const [what, count] of Object.entries(taken)) expect(count, what).to.be.greaterThan(10)
  })

  it('has the twins of a recount', async () => {
    const taken = { twins: 0, without: 0 }
    const story = fc.record({ trades: history, drawn: twins, cuts: asked, tradesPerQuery: fc.constantFrom(1, 3, 500) })
    await fc.assert(
      fc.asyncProperty(story, async ({ trades, drawn, cuts, tradesPerQuery }) => {
        const versions = [...trades, ...twinVersions(drawn)]
        await insert(versions)
        const source = { database, tables, desk: chainADesk }
        const record = createTrackRecord(source)
        for (const asking of cuts.slice(0, 3)) {
          const question = { ...asking, sinceMs: 0, limit: 100 }
          const cut = question as unknown as StageCut
          const newest = await record.newest(cut, question)
          const found = await compareWithTwins(source, cut, { trades: newest, tradesPerQuery })
          const expected = recountTrades(versions, question)
          expect(found.map(lineOf)).to.deep.equal(expected.map(lineOfVersion))
          expect(found.map((trade) => trade.twins)).to.deep.equal(
            expected.map((trade) => recountTwins(versions, trade, question)),
          )
          for (const trade of found) taken[trade.twins.length > 0 ? 'twins' : 'without'] += 1
        }
      }),
      { numRuns: 15, endOnFailure: true },
    )
    for (const [what, count] of Object.entries(taken)) expect(count, what).to.be.greaterThan(20)
  })

  const [hourMs, startMs] = [3_600_000, 100 * stepMs]
  const positionOf = (opened_at_ms: number, closed_at_ms: number, token = 't'): readonly Version[] => {
    const fields = { token, lane: 'burst-spread', book: 'main', opened_at_ms, closed_at_ms, ret: 1 }
    const known = { fields, knownAtMs: closed_at_ms, isWithdrawn: false }
    return [
      { ...known, of: 'DeskOpened', knownAtMs: opened_at_ms },
      { ...known, of: 'DeskTrade' },
    ]
  }
  /** A later cut is asked for first, so the memory lacks the rows of the earlier cut. */
  const newestInPages = async (limit: number) => {
    const counting = countingDatabase()
    const record = createTrackRecord({ database: counting.database, tables, desk: chainADesk }, 0)
    const cutAt = (atMs: number) => ({ atMs, blockAtMs: atMs }) as StageCut
    const question = { sinceMs: 0, book: 'all', limit } as const
    await record.newest(cutAt(400 * stepMs), question)
    counting.seen.pages = 0
    const found = await record.newest(cutAt(300 * stepMs), question)
    return { pages: counting.seen.pages, opened: found.map(({ openedAtMs }) => openedAtMs - startMs) }
  }

  /**
   * A page has two trades. The trade of an earlier page may close an hour after it opened.
   *     opened   -1 and 0, or 0 and 0     1   2
   *     pages    ───────── 2 ─────────   ── 1 ──
   */
  it('is searched until no earlier page can have a later closing', async () => {
    const [first, second] = [positionOf(startMs + 1, startMs + hourMs), positionOf(startMs + 2, startMs + 2)]
    await insert([...positionOf(startMs, startMs + hourMs), ...first, ...second])
    expect(await newestInPages(1)).to.deep.equal({ pages: 2, opened: [1] })
    await insert([
      ...positionOf(startMs, startMs + hourMs),
      ...positionOf(startMs + 1, startMs + hourMs - 1),
      ...second,
    ])
    expect(await newestInPages(1)).to.deep.equal({ pages: 2, opened: [0] })
    await insert([
      ...positionOf(startMs, startMs + hourMs),
      ...positionOf(startMs + 1, startMs + hourMs + 1),
      ...second,
    ])
    expect(await newestInPages(1)).to.deep.equal({ pages: 1, opened: [1] })
  })

  it('has all trades of one time, and of the times beside it, one time each', async () => {
    const tokens = ['t', 'u', 'v', 'w', 'x']
    await insert([
      ...tokens.flatMap((token) => positionOf(startMs + 1, startMs + hourMs, token)),
      ...positionOf(startMs, startMs + hourMs),
      ...positionOf(startMs + 2, startMs + hourMs),
    ])
    expect(await newestInPages(2)).to.deep.equal({ pages: 2, opened: [2, 1] })
    const opened = [2, 1, 0, 1, 1, 1, 1]
    expect((await newestInPages(3)).opened).to.deep.equal(opened.slice(0, 3))
    expect((await newestInPages(100)).opened).to.deep.equal(opened)
  })

  it('is not compared with a twin that opened after the newest block', async () => {
    const twinsAt = twinVersions(
      [0, 1].map((edgeMs) => ({ token: 'u', lane: 'burst-spread', opened: 100, edgeMs, delayMs: 0 })),
    )
    await insert([...positionOf(startMs, startMs), ...twinsAt])
    const source = { database, tables, desk: chainADesk }
    const twinsOf = async (blockAtMs: number) => {
      const cut = { atMs: 200 * stepMs, blockAtMs } as StageCut
      const trades = await createTrackRecord(source).newest(cut, { sinceMs: 0, book: 'all', limit: 1 })
      return (await compareWithTwins(source, cut, { trades })).map(({ twins: returns }) => [...returns].sort())
    }
    expect(await twinsOf(startMs)).to.deep.equal([[0]])
    expect(await twinsOf(startMs + 1)).to.deep.equal([[0, 1]])
  })
})
