/**
 * The queries count wallets across tokens. Their results must not depend on how facts are partitioned, or on
 * the order in which lookups are answered.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { createCuts } from '../../projections/cuts.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import { isAnswer } from '../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../schemas/chain-a/stage.ts'
import { topics } from '../../schemas/topics.ts'
import type { KeyedRecord } from '../replay/keyed-record.ts'
import { marketFacts } from '../replay/market/market-facts.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'
import { buyersStory, instantsOf, tellBuyers } from './buyers-story.ts'
import { address, buildBurst, buildBuyers, createDerivedLog, type DerivedLog, noonMs, poolId } from './derived-log.ts'
import { recountCrews, recountRepeats } from './recount-buyers.ts'

const topic = 'chain-a-derived'

/**
 * How the facts are written: the number of their partitions, and the ranks by which the lookup answers of
 * each tick are sorted.
 */
type Layout = Readonly<{ partitionCount: number; ranks: readonly number[] }>

describe('crews and repeat buyers', () => {
  let database: Database
  databaseOfTests((opened) => {
    database = opened
  })

  const project = async (derived: DerivedLog) => {
    for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
      await database.command(`TRUNCATE TABLE IF EXISTS ${table}`)
    const { log, registry } = derived
    await projectToEnd({
      projections,
      log,
      registry,
      database,
      logger: silentLogger,
      signal: new AbortController().signal,
    })
  }

  /** The query results at three cut times of the simulated day. */
  const answersOf = async (records: readonly KeyedRecord<ChainATypes>[], layout: Layout) => {
    await project(await derivedOf(records, layout))
    const queries = createChainAQueries({ database })
    const cuts = createCuts({ database })
    const atMs = ticksOf(records).map(({ knownAtMs }) => knownAtMs)
    const cutsAtMs = [0.3, 0.6, 0.95].map((part) => atMs[Math.floor(part * (atMs.length - 4))] ?? 0)
    const answers: object[] = []
    for (const cutAtMs of cutsAtMs) {
      const cut = (await cuts.at(cutAtMs, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('there is no cut')
      const bursts = await queries.burstsLive(cut, { tier: 'all', lp: 'all', minutes: 240 })
      const repeats = bursts.map(({ pool, tier, atMs, buyers, repeatBuyers }) => [
        pool,
        tier,
        atMs,
        buyers,
        repeatBuyers,
      ])
      answers.push({ repeats, ...(await queries.crews(cut, { minBursts: 3, limit: 25 })) })
    }
    return answers as readonly Readonly<{ repeats: readonly (readonly unknown[])[]; crews: readonly object[] }>[]
  }

  it('are equal for 1, 2 and 4 partitions of facts, and any order in which lookups answer within a tick', async () => {
    let crewCount = 0
    let repeatCount = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), fc.array(fc.nat(1000), { minLength: 5, maxLength: 40 }), async (seed, ranks) => {
        const records = answeredTogether(marketFacts(seed, 6))
        const expected = await answersOf(records, { partitionCount: 4, ranks: [0] })
        for (const partitionCount of [1, 2])
          expect(await answersOf(records, { partitionCount, ranks }), `${partitionCount}`).to.deep.equal(expected)
        crewCount += expected.at(-1)?.crews.length ?? 0
        repeatCount += expected.flatMap(({ repeats }) => repeats).filter((row) => Number(row[4]) > 0).length
      }),
      { numRuns: 2 },
    )
    expect(crewCount, 'crews were found').to.be.above(3)
    expect(repeatCount, 'repeat buyers were found').to.be.above(3)
  })

  it('count a wallet once for each window, and not before its buyers were known', async () => {
    const [token, wallet] = [address(1), address(100)]
    const key = { pool: poolId(1), tier: 'main', atMs: noonMs } as const
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[token, buildBurst(key)]])
    await derived.tick(noonMs + 6000, [[token, buildBuyers({ ...key, wallets: [wallet, wallet] })]])
    await derived.tick(noonMs + 6001)
    await project(derived)
    const queries = createChainAQueries({ database })
    const cuts = createCuts({ database })
    const toldAt = async (atMs: number) => {
      const cut = (await cuts.at(atMs, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('there is no cut')
      const [burst] = await queries.burstsLive(cut, { tier: 'main', lp: 'all', minutes: 60 })
      return { buyers: burst?.buyers, ...(await queries.crews(cut, { minBursts: 1, limit: 5 })) }
    }
    expect(await toldAt(noonMs)).to.deep.equal({ buyers: null, walletsTracked: 0, crews: [] })
    const crews = [{ wallet, bursts: 1, lastSeenAtMs: noonMs }]
    expect(await toldAt(noonMs + 6000)).to.deep.equal({ buyers: 1, walletsTracked: 1, crews })
  })

  /**
   * The 30-day window ends with the newest block. Only the bursts `b` and `c` are counted.
   *   ms after the start of the window   0     1                        30 days    + 1
   *   bursts                             a     b                           c         d
   *   counted                                  |--------------------------|
   */
  it('count the bursts of the 30 days that end with the newest block, and no burst at the instant before them', async () => {
    const startMs = noonMs - 30 * 86_400_000
    const bursts = [startMs, startMs + 1, noonMs, noonMs + 1].map((atMs, index) => {
      const key = { pool: poolId(1 + index), tier: 'main', atMs } as const
      return { token: address(1 + index), key, wallets: [address(100 + index), address(200)] }
    })
    const derived = await createDerivedLog()
    const records = bursts.flatMap(({ token, key, wallets }) => [
      [token, buildBurst({ ...key, poolCreatedAtMs: key.atMs })] as const,
      [token, buildBuyers({ ...key, wallets })] as const,
    ])
    // The service knew the newest block 5 s after the time of this block.
    await derived.tick(noonMs + 5000, records, { blockAtMs: noonMs })
    await derived.tick(noonMs + 5001)
    await project(derived)
    const cuts = createCuts({ database })
    const cut = (await cuts.at(noonMs + 5000, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('no cut')
    expect(await createChainAQueries({ database }).crews(cut, { minBursts: 1, limit: 10 })).to.deep.equal({
      walletsTracked: 3,
      crews: [
        { wallet: address(200), bursts: 2, lastSeenAtMs: noonMs },
        { wallet: address(102), bursts: 1, lastSeenAtMs: noonMs },
        { wallet: address(101), bursts: 1, lastSeenAtMs: startMs + 1 },
      ],
    })
  })

  it('are counted from memory, and only tables with new rows are queried', async () => {
    const [token, wallet] = [address(1), address(100)]
    const keyOf = (number: number, afterMs: number) =>
      ({ pool: poolId(number), tier: 'main', atMs: noonMs + afterMs }) as const
    const derived = await createDerivedLog()
    // A wallet with many bursts, because a short list of bursts is copied to add one.
    const many = Array.from({ length: 20 }, (_, index) => keyOf(index, index))
    await derived.tick(noonMs + 1000, [
      ...many.map((key) => [token, buildBurst(key)] as const),
      ...many.map((key) => [token, buildBuyers({ ...key, wallets: [wallet] })] as const),
    ])
    await derived.tick(noonMs + 2000, [[token, buildBurst(keyOf(30, 2000))]])
    await derived.tick(noonMs + 3000, [[token, buildBuyers({ ...keyOf(30, 2000), wallets: [wallet] })]])
    await derived.tick(noonMs + 4000)
    await derived.tick(noonMs + 4001)
    await project(derived)
    let queryCount = 0
    const query: Database['query'] = (sql, parameters) => {
      queryCount++
      return database.query(sql, parameters)
    }
    const queries = createChainAQueries({ database: { ...database, query } })
    const cuts = createCuts({ database })
    const askedAt = async (afterMs: number, lastKnown: Readonly<Record<string, number>>) => {
      const cut = (await cuts.at(noonMs + afterMs, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('no cut')
      queryCount = 0
      const { crews } = await queries.crews({ ...cut, lastKnown }, { minBursts: 1, limit: 5 })
      return { bursts: crews[0]?.bursts, queries: queryCount }
    }
    const known = { bursts: noonMs + 1000, burst_buyers: noonMs + 1000 }
    expect(await askedAt(1000, known), 'the identity of the tables, and both tables').to.deep.equal({
      bursts: 20,
      queries: 3,
    })
    expect(await askedAt(1500, known)).to.deep.equal({ bursts: 20, queries: 0 })
    const withBurst = { ...known, bursts: noonMs + 2000 }
    expect(await askedAt(2000, withBurst), 'the bursts').to.deep.equal({ bursts: 20, queries: 1 })
    const withBuyers = { ...withBurst, burst_buyers: noonMs + 3000 }
    expect(await askedAt(3000, withBuyers), 'the buyers').to.deep.equal({ bursts: 21, queries: 1 })
    expect(await askedAt(2000, withBurst), 'an earlier cut').to.deep.equal({ bursts: 20, queries: 1 })
    expect(await askedAt(4000, withBuyers)).to.deep.equal({ bursts: 21, queries: 0 })
  })

  it('count as a repeat buyer who bought in a burst of the past that stands outside what is asked for, once it is known', async () => {
    const [token, wallet] = [address(1), address(100)]
    const burstOf = (number: number, atMs: number) => ({ pool: poolId(number), tier: 'main', atMs }) as const
    const [old, first, second] = [burstOf(1, noonMs - 70 * 60_000), burstOf(2, noonMs), burstOf(3, noonMs + 20_000)]
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [
      [token, buildBurst(old)],
      [token, buildBurst(first)],
    ])
    await derived.tick(noonMs + 6000, [[token, buildBuyers({ ...first, wallets: [wallet] })]])
    await derived.tick(noonMs + 9000, [[token, buildBuyers({ ...old, wallets: [wallet] })]])
    await derived.tick(noonMs + 20_000, [[token, buildBurst(second)]])
    await derived.tick(noonMs + 26_000, [[token, buildBuyers({ ...second, wallets: [wallet, address(101)] })]])
    await derived.tick(noonMs + 26_001)
    await project(derived)
    const queries = createChainAQueries({ database })
    const cuts = createCuts({ database })
    const repeatsIn = async (minutes: number, atMs = noonMs + 26_000) => {
      const cut = (await cuts.at(atMs, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('no cut')
      const bursts = await queries.burstsLive(cut, { tier: 'main', lp: 'all', minutes })
      return bursts.map(({ pool, repeatBuyers }) => [Number(pool), repeatBuyers])
    }
    expect(await repeatsIn(60, noonMs + 8999), 'not known yet').to.deep.equal([[2, null]])
    const both = [
      [3, 1],
      [2, 1],
    ]
    expect(await repeatsIn(60)).to.deep.equal(both)
    expect(await repeatsIn(0.2), 'alone').to.deep.equal([[3, 1]])
    expect(await repeatsIn(90)).to.deep.equal([...both, [1, 0]])
  })

  it('equal a recount in plain loops over weeks in which rows are restated and withdrawn', async () => {
    const cuts = createCuts({ database })
    let crewCount = 0
    let repeatCount = 0
    await fc.assert(
      fc.asyncProperty(
        buyersStory,
        fc.record({ minBursts: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 6 }) }),
        // The number of minutes for which bursts are listed. An earlier burst of a wallet also counts if it
        // is outside these minutes, and another part of the query finds it.
        fc.constantFrom(60, 60 * 24 * 5, 60 * 24 * 20, 60 * 24 * 400),
        async (story, asked, minutes) => {
          const versions = await tellBuyers(story, project)
          const cutAt = async (atMs: number) =>
            (await cuts.at(atMs, [chainAStage]))?.stages[chainAStage.name] ?? expect.fail('there is no cut')
          const question = { tier: 'main', lp: 'all', minutes } as const
          const instants = instantsOf(versions)
          // Queries remember buyers up to the newest cut so far, so this first query moves the memory to the
          // last cut. For earlier cuts, `selecting` must then read the buyers from the tables.
          const [inMemory, selecting] = [createChainAQueries({ database }), createChainAQueries({ database })]
          await selecting.burstsLive(await cutAt(Math.max(...instants)), question)
          await selecting.crews(await cutAt(Math.max(...instants)), asked)
          for (const [index, atMs] of instants.entries()) {
            const cut = await cutAt(atMs)
            const queries = index % 2 === 0 ? inMemory : selecting
            const recountedCrews = recountCrews(versions, cut, asked)
            const crews = await inMemory.crews(cut, asked)
            expect(crews, `crews at ${atMs}`).to.deep.equal(recountedCrews)
            expect(await selecting.crews(cut, asked), `crews at the earlier ${atMs}`).to.deep.equal(recountedCrews)
            const bursts = await queries.burstsLive(cut, question)
            const shown = bursts.filter(({ buyers }) => buyers !== null)
            const repeats = new Map(shown.map((burst) => [`${burst.pool} ${burst.atMs}`, burst.repeatBuyers]))
            const recounted = new Map([...recountRepeats(versions, cut)].filter(([burst]) => repeats.has(burst)))
            expect([...repeats].sort(), `repeat buyers at ${atMs}`).to.deep.equal([...recounted].sort())
            crewCount += crews.crews.filter(({ bursts: count }) => count > 1).length
            repeatCount += [...recounted.values()].filter((count) => count !== null && count > 0).length
          }
        },
      ),
      { numRuns: 8 },
    )
    expect(crewCount, 'wallets in several windows').to.be.above(0)
    expect(repeatCount, 'repeat buyers').to.be.above(0)
  })
})

const ticksOf = (records: readonly KeyedRecord<ChainATypes>[]) =>
  records.flatMap(({ record }) => (record.type === 'Tick' ? [record.data] : []))

const answersAtOnce = 50

/** Holds back the answers of lookups until every `answersAtOnce`-th tick. So this tick gets several answers. */
function answeredTogether(records: readonly KeyedRecord<ChainATypes>[]): readonly KeyedRecord<ChainATypes>[] {
  let waiting: KeyedRecord<ChainATypes>[] = []
  return records.flatMap((keyed) => {
    if (isAnswer(keyed.record)) waiting.push(keyed)
    if (keyed.record.type !== 'Tick') return isAnswer(keyed.record) ? [] : [keyed]
    if (keyed.record.data.seq % answersAtOnce > 0) return [keyed]
    const answers = waiting
    waiting = []
    return [...answers, keyed]
  })
}

/**
 * Writes the derived topic of a stage whose facts have `partitionCount` partitions. The other partitions of
 * the topic get only ticks.
 */
async function derivedOf(
  records: readonly KeyedRecord<ChainATypes>[],
  { partitionCount, ranks }: Layout,
): Promise<DerivedLog> {
  const derived = await createDerivedLog()
  const drivers = Array.from({ length: partitionCount }, () => createTestDriver(chainA))
  let open: KeyedRecord<ChainATypes>[] = []
  for (const keyed of records) {
    if (keyed.record.type !== 'Tick') {
      open.push(keyed)
      continue
    }
    for (const { key, record } of ranked(open, ranks)) {
      const driver = drivers[partitionOf(key, partitionCount)]
      if (isAnswer(record)) driver?.answer(key, record)
      else if (record.type !== 'Tick') driver?.fact(key, record)
    }
    open = []
    const tick = keyed.record.data
    const outputs = drivers.map((driver) => driver.tick(tick.blockAtMs, tick))
    await derived.append(
      outputs.flatMap((rows, partition) =>
        rows.map(({ token, record }) => ({
          topic,
          partition,
          key: token,
          value: derived.encode(record.type, record.data),
        })),
      ),
    )
    await derived.append(
      Array.from(
        { length: topics['chain-a-facts'].partitionCount },
        (_, partition) => ({ topic, partition, key: 'tick', value: derived.encode('Tick', tick) }) as const,
      ),
    )
  }
  return derived
}

/** Returns the facts in their order, and then the lookup answers in the order of `ranks`. */
function ranked(
  records: readonly KeyedRecord<ChainATypes>[],
  ranks: readonly number[],
): readonly KeyedRecord<ChainATypes>[] {
  const answers = records.filter(({ record }) => isAnswer(record))
  const facts = records.filter(({ record }) => !isAnswer(record))
  const rankOf = new Map(answers.map((answer, index) => [answer, ranks[index % ranks.length] ?? 0]))
  return [...facts, ...answers.sort((left, right) => (rankOf.get(left) ?? 0) - (rankOf.get(right) ?? 0))]
}
