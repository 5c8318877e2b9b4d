import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { expect } from 'chai'
import type { ZodType } from 'zod'
import { createApp } from '../../api/app.ts'
import { createLogger } from '../../infra/telemetry.ts'
import type { LpRow, RugCheckRow } from '../../projections/queries/chain-a-views.ts'
import type { LpClass } from '../../schemas/chain-a/derived.ts'
import {
  burstsHistoryAnswer,
  burstsLiveAnswer,
  crewsAnswer,
  poolFlowAnswer,
  poolsNewAnswer,
  type RhBurst,
  rugCheckAnswer,
  snapshotAnswer,
} from '../../schemas/resources/chain-a.ts'
import { type FacilitatorDouble, startFacilitatorDouble } from '../support/facilitator-double.ts'
import { createFixedViews, fixedBurst, fixedCurve, fixedCut, fixedPool, fixedProfile } from '../support/fixed-views.ts'
import {
  createTestClock,
  memoryLog,
  openPaidService,
  type PaidService,
  sign,
  toHeader,
} from '../support/paid-service.ts'

const flowPath = `/v1/rh/pools/${fixedPool.pool}/flow`
const rugCheckPath = `/v1/rh/token/${fixedBurst.token}/rugcheck`
const shapes: Readonly<Record<string, ZodType>> = {
  '/v1/rh/bursts/live': burstsLiveAnswer,
  '/v1/rh/bursts/history': burstsHistoryAnswer,
  '/v1/rh/pools/new': poolsNewAnswer,
  [flowPath]: poolFlowAnswer,
  [rugCheckPath]: rugCheckAnswer('launchCurve'),
  '/v1/rh/crews': crewsAnswer,
  '/v1/snapshot': snapshotAnswer('chainA'),
}
/** As far as the specification gives them the envelope of chain A. */
const envelopes: Readonly<Record<string, object>> = {
  [rugCheckPath]: { chain: 'chainA' },
  '/v1/snapshot': { windowMin: 60 },
}
const routeNamed = {
  bursts: '/v1/rh/bursts/live',
  untracked: `/v1/rh/pools/0x${'00'.repeat(32)}/flow`,
}

type ScoredBurst = RhBurst & Readonly<{ outcome: Readonly<{ scored: true; byRule: Readonly<Record<string, object>> }> }>

/** What the tests look at, over all bodies. */
type Body = Readonly<{
  error: string
  code: string
  docs: string
  note: string
  notice: string
  bursts: readonly ScoredBurst[]
  latest: RhBurst
  endpoints: readonly Readonly<{ route: string; price: number }>[]
  data: object
}>

const bodyOf = async (response: Promise<Response> | Response): Promise<Body> => (await (await response).json()) as Body

/** What stands in the way of an answer, besides what the path says. */
type World = Readonly<{ path: string; isWarming?: boolean; isStale?: boolean; isUnpayable?: boolean }>

const { bursts: burstsPath, untracked: untrackedPath } = routeNamed
const refusalsInOrder: readonly (readonly [World, number, string])[] = [
  [{ path: '/v1/rh/nothing?minutes=0', isWarming: true }, 404, 'no_such_route'],
  [{ path: `${burstsPath}?minutes=0`, isWarming: true, isStale: true, isUnpayable: true }, 400, 'bad_param'],
  [{ path: '/v1/rh/pools/0x12/flow', isWarming: true }, 400, 'bad_address'],
  [{ path: untrackedPath, isWarming: true, isUnpayable: true }, 503, 'warming_up'],
  [{ path: untrackedPath, isStale: true, isUnpayable: true }, 404, 'not_tracked'],
  [{ path: burstsPath, isStale: true, isUnpayable: true }, 503, 'data_stale'],
  [{ path: burstsPath, isUnpayable: true }, 503, 'payments_not_live'],
  [{ path: burstsPath }, 402, 'payment_required'],
]

describe('the HTTP edge', () => {
  const { state, views } = createFixedViews()
  const initial = { ...state }
  let double: FacilitatorDouble
  let paid: PaidService
  let server: Server
  let baseUrl: string
  let nowMs: number

  before(async () => {
    double = await startFacilitatorDouble()
    const clock = createTestClock()
    paid = await openPaidService(double, { log: memoryLog(clock), clock })
    await paid.gate.refresh()
    const app = createApp({
      views,
      gate: paid.gate,
      presentation: { chainName: 'chainA', launchpadKey: 'launchCurve', ruleIdSecret: 'a secret of the test' },
      publicBaseUrl: 'https://data.example',
      viewRefreshMs: 0,
      trustedProxyCount: 1,
      nowMs: () => nowMs,
      logger: createLogger('test', 'silent'),
    })
    server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  beforeEach(() => {
    Object.assign(state, initial, { asked: [] })
    nowMs = fixedCut.atMs + 500
  })

  after(async () => {
    server.closeAllConnections()
    server.close()
    await paid.gate.close()
    await double.stop()
  })

  const get = (path: string, init: RequestInit = {}) => fetch(baseUrl + path, init)

  const buy = async (path: string) => {
    const asked = await get(path)
    expect(asked.status, `the 402 of ${path}`).to.equal(402)
    const payload = await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') as string))
    return get(path, { headers: { 'PAYMENT-SIGNATURE': toHeader(payload).header } })
  }

  describe('a paid answer', () => {
    it('is the documented resource on every route, private, with a receipt', async () => {
      for (const [path, shape] of Object.entries(shapes)) {
        const response = await buy(path)
        expect(response.status, path).to.equal(200)
        expect(response.headers.get('cache-control')).to.equal('private, no-store')
        expect(response.headers.get('age')).to.equal('0')
        const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') as string)
        expect(receipt).to.include({ success: true, network: 'eip155:8453' })
        const body = await bodyOf(response)
        shape.parse(body)
        expect(body).to.include({ schemaVersion: 1, generatedAt: fixedCut.atMs, ageSec: 2 })
        expect(body).to.include(envelopes[path] ?? { chain: 'chainA', ethUsd: 3000 })
      }
    })

    it('shows a burst with its id, its outcome by opaque rule ids, and the baseline under its name', async () => {
      const { bursts } = await bodyOf(buy('/v1/rh/bursts/history'))
      const [burst] = bursts
      // printf 'a:0xb2b2…:main:1789999990000' | sha1sum | cut -c1-16
      expect(burst?.id).to.equal('e0ecd5c2460fa1b0')
      expect(burst).to.deep.include({
        at: fixedBurst.atMs,
        sizeCV: 0.7,
        buyers: 11,
        // 60 s from the first add to the signal.
        lp: {
          ...{ class: 'held', insiderShare: 0.75, burnedShare: 0.25, contractShare: 0, otherShare: 0, unknownShare: 0 },
          ...{ lpAgeMin: 1, estimated: false },
        },
        supersedes: null,
        knownAt: fixedBurst.knownAtMs,
      })
      expect(burst?.outcome.byRule.hold).to.deep.equal({ ret: -0.5, why: 'held', sec: null })
      const opaque = Object.entries(burst?.outcome.byRule ?? {}).filter(([id]) => id !== 'hold')
      expect(opaque.map(([id]) => id))
        .to.have.lengthOf(1)
        .and.satisfy(([id]: string[]) => /^r[0-9a-f]{12}$/.test(id ?? ''))
      expect(opaque[0]?.[1]).to.deep.equal({ ret: -0.17, why: 'burst-stall', sec: 60 })
    })

    it('shows an outcome that is not scored as exactly that', async () => {
      state.bursts = [{ ...fixedBurst, outcome: null }]
      const { bursts } = await bodyOf(buy('/v1/rh/bursts/live?minutes=61'))
      expect(bursts[0]?.outcome).to.deep.equal({ scored: false })
    })

    it('shows the liquidity of a burst as null until it is read, and never an empty pool as anything but unknown', async () => {
      const lp = { ...(fixedBurst.lp as LpRow), class: 'empty', insiderShare: 0, burnedShare: 0 } as const
      state.bursts = [
        { ...fixedBurst, lp: null },
        { ...fixedBurst, lp: { ...lp, firstAddAtMs: null } },
      ]
      const { bursts } = await bodyOf(buy('/v1/rh/bursts/live?minutes=63'))
      expect(bursts[0]?.lp).to.equal(null)
      expect(bursts[1]?.lp).to.include({ class: 'unknown', insiderShare: 0, lpAgeMin: 0 })
    })

    it('names the row that a revert withdrew in favour of the one shown', async () => {
      state.bursts = [{ ...fixedBurst, atMs: fixedBurst.atMs + 3000, supersedesAtMs: fixedBurst.atMs }]
      const body = await bodyOf(buy('/v1/rh/bursts/live?minutes=62'))
      expect(burstsLiveAnswer.parse(body).bursts[0]?.supersedes).to.equal('e0ecd5c2460fa1b0')
      expect(body.bursts[0]?.id).to.not.equal('e0ecd5c2460fa1b0')
    })

    it('carries note and latest on a quiet window, and only then', async () => {
      state.bursts = []
      state.latest = fixedBurst
      const quiet = await bodyOf(buy('/v1/rh/bursts/live?minutes=3'))
      expect(quiet.note).to.be.a('string')
      expect(quiet.latest.at).to.equal(fixedBurst.atMs)
      state.bursts = [fixedBurst]
      nowMs += 1
      state.cut = { ...fixedCut, atMs: fixedCut.atMs + 1 }
      expect(await bodyOf(buy('/v1/rh/bursts/live?minutes=3'))).to.not.have.any.keys('note', 'latest')
    })

    it('is computed once per cut, however often it is sold', async () => {
      state.cut = { ...fixedCut, atMs: fixedCut.atMs + 2 }
      for (let sale = 0; sale < 3; sale++) expect((await buy('/v1/rh/pools/new?hours=9')).status).to.equal(200)
      expect(state.asked).to.deep.equal(['poolsNew'])
    })
  })

  describe('the rug check', () => {
    const profilesOf = (...classes: readonly LpClass[]) =>
      classes.map((lpClass, index) => ({ ...fixedProfile, class: lpClass, pool: `0x${String(index).repeat(64)}` }))

    let checks = 0
    /** At a cut of its own: answers are kept by cut. */
    const checkOf = async (rugCheck: RugCheckRow) => {
      state.rugCheck = rugCheck
      checks += 1
      state.cut = { ...fixedCut, atMs: fixedCut.atMs + 100 + checks }
      nowMs = state.cut.atMs + 500
      return rugCheckAnswer('launchCurve').parse(await bodyOf(buy(rugCheckPath)))
    }

    it('is as risky as the riskiest pool', async () => {
      const cases: readonly (readonly [readonly LpClass[], string])[] = [
        [['safe', 'empty', 'unknown', 'held'], 'held'],
        [['safe', 'empty', 'unknown'], 'unknown'],
        [['safe', 'empty'], 'empty'],
        [['safe', 'safe'], 'safe'],
      ]
      for (const [classes, expected] of cases) {
        const answer = await checkOf({ profiles: profilesOf(...classes), v3PoolCount: 0, curve: null })
        expect(answer.class, classes.join()).to.equal(expected)
        expect(answer.pools).to.have.length(classes.length)
        expect(answer).to.not.have.any.keys('note', 'launchCurve')
      }
    })

    it('shows a profile as of its check', async () => {
      const { pools } = await checkOf({ profiles: [fixedProfile], v3PoolCount: 0, curve: null })
      expect(pools).to.deep.equal([
        {
          ...{ pool: fixedPool.pool, token: fixedBurst.token, dex: 'v4', poolAgeMin: 10, block: 60, class: 'held' },
          ...{ insiderShare: 0.75, burnedShare: 0.25, contractShare: 0, otherShare: 0, unknownShare: 0 },
          ...{ checkedAt: fixedProfile.checkedAtMs, lpAgeMin: 10, lpAdds: 2, creator: fixedProfile.creator },
        },
      ])
    })

    it('is the curve while the token is on it, in USD of the cut, without pools', async () => {
      const answer = await checkOf({ profiles: profilesOf('safe'), v3PoolCount: 0, curve: fixedCurve })
      expect(answer).to.deep.include({ class: 'launchpad-curve', pools: [] })
      expect(answer.note).to.match(/still on its curve, and 1 pools/)
      expect(answer.launchCurve).to.deep.equal({
        ...{ curve: fixedCurve.curve, graduated: false, symbol: 'TEST', creator: null, launchBlock: 50, ageMin: 10 },
        ...{ gradBlock: null, thresholdEth: 4.2, ethInCurve: 2.1, progress: 0.5, mcapUsd: 8.505 * 3000, feeBps: 200 },
        ...{ readBlock: 60, checkedAt: fixedCurve.readAtMs },
      })
    })

    it('calls a token with v3 pools alone unknown, and says why', async () => {
      const answer = await checkOf({ profiles: [], v3PoolCount: 2, curve: null })
      expect(answer).to.include({ class: 'unknown' })
      expect(answer.note).to.match(/2 of the token's pools are v3/)
    })

    it('is refused for a token that nothing is known of, before any payment', async () => {
      const response = await get(`/v1/rh/token/0x${'00'.repeat(20)}/rugcheck`)
      expect(response.status).to.equal(404)
      expect(await bodyOf(response)).to.include({ code: 'not_tracked' })
      expect((await get('/v1/rh/token/0x12/rugcheck')).status).to.equal(400)
    })
  })

  it('names crews to the minute', async () => {
    const body = crewsAnswer.parse(await bodyOf(buy('/v1/rh/crews?minBursts=4')))
    expect(body.walletsTracked).to.equal(17)
    // 1,789,999,990 s is 10 s past a minute; the cut's block is 10 s later.
    expect(body.crews).to.deep.equal([
      { wallet: `0x${'e5'.repeat(20)}`, bursts: 4, lastSeenAt: 1_789_999_980_000, lastSeenMinAgo: 0 },
    ])
  })

  it('sums the day up in the snapshot, with shares of nothing as null', async () => {
    const body = snapshotAnswer('chainA').parse(await bodyOf(buy('/v1/snapshot?minutes=7.9')))
    expect(body.windowMin).to.equal(7)
    expect(body.chainA).to.deep.include({ ethUsd: 3000 })
    expect((body.chainA as { last24h: object }).last24h).to.deep.equal({
      ...{ bursts: 9, scored: 6, medianRet30m: -0.1, medianRuleRet: 0.05 },
      rugCheck: {
        ...{ checked: 8, held: 2, heldPct: 0.25, heldScored: 2, heldPulled: 1, heldPulledPct: 0.5 },
        ...{ safe: 4, safeScored: 0, safePulled: 0 },
      },
    })
  })

  describe('a refusal', () => {
    const ask = async (path: string, { isWarming = false, isStale = false, isUnpayable = false }: World) => {
      state.cut = isWarming ? null : fixedCut
      nowMs = isStale ? fixedCut.blockAtMs + 120_001 : fixedCut.atMs
      double.reachable.value = !isUnpayable
      if (isUnpayable) await paid.gate.refresh()
      try {
        return await get(path)
      } finally {
        double.reachable.value = true
        await paid.gate.refresh()
      }
    }

    for (const [world, status, code] of refusalsInOrder)
      it(`is ${code} before whatever comes behind it, on the route and its alias`, async () => {
        for (const path of [world.path, world.path.replace('/v1', '')]) {
          const response = await ask(path, world)
          const body = await bodyOf(response)
          expect([response.status, body.code], path).to.deep.equal([status, code])
          expect(body.error, path).to.be.a('string').and.not.equal('')
          expect(body.docs, path).to.match(/^https:\/\/data\.example\//)
          expect(Number(response.headers.get('retry-after')) > 0, 'Retry-After').to.equal(status === 503)
        }
      })

    it('keeps data up to the limit to the millisecond', async () => {
      nowMs = fixedCut.blockAtMs + 120_000
      expect((await get(routeNamed.bursts)).status).to.equal(402)
      nowMs += 1
      expect((await get(routeNamed.bursts)).status).to.equal(503)
    })

    it('waits for a price: an envelope never shows none', async () => {
      state.cut = { ...fixedCut, ethUsd: null }
      expect(await bodyOf(get(routeNamed.bursts))).to.have.property('code', 'warming_up')
    })

    it('names every bad parameter and what it must be', async () => {
      const bad: [string, string][] = [
        ['/v1/rh/bursts/live?minutes=0.5', 'minutes'],
        ['/v1/rh/bursts/live?minutes=241', 'minutes'],
        ['/v1/rh/bursts/live?minutes=', 'minutes'],
        ['/v1/rh/bursts/live?minutes=5&minutes=6', 'minutes'],
        ['/v1/rh/bursts/live?tier=huge', 'tier'],
        ['/v1/rh/bursts/live?lp=', 'lp'],
        ['/v1/rh/bursts/history?hours=25', 'hours'],
        ['/v1/rh/pools/new?limit=1001', 'limit'],
        ['/v1/rh/pools/new?hours=1e1', 'hours'],
      ]
      for (const [path, name] of bad) {
        const response = await get(path)
        const body = await bodyOf(response)
        expect([response.status, body.code], path).to.deep.equal([400, 'bad_param'])
        expect(body.error, path).to.match(new RegExp(`^${name} `))
      }
    })

    it('for another method is 405 with what is allowed; for HEAD a 402 that runs nothing', async () => {
      const posted = await get(routeNamed.bursts, { method: 'POST' })
      expect([posted.status, (await bodyOf(posted)).code]).to.deep.equal([405, 'method_not_allowed'])
      expect(posted.headers.get('allow')).to.contain('GET')
      const head = await get(routeNamed.bursts, { method: 'HEAD' })
      expect(head.status).to.equal(402)
      expect(head.headers.get('payment-required')).to.be.a('string')
      expect(state.asked).to.deep.equal([])
    })

    it('of our own making tells nothing of its cause and charges nothing', async () => {
      state.failure = new TypeError('secret of the house')
      state.cut = { ...fixedCut, atMs: fixedCut.atMs + 4 }
      const transfers = double.transfers.size
      const response = await buy('/v1/rh/bursts/history?hours=7')
      expect(response.status).to.equal(500)
      const text = await response.text()
      expect(JSON.parse(text)).to.include({ code: 'internal' })
      expect(text).to.not.contain('secret')
      expect(double.transfers.size).to.equal(transfers)
    })
  })

  describe('identifiers', () => {
    it('are read without regard to case', async () => {
      const response = await get(`/V1/RH/pools/${fixedPool.pool.toUpperCase().replace('0X', '0x')}/Flow`)
      expect(response.status).to.equal(402)
    })
  })

  describe('a browser', () => {
    it('passes the preflight that the official client causes, and sees the payment headers', async () => {
      const preflight = await get(routeNamed.bursts, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://app.example',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'payment-signature,access-control-expose-headers',
        },
      })
      expect(preflight.status).to.equal(204)
      const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase()
      expect(allowed).to.contain('payment-signature').and.to.contain('access-control-expose-headers')
      for (const path of [routeNamed.bursts, '/v1/rh/nothing', '/']) {
        const response = await get(path, { headers: { Origin: 'https://app.example' } })
        expect(response.headers.get('access-control-allow-origin'), path).to.equal('*')
        expect(response.headers.get('access-control-expose-headers'), path)
          .to.contain('PAYMENT-REQUIRED')
          .and.to.contain('PAYMENT-RESPONSE')
      }
    })
  })

  describe('the free routes', () => {
    it('list every paid route with price and parameters, and how much there is', async () => {
      for (const path of ['/', '/health']) {
        const body = await bodyOf(get(path))
        expect(body).to.have.keys('service', 'about', 'source', 'payments', 'endpoints', 'free', 'data')
        expect(body.endpoints.map(({ route, price }) => [route, price])).to.deep.equal([
          ['GET /v1/rh/bursts/live', 0.01],
          ['GET /v1/rh/bursts/history', 0.02],
          ['GET /v1/rh/pools/new', 0.005],
          ['GET /v1/rh/pools/{id}/flow', 0.005],
          ['GET /v1/rh/token/{addr}/rugcheck', 0.02],
          ['GET /v1/rh/crews', 0.02],
          ['GET /v1/snapshot', 0.03],
        ])
        expect(body.data).to.deep.equal({ generatedAt: fixedCut.atMs, ageSec: 2, bursts24h: 1, poolsTracked: 1 })
      }
    })

    it('say that a simulated market is one', async () => {
      state.cut = { ...fixedCut, source: 'simulated' }
      for (const path of ['/', '/health', '/v1/health']) {
        const body = await bodyOf(get(path))
        expect(body).to.include({ source: 'simulated' })
        expect(body.notice, path).to.contain('SIMULATED')
      }
    })

    it('tell the age of the data, and when there is none yet', async () => {
      nowMs = fixedCut.blockAtMs + 130_000
      expect(await bodyOf(get('/v1/health'))).to.include({ status: 'stale', dataAgeSec: 130 })
      state.cut = null
      expect(await bodyOf(get('/v1/health'))).to.deep.equal({ status: 'warming_up', dataAgeSec: null })
      expect(await bodyOf(get('/')))
        .to.have.property('data')
        .that.deep.equals({
          generatedAt: null,
          ageSec: null,
          bursts24h: 0,
          poolsTracked: 0,
        })
    })

    it('are limited to 120 a minute for one address, together; the paid ones are not', async () => {
      const from = (ip: string) => ({ headers: { 'X-Forwarded-For': `6.6.6.6, ${ip}` } })
      const statuses = []
      for (let call = 0; call < 122; call++)
        statuses.push((await get(call % 2 ? '/v1/health' : '/health', from('1.2.3.4'))).status)
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(120)
      const refused = await get('/', from('1.2.3.4'))
      expect([refused.status, (await bodyOf(refused)).code]).to.deep.equal([429, 'rate_limited'])
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
      expect((await get('/', from('1.2.3.5'))).status).to.equal(200)
      expect((await get(routeNamed.bursts, from('1.2.3.4'))).status).to.equal(402)
    })
  })
})
