import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { fixedCut, fixedPool } from '../../support/fixed-queries.ts'
import { bodyOf, burstsPath, edgeOfTests, pathOfEachRoute, verdictPath } from '../edge.ts'

const untrackedPath = `/v1/rh/pools/0x${'00'.repeat(32)}/flow`

/** A request path, and the reasons why the service cannot answer the request. */
type World = Readonly<{ path: string; isWarming?: boolean; isStale?: boolean; isUnpayable?: boolean }>

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
  const edge = edgeOfTests()

  describe('a refusal', () => {
    const ask = async (path: string, { isWarming = false, isStale = false, isUnpayable = false }: World) => {
      edge.state.cut = isWarming ? null : fixedCut
      edge.nowMs = isStale ? fixedCut.blockAtMs + 120_001 : fixedCut.atMs
      edge.double.reachable.value = !isUnpayable
      if (isUnpayable) await edge.gate.refresh()
      try {
        return await edge.get(path)
      } finally {
        edge.double.reachable.value = true
        await edge.gate.refresh()
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
      edge.nowMs = fixedCut.blockAtMs + 120_000
      expect((await edge.get(burstsPath)).status).to.equal(402)
      edge.nowMs += 1
      expect((await edge.get(burstsPath)).status).to.equal(503)
    })

    it('waits for a price on every route that shows one', async () => {
      edge.state.cut = { ...fixedCut, coinPrice: null }
      const priceless = [verdictPath, '/v1/desk/trades']
      for (const path of priceless) expect((await edge.get(path)).status, path).to.equal(402)
      for (const path of pathOfEachRoute.filter((each) => !priceless.includes(each))) {
        const body = await bodyOf(edge.get(path))
        expect([body.code, body.error], path).to.deep.equal([
          'warming_up',
          'the service has not read an ETH price yet. It sells nothing of chain A without an ETH price. Try again in some seconds',
        ])
      }
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
        const response = await edge.get(path)
        const body = await bodyOf(response)
        expect([response.status, body.code], path).to.deep.equal([400, 'bad_param'])
        expect(body.error, path).to.match(new RegExp(`^${name} `))
      }
    })

    it('is given to a URL that a 402 would repeat at length', async () => {
      const ofLength = (length: number) => edge.get(`${burstsPath}?x=`.padEnd(length, 'x'))
      expect((await ofLength(4_096)).status).to.equal(402)
      const refused = await ofLength(4_097)
      expect([refused.status, (await bodyOf(refused)).code]).to.deep.equal([400, 'bad_param'])
    })

    it('for another method is 405 with what is allowed; for HEAD a 402 that runs nothing', async () => {
      const posted = await edge.get(burstsPath, { method: 'POST' })
      expect([posted.status, (await bodyOf(posted)).code]).to.deep.equal([405, 'method_not_allowed'])
      expect(posted.headers.get('allow')).to.contain('GET')
      const head = await edge.get(burstsPath, { method: 'HEAD' })
      expect(head.status).to.equal(402)
      expect(head.headers.get('payment-required')).to.be.a('string')
      expect(edge.state.asked).to.deep.equal([])
    })

    it('of our own making tells nothing of its cause and charges nothing', async () => {
      edge.state.failure = new TypeError('secret of the house')
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 4 }
      const transfers = edge.double.transfers.size
      const response = await edge.buy('/v1/rh/bursts/history?hours=7')
      expect(response.status).to.equal(500)
      const text = await response.text()
      expect(JSON.parse(text)).to.include({ code: 'internal' })
      expect(text).to.not.contain('secret')
      expect(edge.double.transfers.size).to.equal(transfers)
    })
  })

  describe('a request that names a host', () => {
    it('is asked to pay for what is here', async () => {
      const { hostname, port } = new URL((await edge.get('/')).url)
      const asked = request({ hostname, port, path: `http://other.example${burstsPath}?minutes=5` }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      response.resume()
      expect(response.statusCode).to.equal(402)
      const { resource } = decodePaymentRequiredHeader(String(response.headers['payment-required']))
      expect(resource.url).to.equal(`https://data.example${burstsPath}?minutes=5`)
    })
  })

  describe('identifiers', () => {
    it('are read without regard to case', async () => {
      const response = await edge.get(`/V1/RH/pools/${fixedPool.pool.toUpperCase().replace('0X', '0x')}/Flow`)
      expect(response.status).to.equal(402)
    })
  })

  describe('a browser', () => {
    it('passes the preflight that the official client causes, and sees the payment headers', async () => {
      const preflight = await edge.get(burstsPath, {
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
      for (const path of [burstsPath, '/v1/rh/nothing', '/']) {
        const response = await edge.get(path, { headers: { Origin: 'https://app.example' } })
        expect(response.headers.get('access-control-allow-origin'), path).to.equal('*')
        expect(response.headers.get('access-control-expose-headers'), path)
          .to.contain('PAYMENT-REQUIRED')
          .and.to.contain('PAYMENT-RESPONSE')
      }
    })
  })
})
