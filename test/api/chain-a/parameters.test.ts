import { expect } from 'chai'
import type { BurstRow, CrewRow, PoolRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { tiers } from '../../../schemas/chain-a/derived.ts'
import { fixedBurst, fixedCut, fixedPool } from '../../support/fixed-queries.ts'
import { chainARoutes, pathOf } from '../../support/payments/paid-routes.ts'
import { bodyOf, burstsPath, edgeOfTests } from '../edge.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const historyPath = '/v1/rh/bursts/history'
const poolsPath = '/v1/rh/pools/new'
const crewsPath = '/v1/rh/crews'
const snapshotPath = '/v1/snapshot'

/**
 * Returns two row ages for each time window. A row that is 1 ms younger than the window is shown. A row of
 * exactly that age is left out.
 */
const bothSidesOf = (durations: readonly number[]): readonly number[] =>
  durations.flatMap((duration) => [duration - 1, duration])

const burstAged = (ageMs: number): BurstRow => ({ ...fixedBurst, atMs: fixedCut.blockAtMs - ageMs, lp: null })
const poolAged = (ageMs: number): PoolRow => ({ ...fixedPool, createdAtMs: fixedCut.blockAtMs - ageMs })

type Sold = Readonly<{
  bursts: readonly Readonly<{ at: number; tier: string; lp: Readonly<{ class: string }> | null }>[]
  generatedAt: number
  pools: readonly Readonly<{ ageMin: number }>[]
  poolsLeftOut: number
  crews: readonly Readonly<{ bursts: number }>[]
  windowMin: number
  chainA: Pick<Sold, 'bursts'> & Readonly<{ newPools: Sold['pools']; newPoolsLeftOut: number }>
}>

describe('the parameters of chain A', () => {
  const edge = edgeOfTests()
  let cutCount = 0
  /** Each purchase uses a newer data time (cut), because the service caches answers by cut. */
  const sell = async (path: string): Promise<Sold> => {
    cutCount += 1
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + cutCount }
    edge.nowMs = edge.state.cut.atMs
    return (await bodyOf(edge.buy(path))) as unknown as Sold
  }
  const agesOf = ({ bursts }: Pick<Sold, 'bursts'>) => bursts.map(({ at }) => fixedCut.blockAtMs - at)

  const expectRefused = async (path: string, name: string, values: readonly (string | number)[]) => {
    for (const value of values) {
      const response = await edge.get(`${path}?${name}=${value}`)
      const { code, error } = await bodyOf(response)
      expect([response.status, code], `${path} ${name}=${value}`).to.deep.equal([400, 'bad_param'])
      expect(error).to.match(new RegExp(`^${name} `))
    }
  }

  describe('minutes of the bursts that are live', () => {
    const lives = [1, 60, 240].map((minutes) => minutes * minuteMs)

    it('are 60 unless they are given, from 1 to 240, fractions floored', async () => {
      edge.state.bursts = bothSidesOf([...lives, 90_000]).map(burstAged)
      const agesIn = (minutes: number) => bothSidesOf([...lives, 90_000]).filter((age) => age < minutes * minuteMs)
      expect(agesOf(await sell(burstsPath))).to.deep.equal(agesIn(60))
      for (const minutes of [1, 1.5, 240])
        expect(agesOf(await sell(`${burstsPath}?minutes=${minutes}`)), `${minutes}`).to.deep.equal(
          agesIn(Math.floor(minutes)),
        )
      await expectRefused(burstsPath, 'minutes', [0.999, 240.001])
    })

    it('are 60 unless they are given in the snapshot, from 1 to 240, fractions floored', async () => {
      edge.state.bursts = bothSidesOf([...lives, 90_000]).map(burstAged)
      const agesIn = (minutes: number) => bothSidesOf([...lives, 90_000]).filter((age) => age < minutes * minuteMs)
      for (const [query, minutes] of [
        ['', 60],
        ['?minutes=1', 1],
        ['?minutes=1.9', 1],
        ['?minutes=240', 240],
      ] as const) {
        const { windowMin, chainA } = await sell(`${snapshotPath}${query}`)
        expect([windowMin, agesOf(chainA)], query).to.deep.equal([minutes, agesIn(minutes)])
      }
      await expectRefused(snapshotPath, 'minutes', [0.999, 240.001])
    })
  })

  it('hours of the history are 24 unless they are given, from 1 to 24, fractions floored, and show what is scored', async () => {
    const bounds = bothSidesOf([1, 2, 2.5, 24].map((hours) => hours * hourMs))
    edge.state.bursts = [{ ...burstAged(5), outcome: null }, ...bounds.map(burstAged)]
    const agesIn = (hours: number) => bounds.filter((age) => age < hours * hourMs)
    expect(agesOf(await sell(historyPath))).to.deep.equal(agesIn(24))
    for (const hours of [1, 2.5, 24])
      expect(agesOf(await sell(`${historyPath}?hours=${hours}`)), `${hours}`).to.deep.equal(agesIn(Math.floor(hours)))
    await expectRefused(historyPath, 'hours', [0.999, 24.001])
  })

  for (const [path, byDefault] of [
    [burstsPath, ['main']],
    [historyPath, tiers],
  ] as const)
    it(`tier on ${path} is ${byDefault.length > 1 ? 'all' : byDefault} unless it is given`, async () => {
      edge.state.bursts = tiers.map((tier) => ({ ...fixedBurst, tier }))
      const tiersOf = ({ bursts }: Sold) => bursts.map(({ tier }) => tier)
      expect(tiersOf(await sell(path))).to.deep.equal(byDefault)
      expect(tiersOf(await sell(`${path}?tier=all`))).to.deep.equal(tiers)
      for (const tier of tiers) expect(tiersOf(await sell(`${path}?tier=${tier}`))).to.deep.equal([tier])
      await expectRefused(path, 'tier', ['', 'MAIN', 'held'])
    })

  it('the snapshot shows bursts of every tier, whatever their liquidity', async () => {
    edge.state.bursts = tiers.flatMap((tier) => [null, fixedBurst.lp].map((lp) => ({ ...fixedBurst, tier, lp })))
    const { bursts } = (await sell(snapshotPath)).chainA
    expect(bursts.map(({ tier, lp }) => [tier, lp?.class ?? null])).to.deep.equal(
      tiers.flatMap((tier) => [null, fixedBurst.lp?.class].map((lp) => [tier, lp])),
    )
  })

  for (const path of [burstsPath, historyPath])
    it(`lp on ${path} is all unless it is given; what is not known is neither safe nor held`, async () => {
      const lpOf = (name: 'held' | 'safe' | 'unknown') => ({
        ...(fixedBurst.lp as NonNullable<BurstRow['lp']>),
        class: name,
      })
      edge.state.bursts = [lpOf('held'), lpOf('safe'), lpOf('unknown'), null].map((lp) => ({ ...fixedBurst, lp }))
      const classesOf = ({ bursts }: Sold) => bursts.map(({ lp }) => lp?.class ?? null)
      for (const query of ['', '?lp=all'])
        expect(classesOf(await sell(path + query)), query).to.deep.equal(['held', 'safe', 'unknown', null])
      for (const lp of ['safe', 'held']) expect(classesOf(await sell(`${path}?lp=${lp}`))).to.deep.equal([lp])
      await expectRefused(path, 'lp', ['', 'unknown'])
    })

  it('tier and lp choose the burst that a quiet window shows too', async () => {
    const old = { ...burstAged(23 * hourMs), tier: 'old' } as const
    edge.state.bursts = [burstAged(5 * hourMs), burstAged(6 * hourMs), old, burstAged(24 * hourMs)]
    const latestOf = async (query: string) => {
      const { latest } = (await sell(burstsPath + query)) as unknown as { latest: { at: number } | null }
      return latest && fixedCut.blockAtMs - latest.at
    }
    expect(await latestOf('')).to.equal(5 * hourMs)
    expect(await latestOf('?tier=old')).to.equal(23 * hourMs)
    expect(await latestOf('?tier=old&lp=safe')).to.equal(null)
  })

  it('hours of the new pools are 6 unless they are given, from 1 to 24', async () => {
    const bounds = bothSidesOf([1, 6, 24].map((hours) => hours * hourMs))
    edge.state.pools = bounds.map(poolAged)
    const countIn = (hours: number) => bounds.filter((age) => age < hours * hourMs).length
    for (const [query, hours] of [
      ['', 6],
      ['?hours=1', 1],
      ['?hours=24', 24],
    ] as const) {
      const { pools, poolsLeftOut } = await sell(poolsPath + query)
      expect([pools.length, poolsLeftOut], query).to.deep.equal([countIn(hours), 0])
    }
    const { newPools, newPoolsLeftOut } = (await sell(snapshotPath)).chainA
    expect([newPools.length, newPoolsLeftOut], 'of the snapshot').to.deep.equal([countIn(1), 0])
    await expectRefused(poolsPath, 'hours', [0.999, 24.001])
  })

  it('limit of the new pools is 200 unless it is given, from 1 to 1000, fractions floored', async () => {
    edge.state.pools = Array.from({ length: 1001 }, (_, index) => poolAged(index))
    for (const [query, limit] of [
      ['', 200],
      ['?limit=1', 1],
      ['?limit=2.9', 2],
      ['?limit=1000', 1000],
    ] as const)
      expect((await sell(poolsPath + query)).pools, query).to.have.length(limit)
    expect((await sell(snapshotPath)).chainA.newPools, 'of the snapshot').to.have.length(1000)
    await expectRefused(poolsPath, 'limit', [0.999, 1000.001])
  })

  it('lists of new pools say how many they leave out, beyond the limit or without a price', async () => {
    edge.state.pools = Array.from({ length: 1001 }, (_, index) => poolAged(index))
    expect((await sell(poolsPath)).poolsLeftOut).to.equal(801)
    edge.state.unpricedCount = 3
    expect((await sell(`${poolsPath}?limit=1000`)).poolsLeftOut).to.equal(1 + 3)
    expect((await sell(snapshotPath)).chainA.newPoolsLeftOut).to.equal(1 + 3)
    edge.state.pools = [fixedPool]
    expect((await sell(poolsPath)).poolsLeftOut).to.equal(3)
    edge.state.unpricedCount = 0
    expect([(await sell(poolsPath)).poolsLeftOut, (await sell(snapshotPath)).chainA.newPoolsLeftOut]).to.deep.equal([
      0, 0,
    ])
  })

  it('ages of pools count to the instant of the answer, not to its newest block', async () => {
    const { pools, generatedAt } = await sell(poolsPath)
    expect(generatedAt).to.be.above(fixedCut.blockAtMs)
    expect(pools.map(({ ageMin }) => ageMin)).to.deep.equal([(generatedAt - fixedPool.createdAtMs) / minuteMs])
    const flow = (await sell(`/v1/rh/pools/${fixedPool.pool}/flow`)) as unknown as Readonly<{
      pool: Sold['pools'][number]
      generatedAt: number
    }>
    expect(flow.pool.ageMin).to.equal((flow.generatedAt - fixedPool.createdAtMs) / minuteMs)
  })

  it('minBursts of the crews is 3 unless it is given, from 3 to 50, fractions floored', async () => {
    const counts = [51, 50, 49, 5, 4, 3]
    edge.state.crews = counts.map(crewOf)
    const countsOf = ({ crews }: Sold) => crews.map(({ bursts }) => bursts)
    for (const [query, least] of [
      ['', 3],
      ['?minBursts=3', 3],
      ['?minBursts=4.9', 4],
      ['?minBursts=50', 50],
    ] as const)
      expect(countsOf(await sell(crewsPath + query)), query).to.deep.equal(counts.filter((count) => count >= least))
    await expectRefused(crewsPath, 'minBursts', [2.999, 50.001])
  })

  it('limit of the crews is 25 unless it is given, from 1 to 25, fractions floored', async () => {
    edge.state.crews = Array.from({ length: 26 }, () => crewOf(3))
    for (const [query, limit] of [
      ['', 25],
      ['?limit=1', 1],
      ['?limit=2.9', 2],
      ['?limit=25', 25],
    ] as const)
      expect((await sell(crewsPath + query)).crews, query).to.have.length(limit)
    await expectRefused(crewsPath, 'limit', [0.999, 25.001])
  })

  const identifiers: Readonly<Record<string, Readonly<{ known: string; wrong: readonly string[] }>>> = {
    id: { known: fixedPool.pool, wrong: [`0x${'b2'.repeat(31)}`, 'b2'.repeat(32)] },
    addr: { known: fixedBurst.token, wrong: [fixedPool.pool, '0x12'] },
  }

  for (const route of chainARoutes)
    for (const [name, param] of Object.entries(route.params)) {
      if (param.in !== 'path') continue
      const { known, wrong } = identifiers[name] ?? expect.fail(`the test has no ${name} for ${route.pattern}`)
      const path = (id: string) => pathOf(route, { [name]: id })
      it(`${name} of ${route.pattern} is hexadecimal in either case, and shown in lower case`, async () => {
        for (const id of [known, `0x${known.slice(2).toUpperCase()}`])
          expect(JSON.stringify(await sell(path(id)))).to.contain(known)
        for (const id of [...wrong, `x${known}`, `${known} `])
          expect(await bodyOf(edge.get(path(id))), id).to.have.property('code', 'bad_address')
        const unknown = `0x${'00'.repeat((known.length - 2) / 2)}`
        expect(await bodyOf(edge.get(path(unknown)))).to.have.property('code', 'not_tracked')
      })
    }
})

const crewOf = (bursts: number): CrewRow => ({
  wallet: `0x${'e5'.repeat(20)}`,
  bursts,
  lastSeenAtMs: fixedCut.blockAtMs,
})
