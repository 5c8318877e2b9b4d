/**
 * A repeat buyer of a burst also bought in an earlier burst. Lookups find the buyers in any order. The number
 * of repeat buyers must not depend on this order, and must not change after it was shown.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { createCuts } from '../../projections/cuts.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'
import { address, buildBurst, buildBuyers, createDerivedLog, noonMs, poolId, type TokenRecord } from './derived-log.ts'

const secMs = 1000
const minuteMs = 60 * secMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * A burst of trades and its buyers. The times are in ms after noon, when the service first started. With
 * `buyersMs` null, the buyers stay unknown.
 */
type Told = Readonly<{
  atMs: number
  knownMs: number
  buyersMs: number | null
  wallets: readonly number[]
  tier?: 'main' | 'old' | 'lite'
  poolAgeMs?: number
}>

const past = (atMs: number, buyersMs: number | null, wallets: readonly number[]): Told => ({
  ...{ atMs, knownMs: 0, buyersMs, wallets },
})
const live = (atMs: number, buyersMs: number | null, wallets: readonly number[]): Told => ({
  ...{ atMs, knownMs: atMs + secMs, buyersMs, wallets },
})

describe('repeat buyers', () => {
  let database: Database
  databaseOfTests((opened) => {
    database = opened
  })

  async function tell(bursts: readonly Told[], endMs: number): Promise<void> {
    for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
      await database.command(`TRUNCATE TABLE IF EXISTS ${table}`)
    const derived = await createDerivedLog()
    const records = bursts.flatMap((burst, index) => recordsOf(burst, index))
    for (const knownMs of [...new Set(records.map(([known]) => known))].sort((one, other) => one - other))
      await derived.tick(
        noonMs + knownMs,
        records.flatMap(([known, record]) => (known === knownMs ? [record] : [])),
      )
    await derived.tick(noonMs + endMs)
    await derived.tick(noonMs + endMs + 1)
    const { log, registry } = derived
    const { signal } = new AbortController()
    await projectToEnd({ projections, log, registry, database, logger: silentLogger, signal })
  }

  /**
   * Returns the number of repeat buyers of each burst, in the order of the story. The number is also null if
   * the buyers of the burst are not shown. `queries` may have been asked before, as in a service.
   */
  async function repeatsAt(
    cutMs: number,
    queries = createChainAQueries({ database }),
  ): Promise<readonly (number | null)[]> {
    const cuts = createCuts({ database })
    const cut = (await cuts.at(noonMs + cutMs, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('no cut')
    const rows = await queries.burstsLive(cut, { tier: 'all', lp: 'all', minutes: 24 * 60 })
    const repeats: (number | null)[] = []
    for (const { pool, repeatBuyers } of rows) repeats[Number(pool)] = repeatBuyers
    return Array.from(repeats, (count) => count ?? null)
  }

  type Story = Readonly<{ says: string; bursts: readonly Told[]; shown: readonly (readonly [number, unknown[]])[] }>
  const stories: readonly Story[] = [
    {
      says: 'wait for the buyers of an older burst of the backfill, though the younger one was answered first',
      bursts: [past(-3 * hourMs, 9000, [1, 2]), past(-5 * minuteMs, 2000, [1, 2, 3])],
      shown: [
        [2000, [null, null]],
        [8999, [null, null]],
        [9000, [0, 2]],
      ],
    },
    {
      says: 'wait in a live burst for those of the backfill, however long they take',
      bursts: [past(-3 * hourMs, 40 * minuteMs, [1]), live(minuteMs, minuteMs + 6000, [1])],
      shown: [
        [minuteMs + 6000, [null, null]],
        [40 * minuteMs - 1, [null, null]],
        [40 * minuteMs, [0, 1]],
      ],
    },
    {
      says: 'wait for nothing that is younger',
      bursts: [past(-3 * hourMs, 2000, [1]), past(-2 * hourMs, null, [1])],
      shown: [[2000, [0, null]]],
    },
    {
      says: 'wait for no burst whose buyers are not asked for, or that the rules have forgotten',
      bursts: [
        { ...past(-3 * hourMs, null, []), tier: 'lite' },
        { ...past(-2 * hourMs, null, []), tier: 'old', poolAgeMs: 23.5 * hourMs + minuteMs },
        past(-hourMs, 2000, [1]),
      ],
      shown: [[2000, [null, null, 0]]],
    },
    {
      says: 'count those of an earlier live burst that are known within a minute of their own',
      bursts: [live(0, 67_000, [1]), live(2000, 7000, [1])],
      shown: [
        [7000, [null, null]],
        [66_999, [null, null]],
        [67_000, [0, 1]],
      ],
    },
    {
      says: 'neither wait longer for an earlier live burst nor count it later',
      bursts: [live(0, 67_001, [1]), live(2000, 7000, [1]), live(4000, 67_002, [1])],
      shown: [
        [66_999, [null, null, null]],
        [67_000, [null, 0, null]],
        [67_002, [0, 0, 1]],
      ],
    },
    {
      says: 'take what was known 120 s late for live, and a millisecond later for the past',
      bursts: [
        past(-120_000, 5 * minuteMs, [1]),
        past(-120_001, 5 * minuteMs, [2]),
        live(minuteMs, minuteMs + 6000, [1, 2]),
      ],
      shown: [
        [4 * minuteMs, [null, null, null]],
        [5 * minuteMs, [0, 0, 1]],
      ],
    },
  ]
  /**
   * Wallets 1 and 2 buy in the shown burst B, wallets 3 and 4 in the shown burst C. Each also bought earlier.
   * The earlier burst of 3 is in the window of B, but not in the window of C.
   *     earlier   1 2     3 4
   *     of B        |---- 30 days -----| B
   *     of C                |---- 30 days -----| C
   */
  const windowStory: Story = {
    says: 'count earlier bursts of the last 30 days, whichever bursts are shown beside them',
    bursts: [
      past(-30 * dayMs - 2 * hourMs - 1, 2000, [1]),
      past(-30 * dayMs - 2 * hourMs, 2000, [2]),
      past(-30 * dayMs - hourMs - 1, 2000, [3]),
      past(-30 * dayMs - hourMs, 2000, [4]),
      past(-2 * hourMs, 2000, [1, 2]),
      past(-hourMs, 2000, [3, 4]),
    ],
    shown: [[2000, [null, null, null, null, 1, 1]]],
  }
  for (const { says, bursts, shown } of [...stories, windowStory])
    it(says, async () => {
      await tell(bursts, hourMs)
      const queries = createChainAQueries({ database })
      for (const [cutMs, expected] of shown) {
        expect(await repeatsAt(cutMs), `${cutMs} ms after the start`).to.deep.equal(expected)
        expect(await repeatsAt(cutMs, queries), `${cutMs} ms after the start, from memory`).to.deep.equal(expected)
      }
    })

  it('are the same whatever the order in which the buyers of a backfill become known, and never change once shown', async () => {
    const wallets = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 })
    const delayMs = fc.integer({ min: 5, max: 1200 }).map((sec) => sec * secMs)
    const ofPast = fc.record({ atMs: fc.integer({ min: -hourMs, max: -121_000 }), delayMs, wallets })
    const ofNow = fc.record({ atMs: fc.integer({ min: -119_000, max: minuteMs }), delayMs, wallets })
    const first = fc.tuple(fc.array(ofPast, { minLength: 3, maxLength: 7 }), fc.array(ofNow, { maxLength: 4 }))
    let [waiting, repeating] = [0, 0]
    await fc.assert(
      fc.asyncProperty(first, async ([backfill, begun]) => {
        const bursts = burstsOf(backfill, begun)
        const expected = recountRepeats(bursts)
        const endMs = 30 * minuteMs
        await tell(bursts, endMs)
        const queries = createChainAQueries({ database })
        for (const cutMs of [0.02, 0.1, 0.3, 0.6].map((part) => Math.floor(part * endMs)))
          for (const [index, count] of (await repeatsAt(cutMs, queries)).entries()) {
            expect(count, `burst ${index} after ${cutMs} ms`).to.be.oneOf([null, expected[index]])
            if (count === null && (bursts[index]?.buyersMs ?? 0) <= cutMs) waiting++
          }
        expect(await repeatsAt(endMs, queries)).to.deep.equal(expected)
        expect(await repeatsAt(endMs)).to.deep.equal(expected)
        repeating += expected.filter((count) => count > 0).length
      }),
      { numRuns: 12 },
    )
    expect(waiting, 'rows that waited for earlier ones').to.be.above(0)
    expect(repeating, 'rows with repeat buyers').to.be.above(0)
  })
})

type Drawn = Readonly<{ atMs: number; delayMs: number; wallets: number[] }>

function burstsOf(backfill: readonly Drawn[], begun: readonly Drawn[]): readonly Told[] {
  return [
    ...backfill.map((burst) => past(burst.atMs, burst.delayMs, burst.wallets)),
    // Lookups answer live bursts within a minute, in any order.
    ...begun.map(({ atMs, ...burst }) => ({
      ...{ atMs, knownMs: Math.max(0, atMs), wallets: burst.wallets },
      buyersMs: Math.max(0, atMs) + 5000 + (burst.delayMs % minuteMs),
    })),
  ].sort((one, other) => one.atMs - other.atMs)
}

const recountRepeats = (bursts: readonly Told[]): readonly number[] =>
  bursts.map(({ atMs, wallets }) => {
    const earlier = bursts.filter((other) => other.atMs < atMs)
    return wallets.filter((wallet) => earlier.some((other) => other.wallets.includes(wallet))).length
  })

function recordsOf(burst: Told, index: number): readonly (readonly [knownMs: number, TokenRecord])[] {
  const { tier = 'main', poolAgeMs = 30 * minuteMs, knownMs, buyersMs } = burst
  const atMs = noonMs + burst.atMs
  const [token, key] = [address(1 + index), { pool: poolId(index), tier, atMs }]
  const fired = [knownMs, [token, buildBurst({ ...key, poolCreatedAtMs: atMs - poolAgeMs })]] as const
  if (buyersMs === null) return [fired]
  const wallets = burst.wallets.map((wallet) => address(100 + wallet))
  return [fired, [buyersMs, [token, buildBuyers({ ...key, wallets })]]]
}
