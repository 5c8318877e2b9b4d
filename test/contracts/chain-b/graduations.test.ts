/** Tests the graduations of chain B in the tables, as the service knew them at different times. */
import { expect } from 'chai'
import { graduationAtCompletion } from '../../../projections/chain-b/queries/graduations.ts'
import {
  buildGraduation,
  buildPost,
  buildRestated,
  buildWithdrawn,
  createChainBLog,
  mint,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

const noStats = {
  ...{ n: 0, medianGradMin: null, afterBurst: 0, medianRet1: null, medianRet5: null, medianRet15: null },
  ...{ known15: 0, up15: 0 },
}

describe('the graduations of chain B in the tables', () => {
  const tables = chainBTablesOfTests()
  const liveAt = async (atMs: number, minutes = 240) =>
    tables.queries.graduationsLive(await tables.cutAt(atMs), { minutes })
  const historyAt = async (atMs: number, { hours = 48, limit = 2000 } = {}) =>
    tables.queries.graduationsHistory(await tables.cutAt(atMs), { hours, limit })

  it('are shown as they were known at each cut, their returns as they come', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs + 100, [[mint(1), buildGraduation()]])
    await derived.tick(noonMs + 3000, [[mint(1), buildPost()]])
    await derived.tick(noonMs + 63_000, [[mint(1), buildPost({ ret1: 0.5 })]])
    await derived.tick(noonMs + 303_000, [[mint(1), buildPost({ ret1: 0.5, ret5: -0.25 })]])
    await derived.tick(noonMs + 903_000, [[mint(1), buildPost({ ret1: 0.5, ret5: -0.25, ret15: 0 })]])
    await derived.tick(noonMs + 904_000)
    await tables.project(derived)
    const graduation = {
      mint: mint(1),
      gradAtMs: noonMs,
      slot: 78,
      launchAtMs: noonMs - 45 * minuteMs,
      gradMin: 45,
      path: [
        { beforeSec: 120, fill: 0.5 },
        { beforeSec: 60, fill: 0.75 },
        { beforeSec: 0, fill: 1 },
      ],
      burst: { atMs: noonMs - 5 * minuteMs, inflowSol: 10.5, fillAt: 0.45 },
      supersedesAtMs: null,
      knownAtMs: noonMs + 100,
      publishedAtMs: noonMs + 107,
      gaps: null,
    }
    const context = { topic: 'chain-b-derived', logKey: mint(1), supersedesAtMs: null }
    const { knownAtMs, publishedAtMs } = graduation
    expect(
      graduationAtCompletion(buildGraduation().data, context, { knownAtMs, publishedAtMs }),
      'without the tables',
    ).to.deep.equal({ ...graduation, post: null, filled: { seconds: null, outcome: null } })
    const post = { anchorAtMs: noonMs + 2000, ret1: null, ret5: null, ret15: null }
    for (const [atMs, expected] of [
      [2999, null],
      [3000, post],
      [63_000, { ...post, ret1: 0.5 }],
      [303_000, { ...post, ret1: 0.5, ret5: -0.25 }],
      [903_000, { ...post, ret1: 0.5, ret5: -0.25, ret15: 0 }],
    ] as const) {
      const knownOf = expected === null ? null : { knownAtMs: noonMs + atMs, publishedAtMs: noonMs + atMs + 7 }
      const rows = [{ ...graduation, post: expected, filled: { seconds: null, outcome: knownOf } }]
      expect(await liveAt(noonMs + atMs), `${atMs}`).to.deep.equal(rows)
      expect((await historyAt(noonMs + atMs)).graduations, `${atMs}`).to.deep.equal(rows)
    }
  })

  it('have no minutes on a curve whose launch nobody knows, and no burst where none came before', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, [[mint(1), buildGraduation({ launchAtMs: null, burst: null, path: [] })]])
    await derived.tick(noonMs + 1)
    await tables.project(derived)
    expect((await liveAt(noonMs))[0]).to.deep.include({ launchAtMs: null, gradMin: null, burst: null, path: [] })
    expect((await historyAt(noonMs)).stats).to.deep.equal({ ...noStats, n: 1 })
  })

  it('are listed newest first, ties by mint, inside the span that was asked for, at most as many', async () => {
    const derived = await createChainBLog()
    const graduate = (number: number, gradAtMs: number) => [mint(number), buildGraduation({ gradAtMs })] as const
    await derived.tick(noonMs, [graduate(3, noonMs), graduate(1, noonMs), graduate(2, noonMs)])
    await derived.tick(noonMs + 500, [graduate(4, noonMs + 500)])
    for (const laterMs of [hourMs, 2 * dayMs - 1, 2 * dayMs, 3 * dayMs, 3 * dayMs + 1])
      await derived.tick(noonMs + laterMs)
    await tables.project(derived)
    const ties = [mint(1), mint(2), mint(3)].sort()
    const mintsOf = (rows: readonly Readonly<{ mint: string }>[]) => rows.map((row) => row.mint)
    expect(mintsOf(await liveAt(noonMs + 500, 1))).to.deep.equal([mint(4), ...ties])
    expect(mintsOf(await liveAt(noonMs + hourMs, 60)), 'exactly an hour old').to.deep.equal([mint(4)])
    expect(mintsOf((await historyAt(noonMs + 2 * dayMs - 1)).graduations)).to.deep.equal([mint(4), ...ties])
    expect((await historyAt(noonMs + 2 * dayMs)).stats.n, 'exactly two days old').to.equal(1)
    const limited = await historyAt(noonMs + 2 * dayMs - 1, { limit: 2 })
    expect(mintsOf(limited.graduations)).to.deep.equal([mint(4), ties[0]])
    expect(limited.stats, 'of all, whatever the limit').to.include({ n: 4, medianGradMin: 45, afterBurst: 4 })
    expect(await historyAt(noonMs + 3 * dayMs)).to.deep.equal({ graduations: [], stats: noStats })
  })

  it('are summed up: medians of what is known, and the share of those still up', async () => {
    const derived = await createChainBLog()
    const posts = [
      { ret1: 0.1, ret5: 0.5, ret15: 1 },
      { ret1: 0.2, ret5: -0.5, ret15: 0 },
      { ret1: 0.4, ret5: null, ret15: null },
    ]
    await derived.tick(noonMs, [
      ...posts.map((_, index) => {
        const launchAtMs = index === 2 ? null : noonMs - (10 + index) * minuteMs
        return [mint(index), buildGraduation({ launchAtMs, ...(index === 0 ? {} : { burst: null }) })] as const
      }),
      [mint(9), buildGraduation({ launchAtMs: noonMs - 90_000, burst: null })],
    ])
    await derived.tick(
      noonMs + minuteMs,
      posts.map((post, index) => [mint(index), buildPost(post)] as const),
    )
    await derived.tick(noonMs + hourMs)
    await tables.project(derived)
    expect((await historyAt(noonMs)).stats).to.deep.equal({ ...noStats, n: 4, medianGradMin: 10, afterBurst: 1 })
    expect((await historyAt(noonMs + minuteMs)).stats).to.deep.equal({
      ...{ n: 4, medianGradMin: 10, afterBurst: 1, medianRet1: 0.2, medianRet5: 0, medianRet15: 0.5 },
      ...{ known15: 2, up15: 1 },
    })
  })

  it('leave every answer when a reorg withdraws them, and stay under their old cuts', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs + 1000, [[mint(1), buildGraduation()]])
    await derived.tick(noonMs + 3000, [[mint(1), buildPost({ ret1: 0.5 })]])
    const movedAtMs = noonMs + 1500
    await derived.tick(
      noonMs + 5000,
      [
        [mint(1), buildWithdrawn({ recordType: 'Graduation' })],
        [mint(1), buildWithdrawn({ recordType: 'GraduationPost' })],
        [mint(1), buildRestated({ recordType: 'Graduation', atMs: movedAtMs, supersedesAtMs: noonMs })],
        [mint(1), buildGraduation({ gradAtMs: movedAtMs })],
      ],
      { revertedFrom: 7 },
    )
    await derived.tick(noonMs + 7000, [[mint(1), buildPost({ gradAtMs: movedAtMs })]])
    await derived.tick(noonMs + 9000, [
      [mint(1), buildWithdrawn({ recordType: 'Graduation', atMs: movedAtMs })],
      [mint(1), buildWithdrawn({ recordType: 'GraduationPost', atMs: movedAtMs })],
    ])
    await derived.tick(noonMs + 10_000)
    await tables.project(derived)
    const at = async (atMs: number) =>
      (await liveAt(atMs)).map(({ gradAtMs, knownAtMs, supersedesAtMs, post }) => ({
        ...{ gradAtMs: gradAtMs - noonMs, knownAtMs: knownAtMs - noonMs },
        ...{ supersedes: supersedesAtMs && supersedesAtMs - noonMs, ret1: post?.ret1 ?? null },
      }))
    const before = { gradAtMs: 0, knownAtMs: 1000, supersedes: null }
    const moved = { gradAtMs: 1500, knownAtMs: 5000, supersedes: 0, ret1: null }
    expect(await at(noonMs + 4999)).to.deep.equal([{ ...before, ret1: 0.5 }])
    expect(await at(noonMs + 5000)).to.deep.equal([moved])
    expect(await at(noonMs + 8999)).to.deep.equal([moved])
    expect((await liveAt(noonMs + 7000))[0]?.post).to.include({ anchorAtMs: noonMs + 2000 })
    expect(await at(noonMs + 9000)).to.deep.equal([])
    expect((await historyAt(noonMs + 9000)).stats).to.deep.equal(noStats)
  })
})
