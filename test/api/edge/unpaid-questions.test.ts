import { expect } from 'chai'
import { fixedCut, fixedPool } from '../../support/fixed-queries.ts'
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
  })

  it('about what is tracked nowhere is answered as often as it is asked', async () => {
    for (let turn = 0; turn < 200; turn++)
      expect((await edge.get(unknownPaths[1] as string, from('203.0.113.4'))).status).to.equal(404)
  })

  it('about what may be is a request to pay, as often as it is asked, and asks the tables nothing', async () => {
    edge.state.asked.length = 0
    for (let turn = 0; turn < 200; turn++)
      expect((await edge.get(rugCheckPath, from('203.0.113.5'))).status).to.equal(402)
    expect(edge.state.asked).to.deep.equal([])
    const bought = await edge.buy(rugCheckPath)
    expect([bought.status, edge.state.asked]).to.deep.equal([200, ['rugCheck']])
  })
})

describe('what is tracked, and not there at this cut', () => {
  const edge = edgeOfTests()
  const path = `/v1/rh/pools/0x${'00'.repeat(32)}/flow`
  /** A pool that was created 1 ms after the newest block of the service's data. */
  const later = { ...fixedPool, pool: `0x${'00'.repeat(32)}`, createdAtMs: fixedCut.blockAtMs + 1 }

  it('is refused after the signature in the words of before it, and not charged', async () => {
    const before = await bodyOf(edge.get(path))
    edge.state.pools = [later]
    const refused = await edge.buy(path)
    expect([refused.status, await bodyOf(refused)]).to.deep.equal([404, before])
    expect(edge.state.asked).to.deep.equal(['poolFlow'])
    expect([edge.double.calls.verify, edge.double.calls.settle]).to.deep.equal([1, 0])
  })

  it('is asked about sixty times a minute for one payer, and nobody gets a 429', async () => {
    edge.state.pools = [later]
    const asked = edge.state.asked.length
    for (let turn = 1; turn <= 62; turn++) {
      // Each request uses a newer data time (cut), because the service caches answers by cut.
      edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + turn }
      const refused = await edge.buy(path)
      const expected = turn <= 59 ? [404, 'not_tracked'] : [503, 'payments_not_live']
      expect([refused.status, (await bodyOf(refused)).code], `${turn}`).to.deep.equal(expected)
    }
    expect(edge.state.asked.length - asked).to.equal(59)
    expect(edge.double.calls.settle).to.equal(0)
  })
})
