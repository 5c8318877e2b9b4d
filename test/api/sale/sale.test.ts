import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { PaidRequest, PaymentOutcome } from '../../../api/payments/payment.ts'
import { createQuestions, type Questions } from '../../../api/sale/questions.ts'
import { isRefusal, RefusedSale } from '../../../api/sale/refusals.ts'
import { prepareSale, type SaleDependencies } from '../../../api/sale/sale.ts'
import { createPassRoute } from '../../../api/stream/pass-route.ts'
import { createPasses } from '../../../api/stream/passes.ts'
import { requestFor } from '../../support/payments/paid-service.ts'
import { lost, purchaseWorld, said, settled, settleRefused, unprovenAs } from '../payments/purchase-world.ts'

/** A list of which each cut has another answer. Its data are always fresh. */
const route = {
  ...{ pattern: '/v1/rh/bursts/live', params: {}, priceUsdMicros: 10_000, description: 'bursts' },
  ...{ needs: [], dependsOn: [], history: { windowMs: null, lookBackMs: 0 } },
}

describe('a sale', () => {
  const world = purchaseWorld()
  let questions: Questions
  let hasData: boolean
  beforeEach(() => {
    hasData = true
    questions = createQuestions()
  })

  const cutAt = (atMs: number) => ({ atMs, stages: new Map() })
  const dependencies = () =>
    ({
      ...{ gate: world.gate, nowMs: world.clock.nowMs, questions },
      cuts: { at: async (atMs: number) => cutAt(atMs) },
      answers: {
        newestCut: async () => (hasData ? cutAt(world.clock.nowMs()) : null),
        find: () => null,
        answer: async (_route: unknown, _values: unknown, { atMs }: { atMs: number }) => ({
          bytes: Buffer.from(`{"cut":${atMs}}`),
        }),
      },
    }) as unknown as SaleDependencies

  /** Sends a request as a server does: the refusals first, then the payment. */
  const send = async (payment: PaidRequest['payment'], isClientGone = () => false): Promise<PaymentOutcome> => {
    const call = { route, raw: { query: {}, path: {} }, payment, address: 'a', resourcePath: '/' }
    const sale = await prepareSale(call as never, dependencies())
    if (isRefusal(sale)) throw new TypeError(sale.error)
    return world.gate.run({ ...requestFor(payment, { isClientGone }), ...sale })
  }
  const told = (outcome: PaymentOutcome): string => {
    if (outcome.kind === 'paid') return outcome.bytes.toString()
    if (outcome.kind !== 'handlerFailed') return said(outcome)
    return outcome.error instanceof RefusedSale ? outcome.error.refusal.code : String(outcome.error)
  }

  describe('whose answer waits for its turn', () => {
    let release: () => void
    beforeEach(() => {
      const held = new Promise<object>((resolve) => {
        release = () => resolve({})
      })
      for (let other = 0; other < 4; other++)
        void questions.ask({ address: `other ${other}`, isGone: () => false }, {}, () => held)
    })

    it('is made for a repeat of its payment after the first connection broke', async () => {
      const payment = world.pay()
      let isFirstGone = false
      const first = send(payment, () => isFirstGone)
      const repeat = send(payment)
      await setImmediate()
      isFirstGone = true
      release()
      expect(told(await repeat)).to.equal(`{"cut":${world.clock.nowMs()}}`)
      await first
    })

    it('loses its turn when every connection broke, and is not charged', async () => {
      const payment = world.pay()
      let isGone = false
      const both = [send(payment, () => isGone), send(payment, () => isGone)]
      await setImmediate()
      isGone = true
      release()
      expect((await Promise.all(both)).map(told)).to.deep.equal(['clientGone', 'clientGone'])
      expect(world.calls).to.deep.equal(['verify'])
    })
  })

  describe('whose payment the facilitator refused to settle', () => {
    const refused = async () => {
      const payment = world.pay({ validBefore: String(Math.floor(world.clock.nowMs() / 1000) + 700) })
      world.facilitator.settle = settleRefused
      expect(told(await send(payment))).to.match(unprovenAs('insufficient_funds'))
      world.facilitator.settle = settled
      world.clock.advance(600_000)
      return payment
    }

    it('is of the time of the repeat that pays', async () => {
      expect(told(await send(await refused()))).to.equal(`{"cut":${world.clock.nowMs()}}`)
    })

    it('is not sold without data, and nobody says that nothing was charged', async () => {
      const payment = await refused()
      hasData = false
      expect(told(await send(payment))).to.equal('outcome_unknown 2')
      hasData = true
      expect(told(await send(payment))).to.equal(`{"cut":${world.clock.nowMs()}}`)
    })
  })

  describe('for a second payment under a name, whose first payment expires while the second one is checked', () => {
    const extensions = { 'payment-identifier': { info: { id: 'launch-data-0123456789abcdef' } } }
    const second = async (hasDataThen: boolean) => {
      world.facilitator.settle = lost
      expect(told(await send(world.payWith({ extensions })))).to.equal('outcome_unknown 2')
      world.clock.advance(200_000)
      world.facilitator.settle = settled
      world.chain.finding = { kind: 'expired' }
      world.whileChecking = () => world.gate.reconcile()
      hasData = hasDataThen
      return send(world.payWith({ extensions }))
    }

    it('is made like that of a new payment', async () => {
      expect(told(await second(true))).to.equal(`{"cut":${world.clock.nowMs()}}`)
    })

    it('is refused like that of a new payment', async () => {
      expect(told(await second(false))).to.equal('warming_up')
    })
  })

  it('of a pass begins when it is sent: a pass of a minute is valid for a minute after a slow settlement', async () => {
    const passes = createPasses('a secret of the test')
    const options = { passes, types: [], streamUrl: 'https://data.example/stream', refusal: () => null }
    const call = { raw: { query: { minutes: '1' }, path: {} }, address: 'a', resourcePath: '/' }
    const payment = world.pay({ value: '500000' }, { amount: '500000' })
    world.facilitator.settle = async (...sent) => {
      world.clock.advance(90_000)
      return settled(...sent)
    }
    const sale = await prepareSale({ ...call, route: createPassRoute(options) as never, payment }, dependencies())
    if (isRefusal(sale)) throw new TypeError(sale.error)
    const outcome = await world.gate.run({ ...requestFor(payment), ...sale })
    const { token, issuedAt } = JSON.parse(told(outcome)) as { token: string; issuedAt: number }
    const sentAtMs = world.clock.nowMs()
    expect([issuedAt, passes.read(token, sentAtMs)?.expiresAtMs]).to.deep.equal([sentAtMs, sentAtMs + 60_000])
  })
})
