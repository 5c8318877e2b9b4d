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
  /** A pair of consecutive ticks. By default, each tick is known 5 ms after its block. */
  const turn = (formerAtMs: number, blockAtMs: number, flags: object = {}) => ({
    ...{ formerAtMs, blockAtMs, formerKnownAtMs: formerAtMs && formerAtMs + 5, knownAtMs: blockAtMs + 5 },
    ...{ isLate: false, isUnpriced: false, rulesVersion: 'a1', ...flags },
  })
  const spans = (turns: Parameters<typeof spansOf>[0]) => spansOf(turns, { fromMs: 100, toMs: 1000, silentMs: 60 })
  const none = { silent: [], late: [], unpriced: [], rules: [{ version: 'a1', sinceMs: 100 }] }

  const table: readonly (readonly [what: string, turns: Parameters<typeof spansOf>[0], expected: object])[] = [
    ['a source that is heard of at once', [turn(0, 100)], none],
    ['a silence of just so long, which is none', [turn(0, 100), turn(200, 260)], none],
    [
      'a longer one, by when it was known',
      [turn(0, 100), turn(200, 261)],
      { ...none, silent: [{ fromMs: 205, toMs: 266 }] },
    ],
    ['blocks that were read together, which are no silence', [turn(0, 100), turn(200, 500, { knownAtMs: 265 })], none],
    [
      'late ticks, from the block before the first to the last one',
      [turn(0, 100), turn(300, 310, { isLate: true }), turn(400, 410)],
      { ...none, late: [{ fromMs: 300, toMs: 400 }] },
    ],
    [
      'late ones from the beginning to the end',
      [turn(0, 100, { isLate: true })],
      { ...none, late: [{ fromMs: 100, toMs: 1000 }] },
    ],
    [
      'a price that is missing for a while, and again',
      [
        ...[turn(0, 100, { isUnpriced: true }), turn(150, 160), turn(200, 210, { isUnpriced: true })],
        turn(220, 230, { isLate: true, isUnpriced: true }),
      ],
      {
        ...none,
        late: [{ fromMs: 220, toMs: 1000 }],
        unpriced: [
          { fromMs: 100, toMs: 150 },
          { fromMs: 200, toMs: 1000 },
        ],
      },
    ],
    [
      'other rules',
      [turn(0, 100), turn(400, 410, { rulesVersion: 'a2' })],
      { ...none, rules: [...none.rules, { version: 'a2', sinceMs: 410 }] },
    ],
  ]
  for (const [what, turns, expected] of table)
    it(`tell of ${what}`, () => {
      expect(spans(turns)).to.deep.equal(expected)
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
      { hour: 1, silent: [[60, 90]], late: [[60, 87.5]], unpriced: [] },
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
    expect(hours.map(({ hourAtMs, ticks }) => [hourAtMs, ticks])).to.deep.equal([[noonMs, 41]])
    expect(hours[0]?.silent).to.deep.equal([])
  })

  it('is empty before anything is known', async () => {
    await database.command('TRUNCATE TABLE ticks')
    expect(await coveredAt(noonMs)).to.deep.include({ knownSinceMs: null, hours: [] })
  })
})
