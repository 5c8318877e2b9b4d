/** Compares every field of the answers of chain B with its expected value. */
import { expect } from 'chai'
import { chainBRule } from '../../../schemas/chain-b/rules.ts'
import { buildBurst, buildGraduation, buildOutcome } from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import {
  chainBCut,
  fixedBurst,
  fixedBuy,
  fixedGraduation,
  fixedList,
  fixedMint,
  fixedRows,
  fixedWallet,
} from '../../support/chain-b/fixed-queries.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { bodyOf } from '../edge.ts'
import { chainB, chainBEdgeOfTests, pathOfEachRoute } from './edge.ts'

const bareEnvelope = { chain: 'chainB', schemaVersion: 1, generatedAt: fixedCut.atMs, ageSec: 3 }
const envelope = { ...bareEnvelope, solUsd: 150.5, rule: chainBRule }

/**
 * The id is `r`, followed by the output of:
 * printf 'chain-b:live' | openssl dgst -sha256 -hmac 'a secret of the test' | cut -c1-12
 */
const liveId = 'r8114976dcf0a'

const burst = {
  // The id is the output of:
  // printf 'b:7tYoeVNhUVDfZ1WDE51LYN86YbBKGFCvSCzFkmHspump:1789999980000' | sha1sum | cut -c1-16
  id: '754b7e56f29afc8d',
  at: fixedBurst.atMs,
  mint: fixedMint,
  inflowSol: 12.5,
  windowSec: 60,
  curveFrom: 0.3,
  curveAt: 0.45,
  tokenAgeMin: 12.5,
  anatomy: {
    buys: 14,
    buyers: 11,
    sameSlotMax: 4,
    bundledShare: 0.625,
    sameSizeMax: 3,
    top3Share: 0.4,
    holdersTop10: 0.3,
    holderTop1: 0.0625,
    repeatBuyers: 2,
  },
  outcome: {
    scored: true,
    scoredAt: 1_789_999_995_000,
    graduated: false,
    gradMin: null,
    peakRet: 0.2,
    gradRet: null,
    ret20m: -0.5,
    ruleRet: -0.175,
    nonStandardCurve: false,
    byRule: {
      [liveId]: { ret: -0.175, why: 'burst-fade', sec: 60 },
      hold: { ret: -0.5, why: 'held', sec: null },
    },
  },
  supersedes: null,
  gaps: null,
  knownAt: fixedBurst.knownAtMs,
  publishedAt: fixedBurst.publishedAtMs,
  filled: {
    'signal+seconds': { knownAt: 1_789_999_986_000, publishedAt: 1_789_999_986_500 },
    'signal+30m': { knownAt: 1_789_999_995_000, publishedAt: 1_789_999_995_500 },
  },
}

const graduation = {
  mint: fixedMint,
  gradAt: fixedGraduation.gradAtMs,
  source: 'bonding-curve',
  gradMin: 45,
  path: [
    [60, 0.75],
    [0, 1],
  ],
  burst: { at: 1_789_999_700_000, inflowSol: 10.5, curveAt: 0.5 },
  post: { anchorSecAfterGrad: 3, ret1: 0.25, ret5: null, ret15: null },
  supersedes: null,
  gaps: null,
  knownAt: fixedGraduation.knownAtMs,
  publishedAt: fixedGraduation.publishedAtMs,
  filled: { 'signal+30m': { knownAt: 1_789_999_974_000, publishedAt: 1_789_999_974_500 } },
}

type Bursts = Readonly<{
  bursts: readonly (typeof burst)[]
  note?: string
  latest?: typeof burst | null
}>
type Leaders = Readonly<{
  wallets: readonly object[]
  method: Readonly<{ metric: string; window: string; replay: Readonly<{ exit: string }> }>
}>
type Copies = Readonly<{ buys: readonly Readonly<{ exit: string | null }>[]; summary: object; method: object }>
type Grads = Readonly<{ grads: readonly (typeof graduation)[]; stats: object; method: object }>

describe('an answer of chain B', () => {
  const { edge, rows, setCut, sell } = chainBEdgeOfTests()
  const buy = async <Body>(path: string) => (await bodyOf(edge.buy(path))) as unknown as Body

  it('holds bursts with every field of the specification, and no other than documented', async () => {
    expect(await buy('/v1/sol/bursts/live')).to.deep.equal({ ...envelope, bursts: [burst] })
    expect(await buy('/v1/sol/bursts/history')).to.deep.equal({ ...envelope, bursts: [burst] })
  })

  it('says which trades of a row are known to be missing, and how much of them', async () => {
    const whole = { trades: 2, volume: 3.5, knownAtMs: 1_789_999_999_000 }
    const unknown = { trades: null, volume: null, knownAtMs: 1_789_999_999_000 }
    rows.bursts = [whole, unknown].map((gaps) => ({ ...fixedBurst, gaps }))
    const { bursts } = (await sell('/v1/sol/bursts/live')) as unknown as Readonly<{
      bursts: readonly { gaps: object }[]
    }>
    expect(bursts.map(({ gaps }) => gaps)).to.deep.equal([
      { trades: 2, volume: 3.5, knownAt: 1_789_999_999_000 },
      { trades: null, volume: null, knownAt: 1_789_999_999_000 },
    ])
  })

  it('holds graduations with every field of the specification, and the method', async () => {
    const { method, ...live } = await buy<Grads>('/v1/sol/grads/live')
    expect(live).to.deep.equal({ ...bareEnvelope, minutes: 60, grads: [graduation] })
    expect(method).to.have.all.keys('graduation', 'path', 'burst', 'post')
    const { method: sameMethod, ...history } = await buy<Grads>('/v1/sol/grads/history')
    expect(sameMethod).to.deep.equal(method)
    expect(history).to.deep.equal({
      ...{ ...bareEnvelope, hours: 24, grads: [graduation] },
      stats: {
        n: 8,
        medianGradMin: 41.5,
        afterBurst: 2,
        afterBurstShare: 0.25,
        medianRet1: 0.125,
        medianRet5: -0.25,
        medianRet15: -0.5,
        upShare15: 0.25,
      },
    })
  })

  const hourly = { ...bareEnvelope, ageSec: 1800, rebuiltAt: fixedList.rebuiltAtMs }
  const sells = {
    observed: 40,
    sold: 30,
    soldShare: 0.75,
    medSoldSec: 45.5,
    medSellGain: 0.125,
    soldWithin60sShare: 0.25,
  }
  const metrics = { n: 30, evShrunk: 0.203125, evRaw: 0.25, winShare: 0.6, shadowed: 40, shadowHit: 0.5 }

  it('holds leaders with every field of the specification, and the method with every constant', async () => {
    const { method, wallets, ...rest } = await buy<Leaders>('/v1/sol/wallets/leaders')
    expect(rest).to.deep.equal(hourly)
    expect(wallets).to.deep.equal([
      { rank: 1, wallet: fixedWallet, ...metrics, gapBuys: 3, lastBuyAt: 1_789_998_000_000, sells },
      {
        ...{ rank: 2, wallet: fixedList.leaders[1]?.wallet, n: 5, evShrunk: 0.05, evRaw: 0.025, winShare: 0.4 },
        ...{ shadowed: 5, shadowHit: 0.2, gapBuys: 0, lastBuyAt: 1_789_997_000_000 },
        sells: { observed: 5, sold: 0, soldShare: 0, medSoldSec: null, medSellGain: null, soldWithin60sShare: 0 },
      },
    ])
    const { metric, window, replay, ...constants } = method
    for (const text of [metric, replay.exit]) expect(text).to.be.a('string').that.is.not.empty
    expect(window).to.match(/^Buys of the last 14 days .* 60 minutes are over/)
    expect(constants).to.deep.equal({
      ...{ shrink: { k: 10, prior: 0.0625 }, minN: 5, maxN: 60, capRet: 1, replays: 320 },
      shadow: { shadowSol: 0.2, pathMin: 60, hitRatio: 1.35, missRatio: 0.8 },
    })
    expect(replay).to.deep.include({
      ...{ bigSol: 1, stakeSol: 0.25, stopRatio: 0.8, trailFromRatio: 1.35, trailRatio: 0.8, takeProfitRatio: 2 },
      timeStopMin: 30,
    })
  })

  it('holds the copied buys of a wallet with every field of the specification, and the summary', async () => {
    const path = `/v1/sol/wallets/${fixedWallet}/copy-stats`
    const { method, ...rest } = await buy<Copies>(path)
    expect(method).to.include.keys('otherLeaders', 'quoteDrift', 'fillSlip', 'leaderNext', 'path60m', 'ret', 'summary')
    for (const [name, said] of Object.entries(method)) expect(said, name).not.to.equal('')
    expect(method)
      .to.have.property('buys')
      .that.matches(/^Buys of 0.2 SOL and more, .* last 14 days .* 60 minutes/)
    const secs = [10, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600]
    expect(rest).to.deep.equal({
      ...hourly,
      wallet: fixedWallet,
      buys: [
        {
          // The id is the output of:
          // printf 'b:%s:%s:3' <mint> <signature> | sha1sum | cut -c1-16
          buyId: 'dc59a3746f6df158',
          ...{ at: fixedBuy.atMs, mint: fixedMint, leaderSol: 2.5, curveAt: 0.375, tokenAgeMin: 15, otherLeaders: 2 },
          ...{ quoteDrift: 0.015, fillSlip: 0.0175 },
          leaderNext: { sellAfterSec: 45, soldShare: 0.5, gain: 0.25 },
          path60m: secs.map((sec, index) => [sec, fixedBuy.result?.path[index]]),
          ...{ ret: 0.875, exit: 'take-profit', gaps: null },
          ...{ knownAt: fixedBuy.knownAtMs, publishedAt: fixedBuy.publishedAtMs },
          filled: { 'signal+30m': { knownAt: 1_789_993_601_000, publishedAt: 1_789_993_601_500 } },
        },
      ],
      summary: { buys: 41, rank: 1, ...metrics, sells },
    })
  })

  it('shows of a buy whose hour is not over, or that was not replayed, what is known', async () => {
    const copies = fixedRows.copies ?? expect.fail()
    const { result } = fixedBuy
    if (result === null) expect.fail()
    const noCopy = { ret: null, exit: null, exitSec: null }
    const unsold = { saleAfterSec: null, saleShare: null, saleGain: null }
    rows.copies = {
      ...copies,
      buys: [
        { ...fixedBuy, result: null, otherLeaders: null, tokenAgeMin: null },
        { ...fixedBuy, result: { ...result, ...noCopy, ...unsold, quoteDrift: null, fillSlip: null } },
      ],
      summary: {
        ...{ ...copies.summary, rank: null, n: 0, evRaw: null, winShare: null, shadowed: 0, shadowHit: null },
        ...{ sold: 0, medSoldSec: null, medSellGain: null, soldWithin60s: 0 },
      },
    }
    const { buys, summary } = await sell<Copies>(`/v1/sol/wallets/${fixedWallet}/copy-stats`)
    const nothing = { quoteDrift: null, fillSlip: null, leaderNext: null, ret: null, exit: null }
    expect(buys[0]).to.deep.include({ ...nothing, path60m: null, otherLeaders: null, tokenAgeMin: null })
    expect(buys[1]).to.deep.include(nothing)
    expect(buys[1]).to.have.property('path60m').with.length(12)
    expect(summary).to.deep.include({ rank: null, n: 0, evRaw: null, winShare: null, shadowHit: null, sells: null })
  })

  it('names every exit of a copy with hyphens', async () => {
    const copies = fixedRows.copies ?? expect.fail()
    const exits = ['stop', 'trail', 'take_profit', 'time'] as const
    const buys = exits.map((exit) => ({ ...fixedBuy, result: fixedBuy.result && { ...fixedBuy.result, exit } }))
    rows.copies = { ...copies, buys }
    const sold = await sell<Copies>(`/v1/sol/wallets/${fixedWallet}/copy-stats`)
    expect(sold.buys.map(({ exit }) => exit)).to.deep.equal(['stop', 'trail', 'take-profit', 'time'])
  })

  it('about leaders is not sold before there is a list, and about a wallet not where nothing is known of it', async () => {
    const [leaders = '', copies = ''] = pathOfEachRoute.slice(4)
    rows.list = null
    for (const path of [leaders, copies, copies.replace(fixedWallet, fixedMint)]) {
      const response = await edge.get(path)
      expect([response.status, (await bodyOf(response)).code], path).to.deep.equal([503, 'warming_up'])
      expect(Number(response.headers.get('retry-after'))).to.be.above(0)
    }
    rows.list = fixedList
    rows.copies = null
    // A new data time (cut) is needed here, because the service caches answers by cut.
    setCut({ ...chainBCut, atMs: chainBCut.atMs - 1 })
    for (const response of [await edge.buy(copies), await edge.get(copies.replace(fixedWallet, fixedMint))])
      expect([response.status, (await bodyOf(response)).code]).to.deep.equal([404, 'not_tracked'])
    expect((await edge.get(leaders)).status).to.equal(402)
  })

  it('has an object in the snapshot', async () => {
    const snapshot = await buy<Readonly<{ chainA: object; chainB: object }>>('/v1/snapshot')
    expect(Object.keys(snapshot)).to.deep.equal([
      ...['schemaVersion', 'generatedAt', 'ageSec', 'windowMin', 'chainA', 'chainB'],
    ])
    expect(snapshot).to.include({ ageSec: 3 })
    expect(snapshot.chainB).to.deep.equal({
      solUsd: 150.5,
      bursts: [burst],
      last24h: { bursts: 9, scored: 6, graduated: 2 },
    })
  })

  it('shows a graduation within the window by its minutes and its return', async () => {
    const outcome = { ...fixedBurst.outcome!, completedAtMs: fixedBurst.atMs + 90_000, gradRet: 2.5, ret20m: null }
    rows.bursts = [{ ...fixedBurst, outcome: { ...outcome, isNonStandardCurve: true } }]
    const [sold] = (await sell<Bursts>('/v1/sol/bursts/history')).bursts
    expect(sold?.outcome).to.deep.include({ graduated: true, gradMin: 1.5, gradRet: 2.5, ret20m: null })
    expect(sold?.outcome.nonStandardCurve).to.equal(true)
  })

  it('shows every reason of an exit with hyphens, and rules by other ids than chain A’s of the same name', async () => {
    const whys = ['stop', 'burst_fade', 'burst_stall', 'take_profit', 'trail', 'time', 'graduated', 'held'] as const
    const exits = whys.map((why) => ({ rule: `rule of ${why}`, ret: 0, why, sec: 1 }))
    rows.bursts = [{ ...fixedBurst, outcome: { ...fixedBurst.outcome!, exits } }]
    const [sold] = (await sell<Bursts>('/v1/sol/bursts/history')).bursts
    expect(Object.values(sold?.outcome.byRule ?? {}).map(({ why }) => why)).to.deep.equal([
      ...['stop', 'burst-fade', 'burst-stall', 'take-profit', 'trail', 'time', 'graduated', 'held'],
    ])
    for (const id of Object.keys(sold?.outcome.byRule ?? {})) expect(id).to.match(/^r[0-9a-f]{12}$/)
    const ofChainA = await sell<Bursts>('/v1/rh/bursts/history')
    expect(Object.keys(ofChainA.bursts[0]?.outcome.byRule ?? {}))
      .to.include('hold')
      .and.not.include(liveId)
  })

  it('shows what is not known yet as null, and an outcome that is not scored as exactly that', async () => {
    rows.bursts = [
      { ...fixedBurst, anatomy: null, outcome: null },
      { ...fixedBurst, anatomy: { ...fixedBurst.anatomy!, holdersTop10: null, holderTop1: null } },
    ]
    const [early, unread] = (await sell<Bursts>('/v1/sol/bursts/live')).bursts
    expect(early).to.deep.include({ anatomy: null, outcome: { scored: false } })
    expect(unread?.anatomy).to.include({ holdersTop10: null, holderTop1: null, buyers: 11 })
    rows.graduations = [{ ...fixedGraduation, gradMin: null, burst: null, post: null, path: [] }]
    const [grad] = (await sell<Grads>('/v1/sol/grads/live')).grads
    expect(grad).to.deep.include({ gradMin: null, burst: null, post: null, path: [] })
  })

  it('has no shares of nothing', async () => {
    rows.graduations = []
    rows.stats = {
      ...{ n: 0, medianGradMin: null, afterBurst: 0, medianRet1: null, medianRet5: null, medianRet15: null },
      ...{ known15: 0, up15: 0 },
    }
    const { grads, stats } = await sell<Grads>('/v1/sol/grads/history')
    expect(grads).to.deep.equal([])
    expect(stats).to.deep.equal({
      ...{ n: 0, medianGradMin: null, afterBurst: 0, afterBurstShare: null },
      ...{ medianRet1: null, medianRet5: null, medianRet15: null, upShare15: null },
    })
  })

  it('names the rows that a reorg withdrew in favour of those shown', async () => {
    rows.bursts = [{ ...fixedBurst, atMs: fixedBurst.atMs + 1000, supersedesAtMs: fixedBurst.atMs }]
    const [moved] = (await sell<Bursts>('/v1/sol/bursts/live')).bursts
    expect(moved?.supersedes).to.equal(burst.id)
    expect(moved?.id)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(burst.id)
    const supersedesAtMs = fixedGraduation.gradAtMs
    rows.graduations = [{ ...fixedGraduation, gradAtMs: supersedesAtMs + 1000, supersedesAtMs }]
    const [grad] = (await sell<Grads>('/v1/sol/grads/live')).grads
    expect(grad).to.include({ gradAt: supersedesAtMs + 1000, supersedes: supersedesAtMs })
  })

  it('carries note and latest on a quiet window of bursts, and only then', async () => {
    const older = { ...fixedBurst, atMs: chainBCut.blockAtMs - 3 * 60_000 }
    rows.bursts = [older]
    const quiet = await sell<Bursts>('/v1/sol/bursts/live?minutes=3')
    expect(quiet.bursts).to.deep.equal([])
    expect(quiet.note).to.be.a('string')
    expect(quiet.latest).to.deep.include({ at: older.atMs, mint: fixedMint })
    rows.bursts = [{ ...fixedBurst, atMs: chainBCut.blockAtMs - 24 * 3_600_000 }]
    expect(await sell<Bursts>('/v1/sol/bursts/live?minutes=3')).to.include({ note: quiet.note, latest: null })
    rows.bursts = [fixedBurst]
    expect(await sell('/v1/sol/bursts/live?minutes=3')).to.not.have.any.keys('note', 'latest')
    rows.bursts = []
    expect(await sell('/v1/sol/bursts/history')).to.not.have.any.keys('note', 'latest')
    rows.graduations = []
    expect(await sell('/v1/sol/grads/live')).to.not.have.any.keys('note', 'latest')
  })

  it('is served without /v1 too', async () => {
    for (const path of pathOfEachRoute) {
      const alias = await edge.get(path.replace('/v1', ''))
      expect([alias.status, (await bodyOf(alias)).code], path).to.deep.equal([402, 'payment_required'])
    }
  })

  const codesOf = (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await bodyOf(edge.get(path))).code))

  it('is not sold before there is data, and bursts not before there is a price of SOL', async () => {
    const paths = [...pathOfEachRoute, '/v1/snapshot', '/v1/rh/bursts/live']
    setCut(null)
    const waiting = 'warming_up'
    const forSale = 'payment_required'
    expect(await codesOf(paths)).to.deep.equal([...Array(8).fill(waiting), forSale])
    setCut({ ...chainBCut, coinPrice: null })
    expect(await codesOf(paths)).to.deep.equal([waiting, waiting, ...Array(5).fill(forSale), waiting, forSale])
  })

  it('is sold while its data is at most two minutes old, a verdict three, what is rebuilt hourly three hours, whatever chain A does', async () => {
    const [live, hourly, verdict] = [pathOfEachRoute.slice(0, 4), pathOfEachRoute.slice(4, 6), pathOfEachRoute.slice(6)]
    const expectCodes = async (ofLive: string, ofHourly: string, ofVerdict = ofLive) => {
      expect(await codesOf(live)).to.deep.equal(Array(4).fill(ofLive))
      expect(await codesOf(hourly)).to.deep.equal(Array(2).fill(ofHourly))
      expect(await codesOf(verdict)).to.deep.equal([ofVerdict])
    }
    edge.nowMs = chainBCut.blockAtMs + 120_000
    await expectCodes('payment_required', 'payment_required')
    edge.state.cut = null
    await expectCodes('payment_required', 'payment_required')
    edge.nowMs += 1
    await expectCodes('data_stale', 'payment_required', 'payment_required')
    edge.nowMs = chainBCut.blockAtMs + 180_000
    await expectCodes('data_stale', 'payment_required', 'payment_required')
    edge.nowMs += 1
    await expectCodes('data_stale', 'payment_required')
    edge.nowMs = fixedList.rebuiltAtMs + 3 * 3_600_000
    await expectCodes('data_stale', 'payment_required')
    edge.nowMs += 1
    await expectCodes('data_stale', 'data_stale')
  })

  const otherWallet = fixedList.leaders[1]?.wallet ?? ''

  it('denies no wallet that a list of three hours before its own cut does not know', async () => {
    const paths = [fixedWallet, otherWallet].map((wallet) => `/v1/sol/wallets/${wallet}/copy-stats`)
    const listed = (ageMs: number) => {
      rows.list = { ...fixedList, rebuiltAtMs: chainBCut.atMs - ageMs }
      return codesOf(['/v1/sol/wallets/leaders', ...paths])
    }
    const limitMs = 3 * 3_600_000
    edge.nowMs = chainBCut.atMs
    expect(await listed(limitMs)).to.deep.equal(['payment_required', 'payment_required', 'not_tracked'])
    expect(await listed(limitMs + 1)).to.deep.equal(['data_stale', 'data_stale', 'data_stale'])
    // The list is now 1 ms older than the limit. It was fresh at the cut time, so the second wallet still
    // gets `not_tracked`.
    edge.nowMs += 1
    expect(await listed(limitMs)).to.deep.equal(['data_stale', 'data_stale', 'not_tracked'])
  })

  it('is counted on the free routes, and makes health wait', async () => {
    const { data, endpoints } = await bodyOf(edge.get('/'))
    expect(data).to.include({ bursts24h: 10, poolsTracked: 1 })
    const patterns = endpoints.map(({ route }) =>
      route.replace('GET ', '').replace('{addr}', fixedWallet).replace('{mint}', fixedMint),
    )
    expect(patterns).to.include.members(pathOfEachRoute)
    setCut(null)
    expect(await bodyOf(edge.get('/v1/health'))).to.include({ status: 'warming_up' })
  })
})

describe('the headlines of chain B', () => {
  const { headlineOf } = chainB
  const launchAtMs = noonMs - 16.5 * 60_000

  it('are its bursts and its graduations', () => {
    const burstOf = buildBurst({ inflowLamports: 12_345_678_901n, fillAt: 0.4567, launchAtMs })
    expect(headlineOf(fixedMint, burstOf)).to.deep.equal({
      atMs: noonMs,
      text: 'curve  7tYoeVNh…pump  +12.35 SOL in 60 s, curve 45 % full, token 16 min old',
    })
    expect(headlineOf(fixedMint, buildGraduation({ launchAtMs }))).to.deep.equal({
      atMs: noonMs,
      text: 'grad   7tYoeVNh…pump  curve complete after 16 min',
    })
    expect(headlineOf(fixedMint, buildGraduation({ launchAtMs: null }))?.text).to.equal(
      'grad   7tYoeVNh…pump  curve complete',
    )
    expect(headlineOf(fixedMint, buildOutcome())).to.equal(null)
  })
})
