/** Tests requests for an earlier time (`asOf`), over HTTP and MCP: their refusals and their prices. */
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { fixedCut, fixedPool } from '../../support/fixed-queries.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { bodyOf, burstsPath, edgeOfTests, pathOfEachRoute, rugCheckPath } from '../edge.ts'
import { mcpOfTests, textOf } from '../mcp/edge.ts'

const hourMs = 3_600_000
const agoMs = fixedCut.atMs - hourMs
const unknownPath = `/v1/rh/token/0x${'00'.repeat(20)}/rugcheck`

describe('a question as of an instant', () => {
  const edge = edgeOfTests()
  const refusalOf = async (path: string) => {
    const response = await edge.get(path)
    const { code, error } = await bodyOf(response)
    return { status: response.status, code, error }
  }

  for (const text of ['', 'x', '1.5', '-1', '1e12', '0x10', '2026-09-21', '9999999999999999'])
    it(`asOf=${text} is refused before it is paid for`, async () => {
      expect(await refusalOf(`${burstsPath}?asOf=${text}`)).to.deep.equal({
        ...{ status: 400, code: 'bad_param' },
        error: 'asOf must be epoch milliseconds, a whole number',
      })
    })

  it('that is given twice is refused', async () => {
    expect(await refusalOf(`${burstsPath}?asOf=${agoMs}&asOf=${agoMs}`)).to.include({ status: 400, code: 'bad_param' })
  })

  it('is refused outside of what can be asked, with its bounds, before anything is asked of the tables', async () => {
    const [first, last] = [fixedCut.atMs - 24 * hourMs, fixedCut.atMs]
    for (const path of pathOfEachRoute) {
      expect(await refusalOf(`${path}?asOf=${last + 1}`), path).to.include({ status: 400, code: 'bad_param' })
      expect((await edge.get(`${path}?asOf=${last}`)).status, path).to.equal(402)
    }
    for (const asOfMs of [first - 1, last + 1])
      expect((await refusalOf(`${burstsPath}?asOf=${asOfMs}`)).error).to.match(
        new RegExp(`^asOf must be from ${first} to ${last}, in epoch milliseconds`),
      )
    edge.state.oldestAtMs = agoMs
    // The server looks up `oldestAtMs` only one time per minute.
    edge.nowMs += 60_000
    expect((await refusalOf(`${burstsPath}?asOf=${agoMs - 1}`)).error).to.contain(`from ${agoMs} to ${last}`)
    expect(edge.state.asked).to.deep.equal([])
  })

  it('is sold however old the newest data is', async () => {
    edge.nowMs = fixedCut.atMs + 10 * hourMs
    expect(await refusalOf(burstsPath)).to.include({ status: 503, code: 'data_stale' })
    const sold = await edge.buy(`${burstsPath}?asOf=${agoMs}`)
    expect([sold.status, ((await sold.json()) as { generatedAt: number }).generatedAt]).to.deep.equal([200, agoMs])
    expect(sold.headers.get('age')).to.equal(String(11 * 3600))
  })

  it('waits for the first data as every question does', async () => {
    edge.state.cut = null
    expect(await refusalOf(`${burstsPath}?asOf=${agoMs}`)).to.include({ status: 503, code: 'warming_up' })
  })

  it('about what was not tracked then is refused after the signature, and not charged', async () => {
    const settled = edge.double.calls.settle
    const path = `${unknownPath}?asOf=${agoMs}`
    expect((await edge.get(path)).status).to.equal(402)
    expect(edge.state.asked, 'before the signature').to.deep.equal([])
    const refused = await edge.buy(path)
    expect([refused.status, (await bodyOf(refused)).code]).to.deep.equal([404, 'not_tracked'])
    expect(edge.state.asked).to.deep.equal(['rugCheck'])
    expect(edge.double.calls.settle).to.equal(settled)
  })

  it('may be about what has left the memory of what is tracked: the tables are asked', async () => {
    const path = `/v1/rh/pools/${fixedPool.pool}/flow`
    const pools = edge.state.pools
    edge.state.pools = []
    expect((await edge.get(path)).status, 'now').to.equal(404)
    const asked = await edge.get(`${path}?asOf=${fixedCut.atMs}`)
    expect(asked.status).to.equal(402)
    edge.state.pools = pools
    const payment = await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') as string))
    const sold = await edge.get(`${path}?asOf=${fixedCut.atMs}`, {
      headers: { 'PAYMENT-SIGNATURE': toHeader(payment).header },
    })
    expect(sold.status).to.equal(200)
  })

  it('about an instant at which the route still waited for a price is refused after the signature, and not charged', async () => {
    const settled = edge.double.calls.settle
    edge.state.cut = { ...fixedCut, coinPrice: null }
    expect(await refusalOf(burstsPath)).to.include({ status: 503, code: 'warming_up' })
    const refused = await edge.buy(`${burstsPath}?asOf=${agoMs - 1}`)
    expect([refused.status, (await bodyOf(refused)).error]).to.deep.equal([
      400,
      'this route had no answer yet at the instant of asOf, because no coin price of chain-a was known. Send a later asOf',
    ])
    expect(edge.double.calls.settle).to.equal(settled)
  })

  it('is another thing to buy than the same question of another instant, or of now', async () => {
    const asked = await edge.get(`${rugCheckPath}?asOf=${agoMs}`)
    const payment = await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') as string))
    const headers = { 'PAYMENT-SIGNATURE': toHeader(payment).header }
    const sold = await (await edge.get(`${rugCheckPath}?asOf=${agoMs}`, { headers })).text()
    for (const path of [rugCheckPath, `${rugCheckPath}?asOf=${agoMs + 1}`]) {
      const refused = await edge.get(path, { headers })
      expect([refused.status, (await bodyOf(refused)).code], path).to.deep.equal([402, 'payment_already_used'])
    }
    // The payment's repeat must get the sold answer, even if `asOf` is no longer in the allowed range.
    edge.state.oldestAtMs = fixedCut.atMs
    expect(await (await edge.get(`${rugCheckPath}?asOf=${agoMs}`, { headers })).text()).to.equal(sold)
  })

  it('has the answer of now where it names its instant, from what is kept', async () => {
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 77 }
    const now = await (await edge.buy(burstsPath)).text()
    const asked = edge.state.asked.length
    expect(await (await edge.buy(`${burstsPath}?asOf=${fixedCut.atMs + 77}`)).text()).to.equal(now)
    expect(edge.state.asked).to.have.length(asked)
  })
})

describe('a tool that is asked as of an instant', () => {
  const { edge, call, buy } = mcpOfTests()

  it('answers as the route does, and says of the argument what it takes', async () => {
    const result = await buy('rh_bursts_live', { asOf: agoMs })
    expect(textOf(result)).to.equal(await (await edge.buy(`${burstsPath}?asOf=${agoMs}`)).text())
    for (const asOf of [`${agoMs}`, 1.5, fixedCut.atMs + 1, null]) {
      const { code } = (await call('rh_bursts_live', { asOf })).structuredContent as { code: string }
      expect(code, `${asOf}`).to.equal('bad_param')
    }
  })

  it('is every one but that of the pass', async () => {
    const { code, error } = (await call('stream_pass', { asOf: agoMs })).structuredContent as Record<string, string>
    expect([code, error]).to.deep.equal(['bad_param', 'this tool has no argument "asOf". Its arguments are minutes'])
    for (const route of edge.routes)
      expect('asOf' in route.params, route.pattern).to.equal(route.isPersonal === undefined)
  })
})
