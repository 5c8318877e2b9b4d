import { expect } from 'chai'
import { createFailureCounts, mergeFailures } from '../../../../api/payments/ledger/failure-counts.ts'
import { requestFor } from '../../../support/payments/paid-service.ts'
import { lost, purchaseWorld, refuseAs, settled, settleRefused, valid } from '../purchase-world.ts'

const dayMs = 86_400_000

describe('failed payments', () => {
  const world = purchaseWorld()
  const counted = () => world.gate.stats().payFailures.map(({ code, n }) => `${code} ${n}`)
  const buy = (payment = world.pay()) => world.run(payment)

  it('are counted by what refused them before they were handed over, and nothing is written down for it', async () => {
    await world.run(null)
    await buy({ header: 'nonsense' })
    await buy(world.pay({ value: '1' }))
    world.facilitator.verify = refuseAs('insufficient_funds')
    await buy()
    await buy()
    world.facilitator.verify = lost
    await buy()
    expect(counted()).to.deep.equal([
      ...[
        'facilitator_failed 1',
        'insufficient_funds 2',
        'invalid_exact_evm_authorization_value 1',
        'malformed_payment 1',
      ],
    ])
    expect(world.calls.filter((call) => call !== 'verify')).to.deep.equal([])
    const [{ day, route } = { day: '', route: '' }] = world.gate.stats().payFailures
    expect([day, route]).to.deep.equal([
      new Date(world.clock.nowMs()).toISOString().slice(0, 10),
      'GET /v1/rh/bursts/live',
    ])
  })

  it('are counted by what became of their settlement, each time that it was tried', async () => {
    world.facilitator.settle = settleRefused
    const refused = world.pay()
    await buy(refused)
    await buy(refused)
    world.facilitator.settle = lost
    await buy()
    expect(counted()).to.deep.equal(['insufficient_funds 2', 'outcome_unknown 1'])
    world.facilitator.settle = settled
    const paid = world.pay()
    await buy(paid)
    await buy(paid)
    expect(counted()).to.deep.equal(['insufficient_funds 2', 'outcome_unknown 1'])
  })

  it('count a payment used twice, and one that came back after it was settled not', async () => {
    const payment = world.pay()
    await buy(payment)
    await world.run(payment, { requestId: 'another' })
    expect(counted()).to.deep.equal(['payment_already_used 1'])
  })

  it('count an answer that was paid for and never delivered within its day, also after a restart', async () => {
    const [kept, delivered] = [
      await world.gate.run(requestFor(world.pay())),
      await world.gate.run(requestFor(world.pay())),
    ]
    if (kept.kind !== 'paid' || delivered.kind !== 'paid') throw new TypeError('not paid')
    world.gate.markDelivered(delivered.paymentId)
    await world.gate.reconcile()
    world.clock.advance(dayMs)
    await world.gate.reconcile()
    expect(counted()).to.deep.equal([])
    world.clock.advance(1)
    await world.gate.reconcile()
    expect(counted()).to.deep.equal(['undelivered 1'])
    await world.open()
    await world.gate.reconcile()
    expect(counted()).to.deep.equal(['undelivered 1'])
    expect(world.gate.stats().totals.n).to.equal(2)
  })

  it('of a storm of forgeries are a number', async () => {
    world.facilitator.verify = refuseAs('invalid_exact_evm_signature')
    world.signer = 'other'
    for (let turn = 0; turn < 2_000; turn++) await buy()
    const failures = world.gate.stats().payFailures
    expect(failures.reduce((sum, { n }) => sum + n, 0)).to.equal(2_000)
    expect(failures.length).to.be.below(5)
    expect(world.calls.filter((call) => call !== 'verify')).to.deep.equal([])
    world.facilitator.verify = valid
  })
})

describe('counts of failures', () => {
  it('have at most forty codes of a route a day, and one for the others', () => {
    const counts = createFailureCounts()
    for (let turn = 0; turn < 1_000; turn++) counts.add({ atMs: 0, route: 'a', code: `code${turn % 100}` })
    counts.add({ atMs: 0, route: 'b', code: 'code99' })
    const found = counts.read()
    expect(found).to.have.length(42)
    expect(found.find(({ code }) => code === 'other')).to.deep.equal({
      day: '1970-01-01',
      route: 'a',
      code: 'other',
      n: 600,
    })
  })

  it('leave with the oldest day where they are too many', () => {
    const counts = createFailureCounts()
    for (let day = 0; day < 300; day++)
      for (let code = 0; code < 20; code++) counts.add({ atMs: day * dayMs, route: 'a', code: `code${code}` })
    const found = counts.read()
    expect([found.length, found[0]?.day, found.at(-1)?.day]).to.deep.equal([5_000, '1970-02-20', '1970-10-27'])
  })

  it('of several sources are added, in the order of day, route and code', () => {
    const failure = (day: string, code: string, n: number) => ({ day, route: 'a', code, n })
    expect(
      mergeFailures([failure('2', 'x', 1), failure('1', 'y', 2)], [failure('1', 'x', 3), failure('2', 'x', 4)]),
    ).to.deep.equal([...[failure('1', 'x', 3), failure('1', 'y', 2), failure('2', 'x', 5)]])
  })
})
