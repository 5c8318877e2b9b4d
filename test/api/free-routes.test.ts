import { expect } from 'chai'
import { routeIdOf } from '../../api/route.ts'
import { asOfParam } from '../../api/sale/params.ts'
import { fixedCut } from '../support/fixed-queries.ts'
import { bodyOf, burstsPath, edgeOfTests } from './edge.ts'

describe('the free routes', () => {
  const edge = edgeOfTests()

  it('list every paid route with price and parameters, and how much there is', async () => {
    for (const path of ['/', '/health']) {
      const body = await bodyOf(edge.get(path))
      expect(body).to.have.keys('service', 'about', 'source', 'payments', 'endpoints', 'free', 'data')
      expect(body.endpoints.map(({ route, price }) => [route, price])).to.deep.equal(
        edge.routes.map((route) => [routeIdOf(route), route.priceUsdMicros / 1_000_000]),
      )
      const flow = body.endpoints.find(({ route }) => route === 'GET /v1/rh/pools/{id}/flow')
      expect(flow).to.include({ price: 0.005 })
      expect(body.data).to.deep.equal({
        generatedAt: fixedCut.atMs,
        ageSec: 2,
        coinPriceAgeSec: 1002,
        bursts24h: 1,
        poolsTracked: 1,
      })
    }
  })

  it('list a URL of every paid route that answers 402 without a payment, for that URL', async () => {
    const { endpoints } = await bodyOf(edge.get('/'))
    for (const { route, url } of endpoints) {
      const answer = await edge.get(url?.replace('https://data.example', '') ?? expect.fail(route))
      expect([answer.status, (await bodyOf(answer)).resource?.url], route).to.deep.equal([402, url])
    }
  })

  it('list only the pattern of a route while the service tracks nothing that its path could name', async () => {
    edge.nowMs += 60_000
    edge.state.pools = []
    const { endpoints } = await bodyOf(edge.get('/'))
    const withoutUrl = endpoints.filter(({ url }) => url === null).map(({ route }) => route)
    expect(withoutUrl).to.deep.equal(['GET /v1/rh/pools/{id}/flow'])
  })

  it('tell what was sold by day and route, and of failed payments, without a payer', async () => {
    const before = await bodyOf(edge.get('/v1/stats'))
    expect(before).to.have.keys(
      'service',
      'note',
      'generatedAt',
      'currency',
      'totals',
      'days',
      'payFailures',
      'settlements',
    )
    expect(before).to.deep.include({ currency: 'USD', totals: { n: 0, usd: 0 }, days: [], payFailures: [] })
    expect((await edge.buy(burstsPath)).status).to.equal(200)
    const sold = { n: 1, usd: 0.01 }
    const day = new Date().toISOString().slice(0, 10)
    // The server computes the statistics at most one time per second.
    expect(await bodyOf(edge.get('/v1/stats'))).to.deep.equal(before)
    edge.nowMs += 1000
    const after = await bodyOf(edge.get('/v1/stats'))
    expect(after).to.deep.include({
      totals: sold,
      days: [{ day, ...sold, routes: { 'GET /v1/rh/bursts/live': sold } }],
    })
    expect(JSON.stringify(after)).to.not.match(/0x[0-9a-fA-F]{40}/)
  })

  it('are listed beside what is sold', async () => {
    const { free } = (await bodyOf(edge.get('/'))) as unknown as Readonly<{ free: readonly string[] }>
    expect(free).to.include.members(['GET /', 'GET /health', 'GET /v1/health', 'GET /v1/sample', 'GET /v1/stats'])
    // The stream is free only for clients with a pass.
    for (const route of free) {
      const answer = await edge.get(route.slice(4))
      expect(answer.status, route).to.equal(route.endsWith('/stream') ? 401 : 200)
      await answer.text()
    }
  })

  it('say of every parameter what it takes, and of counts that a fraction is floored', async () => {
    const { endpoints } = await bodyOf(edge.get('/'))
    const crews = endpoints.find(({ route }) => route === 'GET /v1/rh/crews')
    expect(crews?.params).to.deep.equal([
      {
        ...{ name: 'minBursts', in: 'query', type: 'number', min: 3, max: 50, default: 3 },
        description: 'least burst windows of a wallet; a fraction is floored',
      },
      {
        ...{ name: 'limit', in: 'query', type: 'number', min: 1, max: 25, default: 25 },
        description: 'most wallets to list; a fraction is floored',
      },
      { name: 'asOf', in: 'query', type: 'number', description: asOfParam.description },
    ])
  })

  it('say of each parameter where it stands and what it is', async () => {
    const { endpoints } = await bodyOf(edge.get('/'))
    const params = endpoints.flatMap((each) => each.params as readonly Record<string, unknown>[])
    expect(params.filter(({ description }) => description === '' || description === undefined)).to.deep.equal([])
    const others = params.filter(({ name }) => name !== 'asOf')
    expect(others.map(({ type }) => type)).to.deep.equal(
      others.map((param) => ('default' in param ? typeof param.default : 'string')),
    )
    expect(others.map((param) => param.in)).to.deep.equal(
      others.map((param) => ('default' in param ? 'query' : 'path')),
    )
    expect(new Set(params.map((param) => param.in)).size).to.equal(2)
  })

  it('ask for what there is once a cut, however often they are asked, and again after a failure', async () => {
    const counted = () => edge.state.asked.filter((name) => name === 'counts').length
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 7_000 }
    edge.state.failure = new RangeError('a read fails')
    expect((await edge.get('/')).status).to.equal(500)
    edge.state.failure = null
    for (let turn = 0; turn < 5; turn++) expect((await edge.get('/')).status).to.equal(200)
    expect(counted()).to.equal(2)
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 9_000 }
    expect((await edge.get('/')).status).to.equal(200)
    expect(counted()).to.equal(3)
  })

  it('count gaps once a minute', async () => {
    const counted = () => edge.state.asked.filter((name) => name === 'gapCounts').length
    const minuteAtMs = Math.ceil(fixedCut.atMs / 60_000 + 10) * 60_000
    const before = counted()
    for (const [laterMs, times] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
    ] as const) {
      edge.state.cut = { ...fixedCut, atMs: minuteAtMs + laterMs }
      expect((await edge.get('/v1/health')).status).to.equal(200)
      expect(counted() - before, `${laterMs}`).to.equal(times)
    }
  })

  it('say that a simulated market is one', async () => {
    edge.state.cut = { ...fixedCut, source: 'simulated' }
    for (const path of ['/', '/health', '/v1/health']) {
      const body = await bodyOf(edge.get(path))
      expect(body).to.include({ source: 'simulated' })
      expect(body.notice, path).to.contain('SIMULATED')
    }
  })

  it('tell the age of the data and of the price as they are served, and when there is none yet', async () => {
    edge.nowMs = fixedCut.blockAtMs + 130_000
    const { atMs: generatedAt, blockNumber: block } = fixedCut
    const stale = { status: 'stale', dataAgeSec: 130, generatedAt }
    const { source } = fixedCut
    const { chains, ...whole } = await bodyOf(edge.get('/v1/health'))
    expect(whole).to.deep.equal({ ...stale, source })
    expect(chains).to.have.keys('chainA')
    const { gaps24h, ...ofChainA } = chains.chainA as typeof chains.chainA & { gaps24h: { undetectable: object } }
    expect(ofChainA).to.deep.equal({ ...stale, block })
    const { undetectable, ...counts } = gaps24h
    expect(counts).to.deep.equal({ open: 4, givenUp: 0, late: 0 })
    expect(undetectable).to.have.property('markets', 9)
    expect(undetectable)
      .to.have.property('what')
      .that.matches(/^Counted: launchpad curves .* Not counted: /)
    for (const path of ['/', '/health'])
      expect((await bodyOf(edge.get(path))).data).to.include({ ageSec: 130, coinPriceAgeSec: 1130 })
    edge.state.cut = null
    const nothing = { status: 'warming_up', dataAgeSec: null }
    expect(await bodyOf(edge.get('/v1/health'))).to.deep.equal({ ...nothing, chains: { chainA: nothing } })
    expect(await bodyOf(edge.get('/')))
      .to.have.property('data')
      .that.deep.equals({
        generatedAt: null,
        ageSec: null,
        coinPriceAgeSec: null,
        bursts24h: 0,
        poolsTracked: 0,
      })
  })

  it('tell of a clock that disagrees with a payment chain, whether there is data or not', async () => {
    const { gate } = edge
    const told = gate.clockDifferences
    const clock = [{ network: 'eip155:8453', aheadSec: 3_600 }]
    Object.assign(gate, { clockDifferences: () => clock })
    try {
      for (const cut of [fixedCut, null]) {
        edge.state.cut = cut
        expect(await bodyOf(edge.get('/v1/health'))).to.deep.include({ clock })
      }
    } finally {
      Object.assign(gate, { clockDifferences: told })
    }
  })

  it('are limited to 120 a minute for one address, together; the paid ones are not', async () => {
    const from = (ip: string) => ({ headers: { 'X-Forwarded-For': `6.6.6.6, ${ip}` } })
    const statuses = []
    for (let call = 0; call < 122; call++)
      statuses.push((await edge.get(call % 2 ? '/v1/health' : '/health', from('1.2.3.4'))).status)
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(120)
    const refused = await edge.get('/', from('1.2.3.4'))
    expect([refused.status, (await bodyOf(refused)).code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await edge.get('/', from('1.2.3.5'))).status).to.equal(200)
    expect((await edge.get(burstsPath, from('1.2.3.4'))).status).to.equal(402)
  })
})
