import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { isRefusal } from '../../../api/sale/refusals.ts'
import { createPasses } from '../../../api/stream/passes.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { streamOf } from '../../support/stream.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

const passPath = '/v1/stream/pass'

describe('a pass that is sold', () => {
  // No answers are stored, so each repeated payment makes the pass again. This is the same as after a
  // restart.
  const edge = edgeOfTests({ answerBytesMax: 0 })

  const signed = async (path: string) => {
    const asked = await edge.get(path)
    const payload = await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') as string))
    return { headers: { 'PAYMENT-SIGNATURE': toHeader(payload).header } }
  }

  it('is the same bytes for a repeat of its payment, however late and though the stream has ended', async () => {
    const payment = await signed(`${passPath}?minutes=5`)
    const first = await (await edge.get(`${passPath}?minutes=5`, payment)).text()
    edge.nowMs += 240_000
    expect(await (await edge.get(`${passPath}?minutes=5`, payment)).text()).to.equal(first)
    expect((await bodyOf(edge.get(`${passPath}?minutes=6`, payment))).code).to.equal('payment_already_used')
    edge.stream.route.end('shutdown')
    expect(await (await edge.get(`${passPath}?minutes=5`, payment)).text()).to.equal(first)
  })

  it('says in its description what is pushed', () => {
    const { passRoute } = streamOf([])
    expect(passRoute.description)
      .to.match(/bursts/)
      .and.match(/graduations/)
      .and.match(/calls/)
  })

  it('is another one for each payment', () => {
    const { passRoute } = streamOf([])
    const issue = (paymentId: string) =>
      passRoute.issue({ minutes: 60 } as never, { soldAtMs: 1_000, paymentId }) as Readonly<{ token: string }>
    expect(issue('a').token).not.to.equal(issue('b').token)
    const { read } = createPasses('a secret of the test')
    expect(read(issue('a').token, 3_600_999)).to.deep.include({ expiresAtMs: 3_601_000 })
    expect(read(issue('a').token, 3_601_000)).to.equal(null)
  })
})

describe('a stream that is switched off', () => {
  it('sells no pass and takes no token', async () => {
    const { route, passRoute } = streamOf([], { isEnabled: false })
    expect([passRoute.refusal()?.status, passRoute.refusal()?.code]).to.deep.equal([503, 'stream_disabled'])
    const opened: string[] = []
    const refusal = await route.subscribe({ token: 'x', address: 'y' }, () => {
      opened.push('outlet')
      throw new TypeError('nobody may open one')
    })
    expect(refusal && isRefusal(refusal) && refusal.code).to.equal('stream_disabled')
    expect(opened).to.deep.equal([])
    expect(paidRoutes.filter(({ isPersonal }) => isPersonal)).to.have.length(1)
  })
})
