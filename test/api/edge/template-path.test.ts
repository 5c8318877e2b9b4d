import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { fixedBurst, fixedPool } from '../../support/fixed-queries.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

type Bazaar = Readonly<{ info: Readonly<{ input: Readonly<{ pathParams: Readonly<Record<string, string>> }> }> }>

const flow = `https://data.example/v1/rh/pools/${fixedPool.pool}/flow`

describe('a request whose path is the pattern of a route', () => {
  const edge = edgeOfTests()

  it('is refused before the service has looked for a subject', async () => {
    const answer = await edge.get('/v1/rh/pools/:id/flow')
    expect([answer.status, (await bodyOf(answer)).code]).to.deep.equal([400, 'bad_address'])
  })

  for (const [written, url] of [
    ['/v1/rh/pools/:id/flow', flow],
    ['/v1/rh/pools/{id}/flow', flow],
    ['/v1/rh/pools/%7Bid%7D/flow', flow],
    ['/v1/rh/pools/%3Aid/flow', flow],
    ['/rh/pools/:id/flow', flow],
    ['/v1/rh/token/:addr/verdict?x=1', `https://data.example/v1/rh/token/${fixedBurst.token}/verdict?x=1`],
  ])
    it(`gets the quote for a subject that the service tracks: ${written}`, async () => {
      await edge.get('/')
      edge.state.asked.length = 0
      for (const method of ['GET', 'HEAD']) {
        const answer = await edge.get(String(written), { method })
        expect(answer.status).to.equal(402)
        const { resource, extensions } = decodePaymentRequiredHeader(String(answer.headers.get('payment-required')))
        expect(resource.url).to.equal(url)
        const { info } = (extensions as Readonly<{ bazaar: Bazaar }>).bazaar
        expect(String(url)).to.contain(Object.values(info.input.pathParams)[0])
      }
      expect(edge.state.asked, 'the quote reads memory only').to.deep.equal([])
    })

  it('is refused with a payment, and not charged', async () => {
    await edge.get('/')
    const asked = await edge.get('/v1/rh/pools/{id}/flow')
    const payload = await sign(decodePaymentRequiredHeader(String(asked.headers.get('payment-required'))))
    const { header } = toHeader(payload)
    const refused = await edge.get('/v1/rh/pools/{id}/flow', { headers: { 'PAYMENT-SIGNATURE': header } })
    const { code, error } = await bodyOf(refused)
    expect([refused.status, code]).to.deep.equal([400, 'bad_address'])
    expect(error).to.equal(
      'id is a placeholder in this URL. Nothing was charged. Pay for the URL in `resource.url` of the 402, or for another id',
    )
    expect([edge.double.calls.verify, edge.double.calls.settle]).to.deep.equal([0, 0])
    const sold = await edge.get(new URL(flow).pathname, { headers: { 'PAYMENT-SIGNATURE': header } })
    expect(sold.status).to.equal(200)
  })

  it('is refused if only a part of the path is a placeholder', async () => {
    await edge.get('/')
    for (const path of ['/v1/rh/pools/{ids}/flow', '/v1/rh/pools/id/flow', '/v1/rh/pools/0x:id/flow'])
      expect((await edge.get(path)).status, path).to.equal(400)
  })
})
