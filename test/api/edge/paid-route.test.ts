import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { fixedCut } from '../../support/fixed-views.ts'
import { sign, toHeader } from '../../support/paid-service.ts'
import { bodyOf, burstsPath, edgeOfTests } from '../edge.ts'

describe('an answer that was paid for', () => {
  // No bytes are kept: a repeat is made again.
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
  })
})
