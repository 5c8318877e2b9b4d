import { expect } from 'chai'
import type { z } from 'zod'
import type { LaunchCurve } from '../../../api/chain-a/resources/launch-curve.ts'
import { rugCheckAnswer } from '../../../api/chain-a/routes/rugcheck.ts'
import type { RugCheckRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import type { LpClass } from '../../../schemas/chain-a/derived.ts'
import { fixedBurst, fixedCurve, fixedCut, fixedPool, fixedProfile } from '../../support/fixed-queries.ts'
import { bodyOf, edgeOfTests, rugCheckPath } from '../edge.ts'

type RugCheck = z.infer<ReturnType<typeof rugCheckAnswer>> & Readonly<{ launchCurve?: LaunchCurve }>

describe('the rug check', () => {
  const edge = edgeOfTests()
  const profilesOf = (...classes: readonly LpClass[]) =>
    classes.map((lpClass, index) => ({ ...fixedProfile, class: lpClass, pool: `0x${String(index).repeat(64)}` }))

  /** Returns the rug check of a token that has only these v4 pools and no curve. */
  const poolsAre = (profiles: RugCheckRow['profiles']): RugCheckRow => ({
    profiles,
    v4PoolCount: profiles.length,
    classes: profiles.map((profile) => profile.class),
    v3PoolCount: 0,
    curve: null,
  })

  let checks = 0
  /** Each purchase uses a newer data time (cut), because the service caches answers by cut. */
  const checkOf = async (rugCheck: RugCheckRow) => {
    edge.state.rugCheck = rugCheck
    checks += 1
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 100 + checks }
    edge.nowMs = edge.state.cut.atMs + 500
    return rugCheckAnswer('launchCurve').parse(await bodyOf(edge.buy(rugCheckPath))) as RugCheck
  }

  it('is as risky as the riskiest pool', async () => {
    const cases: readonly (readonly [readonly LpClass[], string])[] = [
      [['safe', 'empty', 'unknown', 'held'], 'held'],
      [['safe', 'empty', 'unknown'], 'unknown'],
      [['safe', 'empty'], 'empty'],
      [['safe', 'safe'], 'safe'],
    ]
    for (const [classes, expected] of cases) {
      const answer = await checkOf(poolsAre(profilesOf(...classes)))
      expect(answer.class, classes.join()).to.equal(expected)
      expect(answer.pools).to.have.length(classes.length)
      expect(answer).to.include({ poolsLeftOut: 0 }).and.not.have.any.keys('note', 'launchCurve')
    }
  })

  it('judges pools that it does not list, and says how many there are', async () => {
    const answer = await checkOf({ ...poolsAre(profilesOf('safe')), v4PoolCount: 4312, classes: ['safe', 'held'] })
    expect(answer.class).to.equal('held')
    expect(answer.pools).to.have.length(1)
    expect(answer.note).to.match(/^The token has 4312 v4 pools .* riskiest of all, .* the 1 with the most ETH/)
    expect(answer.poolsLeftOut).to.equal(4311)
  })

  it('shows a profile as of its check, and the block up to which ownership is known: the last of the cut', async () => {
    const { pools } = await checkOf(poolsAre([fixedProfile]))
    expect(pools).to.deep.equal([
      {
        ...{ pool: fixedPool.pool, token: fixedBurst.token, dex: 'v4', poolAgeMin: 10, block: 77, class: 'held' },
        ...{ insiderShare: 0.75, burnedShare: 0.25, contractShare: 0, otherShare: 0, unknownShare: 0 },
        ...{ checkedAt: fixedProfile.checkedAtMs, lpAgeMin: 10, lpAdds: 2, creator: fixedProfile.creator },
      },
    ])
  })

  it('is the curve while the token is on it, in USD of the cut, without pools', async () => {
    const answer = await checkOf({ ...poolsAre(profilesOf('safe')), curve: fixedCurve })
    expect(answer).to.deep.include({ class: 'launchpad-curve', pools: [], poolsLeftOut: 1 })
    expect(answer.note).to.match(/still on its curve. Not shown: 1 pool made for it elsewhere/)
    expect(answer.launchCurve).to.deep.equal({
      ...{ curve: fixedCurve.curve, graduated: false, symbol: 'TEST', creator: null, launchBlock: 50, ageMin: 10 },
      ...{ gradBlock: null, thresholdEth: 4.2, ethInCurve: 2.1, progress: 0.5, mcapUsd: 8.505 * 3000, feeBps: 200 },
      ...{ readBlock: 60, checkedAt: fixedCurve.readAtMs },
    })
  })

  it('leaves the note out where nothing is left out', async () => {
    expect(await checkOf({ ...poolsAre([]), curve: fixedCurve })).to.not.have.any.keys('note')
  })

  it('calls a token with v3 pools alone unknown, and says why', async () => {
    const answer = await checkOf({ ...poolsAre([]), v3PoolCount: 2 })
    expect(answer).to.include({ class: 'unknown', poolsLeftOut: 2 })
    expect(answer.note).to.equal(
      'The token has 2 v3 pools and no v4 pool of the last 24 h. Liquidity of v3 pools is not profiled: `class` is unknown and `pools` is empty.',
    )
    const mixed = await checkOf({ ...poolsAre(profilesOf('safe')), v3PoolCount: 1 })
    expect(mixed).to.include({ class: 'safe', poolsLeftOut: 1 })
    expect(mixed.note).to.equal('Not shown: 1 v3 pool, whose liquidity is not profiled.')
  })

  it('is refused for a token that nothing is known of, before any payment', async () => {
    const response = await edge.get(`/v1/rh/token/0x${'00'.repeat(20)}/rugcheck`)
    expect(response.status).to.equal(404)
    const { code, error } = await bodyOf(response)
    expect(code).to.equal('not_tracked')
    // The error must say that the service looks back only 7 days. The token may still be sold on an older
    // curve.
    expect(error).to.match(
      /no launchpad curve that was launched or traded in the last 7 days\..* pools against ETH .* 24 h/,
    )
    expect((await edge.get('/v1/rh/token/0x12/rugcheck')).status).to.equal(400)
  })
})
