import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { fixedCut } from '../../support/fixed-queries.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { bodyOf, burstsPath, edgeOfTests, rugCheckPath } from '../edge.ts'

describe('an answer that was paid for', () => {
  // No answers are stored, so the service must make the answer again for a repeated payment.
  const edge = edgeOfTests({ answerBytesMax: 0 })

  it('is given again with the bytes of its own cut, though the data is stale by now', async () => {
    const { headers } = await edge.get(burstsPath)
    const payload = await sign(decodePaymentRequiredHeader(headers.get('payment-required') as string))
    const payment = { headers: { 'PAYMENT-SIGNATURE': toHeader(payload).header } }
    const sold = await (await edge.get(burstsPath, payment)).text()
    expect(JSON.parse(sold)).to.include({ generatedAt: fixedCut.atMs })

    const later = { ...fixedCut, atMs: fixedCut.atMs + 600_000 }
    edge.state.cut = later
    edge.nowMs = later.atMs
    expect(await bodyOf(edge.get(burstsPath))).to.have.property('code', 'data_stale')
    const again = await edge.get(burstsPath, payment)
    expect([again.status, await again.text()]).to.deep.equal([200, sold])
    expect(again.headers.get('age')).to.equal('600')
  })

  it('is given again while the tables cannot be asked, and nobody says that nothing was charged', async () => {
    const { headers } = await edge.get(rugCheckPath)
    const payload = await sign(decodePaymentRequiredHeader(headers.get('payment-required') as string))
    const payment = { headers: { 'PAYMENT-SIGNATURE': toHeader(payload).header } }
    const sold = await (await edge.get(rugCheckPath, payment)).text()
    edge.state.cut = { ...fixedCut, atMs: fixedCut.atMs + 20_000 }
    edge.nowMs += 20_000
    edge.state.failure = new RangeError('a read fails')
    expect((await edge.buy(rugCheckPath)).status).to.equal(500)
    const again = await edge.get(rugCheckPath, payment)
    expect([again.status, await again.text()]).to.deep.equal([200, sold])
    expect(again.headers.get('age')).to.equal('20')
  })
})
