import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { fixedCut, fixedPool } from '../../support/fixed-views.ts'
import { sign, toHeader } from '../../support/paid-service.ts'
import { bodyOf, edgeOfTests, rugCheckPath } from '../edge.ts'

describe('a question that is not paid', () => {
  const edge = edgeOfTests()
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const unknownPaths = [
    `/v1/rh/pools/0x${'00'.repeat(32)}/flow`,
    `/v1/rh/token/0x${'00'.repeat(20)}/rugcheck`,
    `/v1/rh/token/${fixedPool.pool.slice(0, 42)}/rugcheck`,
  ]

  it('about what is tracked nowhere asks the tables nothing, and the text is the one that they would lead to', async () => {
    for (const path of unknownPaths) {
      const response = await edge.get(path)
      const { code, error } = await bodyOf(response)
      expect([response.status, code], path).to.deep.equal([404, 'not_tracked'])
      expect(error).to.contain(path.split('/')[4])
    }
    expect(edge.state.asked).to.deep.equal([])
    // Held to be tracked, and found not to be: a pool that opened later than the cut knows.
    edge.state.pools = [{ ...fixedPool, pool: `0x${'00'.repeat(32)}`, createdAtMs: fixedCut.blockAtMs + 1 }]
    const left = await bodyOf(edge.get(unknownPaths[0] as string))
    edge.state.pools = []
    expect(await bodyOf(edge.get(unknownPaths[0] as string))).to.deep.equal(left)
    expect(edge.state.asked).to.deep.equal(['poolFlow'])
  })

  it('about what is tracked nowhere is answered as often as it is asked', async () => {
    for (let turn = 0; turn < 200; turn++)
      expect((await edge.get(unknownPaths[1] as string, from('203.0.113.4'))).status).to.equal(404)
  })

  it('about what may be is answered 120 times a minute to an address, at an IPv6 /64 too; what is ready costs nothing', async () => {
    const askAt = async (count: number, address: string) => {
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + count }
      return edge.get(rugCheckPath, from(address))
    }
    for (let turn = 1; turn <= 120; turn++) {
      expect((await askAt(turn, `2001:db8:0:7::${turn}`)).status, `${turn}`).to.equal(402)
      expect((await askAt(turn, `2001:db8:0:7::${turn}`)).status, 'again').to.equal(402)
    }
    const refused = await askAt(121, '2001:db8:0:7::ff')
    expect([refused.status, (await bodyOf(refused)).code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await askAt(121, '2001:db8:0:8::1')).status).to.equal(402)
    expect((await askAt(121, '2001:db8:0:7::ff')).status, 'once it is ready').to.equal(402)
  })

  it('counts from the last purchase of its address, and a repeat of a payment is none', async () => {
    const address = '203.0.113.9'
    let cutCount = 1_000
    const askAnew = async (headers: Readonly<Record<string, string>> = {}) => {
      cutCount += 1
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + cutCount }
      return edge.get(rugCheckPath, { headers: { 'x-forwarded-for': address, ...headers } })
    }
    const askOften = async (times: number) => {
      const statuses: number[] = []
      for (let turn = 0; turn < times; turn++) statuses.push((await askAnew()).status)
      return statuses.filter((status) => status === 402).length
    }
    const quote = await askAnew()
    const payload = await sign(decodePaymentRequiredHeader(quote.headers.get('payment-required') as string))
    const payment = { 'payment-signature': toHeader(payload).header }
    expect(await askOften(118)).to.equal(118)
    expect((await askAnew(payment)).status).to.equal(200)
    expect(await askOften(125)).to.equal(120)
    expect((await askAnew(payment)).status).to.equal(200)
    expect(await askOften(3)).to.equal(0)
  })
})
