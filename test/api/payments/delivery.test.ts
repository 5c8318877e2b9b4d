import { expect } from 'chai'
import type { PaymentOutcome } from '../../../api/payments/payment.ts'
import { OperationError } from '../../../infra/errors.ts'
import { requestFor } from '../../support/payments/paid-service.ts'
import { lost, purchaseWorld, said, settled, settleRefused, transaction, unprovenAs } from './purchase-world.ts'

describe('an answer that is dated when it is sent', () => {
  const world = purchaseWorld()
  const { open, pay } = world
  type Payment = ReturnType<typeof pay>

  const bytesAt = (cutAtMs: number) => Buffer.from(`{"from":${cutAtMs}}`)
  const dated = {
    dateWhenSent: () => world.clock.nowMs(),
    buildBody: () => expect.fail('only `rebuildBody` makes it'),
    rebuildBody: async (cutAtMs: number) => bytesAt(cutAtMs),
  }
  const buy = (payment: Payment, changes: object = {}) => world.gate.run(requestFor(payment, { ...dated, ...changes }))
  const told = (outcome: PaymentOutcome) => (outcome.kind === 'paid' ? outcome.bytes.toString() : said(outcome))
  const from = (atMs: number) => bytesAt(atMs).toString()
  /** Makes a payment of which the service gets to know only later, from the chain, that it was settled. */
  const settledLater = async () => {
    const payment = pay()
    world.facilitator.settle = lost
    expect(told(await buy(payment))).to.equal('outcome_unknown 2')
    world.clock.advance(60_000)
    world.chain.finding = { kind: 'paid', transaction }
    await world.gate.reconcile()
    return payment
  }

  it('begins after a slow settlement, and has the same bytes for each repeat, also after a restart', async () => {
    const payment = pay()
    world.facilitator.settle = async (...sent) => {
      world.clock.advance(70_000)
      return settled(...sent)
    }
    const first = await buy(payment)
    const sentAtMs = world.clock.nowMs()
    expect(first).to.deep.include({ kind: 'paid', bytes: bytesAt(sentAtMs), cutAtMs: sentAtMs })
    world.clock.advance(5_000)
    expect(await buy(payment)).to.deep.equal(first)
    await open()
    expect(await buy(payment)).to.deep.equal(first)
    expect(world.calls).to.deep.equal(['verify', 'settling', 'settle', 'settled', 'settled'])
  })

  it('has no date before the money is there', async () => {
    world.facilitator.settle = async (...sent) => {
      expect(world.ledger.unresolved()).to.have.length(1)
      expect(world.ledger.unresolved()[0]).to.include({ state: 'settling', cutAtMs: null })
      return settled(...sent)
    }
    expect((await buy(pay())).kind).to.equal('paid')
  })

  it('begins with the repeat that gets it, if its settlement was found on the chain', async () => {
    const payment = await settledLater()
    world.clock.advance(3_600_000)
    expect(told(await buy(payment))).to.equal(from(world.clock.nowMs()))
  })

  it('is kept for a day from its date on', async () => {
    const payment = await settledLater()
    world.clock.advance(86_000_000)
    const first = told(await buy(payment))
    world.clock.advance(3_600_000)
    await world.gate.reconcile()
    expect(told(await buy(payment))).to.equal(first)
  })

  it('is not sent while its date cannot be recorded, and is then sent once dated, without a second settlement', async () => {
    const payment = await settledLater()
    world.failures.set('settled', new OperationError('log_unavailable', 'full'))
    expect(told(await buy(payment))).to.equal('answer_delayed 2')
    world.clock.advance(2_000)
    world.failures.clear()
    const first = told(await buy(payment))
    expect(first).to.equal(from(world.clock.nowMs()))
    world.clock.advance(2_000)
    expect(told(await buy(payment))).to.equal(first)
    expect(world.ledger.stats().totals.n).to.equal(1)
  })

  it('given on trust says that its outcome is not known, if its date cannot be recorded', async () => {
    world.facilitator.settle = lost
    world.chain.finding = 'away'
    world.failures.set('unknown', new OperationError('log_unavailable', 'full'))
    expect(told(await buy(pay()))).to.equal('outcome_unknown 2')
  })

  it('given on trust keeps its date, whatever becomes of its payment', async () => {
    const payment = pay()
    world.facilitator.settle = lost
    world.chain.finding = 'away'
    const first = told(await buy(payment))
    expect(first).to.equal(from(world.clock.nowMs()))
    world.clock.advance(5_000)
    world.chain.finding = { kind: 'unpaid' }
    world.facilitator.settle = settleRefused
    expect(told(await buy(payment))).to.match(unprovenAs('insufficient_funds'))
    await open()
    world.facilitator.settle = settled
    expect(told(await buy(payment))).to.equal(first)
  })

  it('keeps its whole time for the next request, if all clients were gone before it could be sent', async () => {
    const payment = pay()
    let isGone = false
    world.facilitator.settle = async (...sent) => {
      isGone = true
      return settled(...sent)
    }
    expect((await buy(payment, { isClientGone: () => isGone })).kind).to.equal('clientGone')
    expect(world.ledger.stats().totals.n).to.equal(1)
    world.clock.advance(60_000)
    expect(told(await buy(payment))).to.equal(from(world.clock.nowMs()))
  })

  it('is not settled for clients that are gone', async () => {
    expect((await buy(pay(), { isClientGone: () => true })).kind).to.equal('clientGone')
    expect(world.calls).to.deep.equal(['verify'])
  })

  it('keeps the date that an earlier version gave it before the settlement', async () => {
    const payment = pay()
    world.facilitator.settle = lost
    await world.gate.run(requestFor(payment))
    await open()
    world.clock.advance(5_000)
    world.facilitator.settle = settled
    expect(told(await buy(payment))).to.equal(from(1_001))
  })

  it('counts once in the statistics, and is delivered once', async () => {
    const outcome = await buy(pay())
    world.gate.markDelivered(outcome.kind === 'paid' ? outcome.paymentId : '')
    await world.gate.reconcile()
    await open()
    expect(world.ledger.stats()).to.deep.include({ totals: { n: 1, usd: 0.01 }, payFailures: [] })
  })
})
