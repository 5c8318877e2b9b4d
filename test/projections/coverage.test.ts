import { expect } from 'chai'
import type { Database } from '../../infra/clickhouse/database.ts'
import { selectChainACovered } from '../../projections/chain-a/queries/covered.ts'
import { spansOf } from '../../projections/coverage.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { projections } from '../../projections/projections.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'
import {
  address,
  buildBurst,
  buildPoolOpened,
  buildTradeGap,
  createDerivedLog,
  noonMs,
  poolId,
  type TokenRecord,
} from './derived-log.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

describe('spans of ticks', () => {
  /** A pair of consecutive ticks, in seconds. By default, each tick is known 5 s after its block. */
  const turn = (formerAt: number, blockAt: number, fields: Readonly<Record<string, unknown>> = {}) => {
    const { formerKnownAt = formerAt && formerAt + 5, knownAt = blockAt + 5, ...flags } = fields
    return {
      ...{ formerAtMs: second(formerAt), blockAtMs: second(blockAt) },
      ...{ formerKnownAtMs: second(Number(formerKnownAt)), knownAtMs: second(Number(knownAt)) },
      ...{ isLate: false, isUnpriced: false, rulesVersion: 'a1', ...flags },
    }
  }
  const second = (at: number) => at * 1000
  const span = (from: number, to: number) => ({ fromMs: second(from), toMs: second(to) })
  /** The newest block, at 1000 s, became known at 1005 s. The cut is then. */
  const end = { ...span(100, 1000), atMs: second(1005), newestKnownAtMs: second(1005) }
  const none = { silent: [], late: [], unpriced: [], rules: [{ version: 'a1', sinceMs: second(100) }] }

  type Turns = Parameters<typeof spansOf>[0]
  const table: readonly (readonly [what: string, turns: Turns, expected: object, end?: object])[] = [
    ['a source that is heard of at once', [turn(0, 100)], none],
    ['a silence of just so long, which is none', [turn(0, 100), turn(200, 260)], none],
    ['a longer one, by when it was known', [turn(0, 100), turn(200, 261)], { ...none, silent: [span(205, 266)] }],
    ['blocks that were read together, which are no silence', [turn(0, 100), turn(200, 500, { knownAt: 265 })], none],
    ['a silence of just so long at the end', [turn(0, 100)], none, { newestKnownAtMs: second(945) }],
    [
      'a longer one at the end, up to the cut',
      [turn(0, 100)],
      { ...none, silent: [span(944, 1005)] },
      { newestKnownAtMs: second(944) },
    ],
    [
      'late ticks, from the block before the first to the last one',
      [turn(0, 100), turn(300, 310, { isLate: true }), turn(400, 410, { formerKnownAt: 521 })],
      { ...none, late: [span(300, 400)] },
    ],
    [
      'the late blocks of a tick that reports a long time, without its newest ones',
      [turn(0, 100), turn(300, 600, { isLate: true }), turn(600, 602)],
      { ...none, silent: [span(305, 605)], late: [span(300, 485)] },
    ],
    [
      'late ones from the beginning to the end',
      [turn(0, 100, { isLate: true })],
      { ...none, late: [span(100, 1000)] },
      { atMs: second(1200), newestKnownAtMs: second(1150) },
    ],
    [
      'a tick at the end that reports a long time',
      [turn(0, 100), turn(300, 1000, { isLate: true })],
      { ...none, silent: [span(305, 1005)], late: [span(300, 885)] },
    ],
    [
      'a price that is missing for a while, and again',
      [
        ...[turn(0, 100, { isUnpriced: true }), turn(150, 160), turn(200, 210, { isUnpriced: true })],
        turn(220, 230, { isLate: true, isUnpriced: true }),
      ],
      { ...none, late: [span(220, 885)], unpriced: [span(100, 150), span(200, 1000)] },
    ],
    [
      'other rules',
      [turn(0, 100), turn(400, 410, { rulesVersion: 'a2' })],
      { ...none, rules: [...none.rules, { version: 'a2', sinceMs: second(410) }] },
    ],
  ]
  for (const [what, turns, expected, other] of table)
    it(`tell of ${what}`, () => {
      expect(spansOf(turns, { ...end, ...other })).to.deep.equal(expected)
    })
})

const startMs = noonMs + 30 * minuteMs

const unpriced = { ethUsd: null, ethUsdAtMs: null }
/** An ETH price of the greatest allowed age. */
const pricedAt = (atMs: number) => ({ ethUsd: 2000, ethUsdAtMs: atMs - 10 * minuteMs })

/**
 * Writes ticks from 12:30 to 15:00. There are no ticks from 12:50 to 13:20. The ticks from 13:20 to 13:30
 * become known only at 13:30. The ticks from 14:10 to 14:20 have no price.
 */
async function threeHours() {
  const derived = await createDerivedLog()
  const untilMs = noonMs + 3 * hourMs
  for (let atMs = startMs; atMs < untilMs; atMs += 30_000) {
    const minute = (atMs - noonMs) / minuteMs
    if (minute > 50 && minute < 80) continue
    const knownAtMs = minute >= 80 && minute < 90 ? noonMs + 90 * minuteMs : atMs
    await derived.tick(knownAtMs, [], {
      blockAtMs: atMs,
      ...(minute >= 130 && minute < 140 ? unpriced : pricedAt(atMs)),
    })
  }
  const records: readonly TokenRecord[] = [
    [address(1), buildPoolOpened({ pool: poolId(1), createdAtMs: startMs + 1 })],
    [address(1), buildPoolOpened({ pool: poolId(2), createdAtMs: noonMs + 2 * hourMs })],
    [address(1), buildBurst({ pool: poolId(1), atMs: startMs + minuteMs })],
    [address(1), buildTradeGap({ atMs: noonMs + hourMs, state: 'given_up' })],
  ]
  await derived.tick(untilMs, records, pricedAt(untilMs))
  return derived
}

describe('the coverage of a chain', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
    const { log, registry } = await threeHours()
    const options = { projections, log, registry, database, logger: silentLogger }
    await projectToEnd({ ...options, signal: new AbortController().signal })
  })

  const coveredAt = (atMs: number, blockAtMs = atMs) =>
    selectChainACovered(database, { atMs, blockAtMs } as unknown as StageCut)

  it('tells of each hour what was missing, late and without a price, and of how much there was', async () => {
    const { hours, knownSinceMs, watched, tradeGaps, rules } = await coveredAt(noonMs + 3 * hourMs)
    expect(knownSinceMs).to.equal(startMs)
    expect(rules.map(({ sinceMs }) => sinceMs)).to.deep.equal([startMs])
    const told = hours.map(({ hourAtMs, silent, late, unpriced }) => ({
      ...{ hour: (hourAtMs - noonMs) / hourMs },
      ...Object.fromEntries(
        Object.entries({ silent, late, unpriced }).map(([name, spans]) => [
          name,
          spans.map(({ fromMs, toMs }) => [(fromMs - noonMs) / minuteMs, (toMs - noonMs) / minuteMs]),
        ]),
      ),
    }))
    expect(told).to.deep.equal([
      { hour: 0, silent: [[50, 60]], late: [[50, 60]], unpriced: [] },
      { hour: 1, silent: [[60, 90]], late: [[60, 88]], unpriced: [] },
      { hour: 2, silent: [], late: [], unpriced: [[129.5, 139.5]] },
      { hour: 3, silent: [], late: [], unpriced: [] },
    ])
    expect(hours.map(({ ticks }) => ticks)).to.deep.equal([41, 80, 120, 1])
    expect([...watched]).to.deep.equal([
      [noonMs, { poolsOpened: 1, bursts: 1 }],
      [noonMs + 2 * hourMs, { poolsOpened: 1 }],
    ])
    expect([...(tradeGaps ?? [])]).to.deep.equal([[noonMs + hourMs, { open: 0, givenUp: 1, late: 0 }]])
  })

  it('has an hour without ticks', async () => {
    const { hours } = await coveredAt(noonMs + 5 * hourMs)
    expect(hours[4]).to.include({ hourAtMs: noonMs + 4 * hourMs, ticks: 0, blocks: null })
  })

  it('holds nothing that was not known at the cut', async () => {
    // The blocks from 13:20 on became known at 13:30.
    const { hours } = await coveredAt(noonMs + 81 * minuteMs, noonMs + 50 * minuteMs)
    expect(hours.map(({ hourAtMs, ticks }) => [hourAtMs, ticks])).to.deep.equal([
      [noonMs, 41],
      [noonMs + hourMs, 0],
    ])
    expect(hours.flatMap(({ late }) => late)).to.deep.equal([])
  })

  it('is silent up to the cut while no new block comes', async () => {
    const spans = async (minute: number) =>
      (await coveredAt(noonMs + minute * minuteMs, noonMs + 50 * minuteMs)).hours.flatMap(({ silent }) =>
        silent.map(({ fromMs, toMs }) => [(fromMs - noonMs) / minuteMs, (toMs - noonMs) / minuteMs]),
      )
    expect(await spans(51)).to.deep.equal([])
    expect(await spans(52)).to.deep.equal([[50, 52]])
    expect(await spans(81)).to.deep.equal([
      [50, 60],
      [60, 81],
    ])
  })

  it('is empty before anything is known', async () => {
    await database.command('TRUNCATE TABLE ticks')
    expect(await coveredAt(noonMs)).to.deep.include({ knownSinceMs: null, hours: [] })
  })
})

describe('the coverage of a node that does not answer', () => {
  let database: Database
  const backAt = 12 * minuteMs
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
    const derived = await createDerivedLog()
    const tick = (knownAt: number, blockAt: number) =>
      derived.tick(noonMs + knownAt, [], {
        ...{ blockNumber: blockAt / 2000, blockAtMs: noonMs + blockAt },
        ...pricedAt(noonMs + blockAt),
      })
    for (let at = 0; at <= minuteMs; at += 2000) await tick(at + 500, at)
    // Ingest repeats the last tick each second. One tick reports all blocks that it reads when the node answers again.
    for (let at = minuteMs + 1000; at < backAt; at += 1000) await tick(at + 500, minuteMs)
    for (let at = backAt; at <= backAt + minuteMs; at += 2000) await tick(at + 500, at)
    const { log, registry } = derived
    const options = { projections, log, registry, database, logger: silentLogger }
    await projectToEnd({ ...options, signal: new AbortController().signal })
  })

  const toldAt = async (atMs: number, blockAtMs: number) => {
    const cut = { atMs: noonMs + atMs, blockAtMs: noonMs + blockAtMs } as unknown as StageCut
    const { hours } = await selectChainACovered(database, cut)
    const seconds = (spans: readonly Readonly<{ fromMs: number; toMs: number }>[]) =>
      spans.map(({ fromMs, toMs }) => [(fromMs - noonMs) / 1000, (toMs - noonMs) / 1000])
    return hours.map(({ silent, late }) => ({ silent: seconds(silent), late: seconds(late) }))
  }

  it('tells of the silence and of the blocks that became known late, although ticks came each second', async () => {
    const later = backAt + minuteMs
    expect(await toldAt(later + 500, later)).to.deep.equal([{ silent: [[60.5, 720.5]], late: [[60, 600.5]] }])
  })

  it('tells of the silence while it lasts', async () => {
    expect(await toldAt(2 * minuteMs, minuteMs)).to.deep.equal([{ silent: [], late: [] }])
    expect(await toldAt(5 * minuteMs, minuteMs)).to.deep.equal([{ silent: [[60.5, 300]], late: [] }])
    expect(await toldAt(20 * 24 * hourMs, minuteMs), 'a week at most').to.have.lengthOf(7 * 24 + 1)
    expect(await toldAt(-1, -1), 'before the first block').to.deep.equal([])
  })
})
