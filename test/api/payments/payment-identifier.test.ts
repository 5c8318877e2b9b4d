import { decodePaymentResponseHeader } from '@x402/core/http'
import { SettleError } from '@x402/core/types'
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier'
import { expect } from 'chai'
import { requestFor } from '../../support/payments/paid-service.ts'
import { lost, network, payer, purchaseWorld, refuseAs, said, transaction, valid } from './purchase-world.ts'

describe('a payment-identifier', () => {
  const world = purchaseWorld()
  const name = 'purchase-of-today-1'
  const named = (id: unknown, changes: Readonly<Record<string, string>> = {}) =>
    world.payWith({ extensions: { 'payment-identifier': { info: { required: false, id } } } }, changes)
  const other = { requestId: 'GET /v1/rh/bursts/live?[["minutes",5]]' }

  /** Returns the bytes of the answer as text, or the text of the refusal. */
  const buy = async (...request: Parameters<typeof requestFor>) => {
    const outcome = await world.gate.run(requestFor(...request))
    return outcome.kind === 'paid' ? outcome.bytes.toString() : said(outcome)
  }
  const buyNumbered = (run: number, payment: Parameters<typeof requestFor>[0]) =>
    buy(payment, { buildBody: async () => ({ bytes: Buffer.from(`{"run":${run}}`), cutAtMs: 1_000 + run }) })
  const settlements = () => world.calls.filter((call) => call === 'settle').length

  it('is offered, and nobody needs one', async () => {
    const offer = await world.gate.requirePayment(requestFor(null))
    if (offer.kind !== 'paymentRequired') throw new TypeError(offer.kind)
    const extensions = { ...offer.body.extensions }
    expect(extensions['payment-identifier']).to.have.deep.property('info', { required: false })
    // The helper of the official client library writes the identifier.
    appendPaymentIdentifierToExtensions(extensions, name)
    expect(await buy(world.payWith({ extensions }))).to.equal('{"run":1}')
    expect(world.ledger.findNamed(`0x${'c5'.repeat(20)}`, name)?.state).to.equal('settled')
  })

  it('with another payment for the same request gets the same answer and receipt, and moves nothing more', async () => {
    const first = await world.gate.run(requestFor(named(name)))
    const again = requestFor(named(name))
    expect(await world.gate.run(again)).to.deep.equal(first)
    expect([again.runs.count, world.calls]).to.deep.equal([0, ['verify', 'settling', 'settle', 'settled']])
  })

  it('gets its answer again after a restart, delivered or not', async () => {
    expect(await buyNumbered(1, named(name))).to.equal('{"run":1}')
    await world.open()
    const rebuildBody = async (cutAtMs: number) => Buffer.from(`{"run":${cutAtMs - 1_000}}`)
    const outcome = await world.gate.run(requestFor(named(name), { rebuildBody }))
    if (outcome.kind !== 'paid') throw new TypeError(outcome.kind)
    expect(outcome.bytes.toString()).to.equal('{"run":1}')
    world.gate.markDelivered(outcome.paymentId)
    await world.open()
    expect(await buy(named(name), { rebuildBody })).to.equal('{"run":1}')
    expect(settlements()).to.equal(1)
  })

  it('is not taken for another request, and says why', async () => {
    await buy(named(name))
    const outcome = await world.gate.run(requestFor(named(name), other))
    if (outcome.kind !== 'paymentRequired') throw new TypeError(outcome.kind)
    expect([outcome.code, outcome.body.error]).to.deep.equal([
      'payment_already_used',
      'The same payer used this payment-identifier for another request. This request was not charged. Choose a new payment-identifier for each purchase',
    ])
    expect(settlements()).to.equal(1)
  })

  it('of another payer is another one', async () => {
    await buy(named(name))
    expect(await buyNumbered(2, named(name, { from: `0x${'d6'.repeat(20)}` }))).to.equal('{"run":2}')
    expect(await buyNumbered(3, named(`${name}-b`))).to.equal('{"run":3}')
    expect(await buyNumbered(4, world.pay()), 'and without one').to.equal('{"run":4}')
    expect(settlements()).to.equal(4)
  })

  it('in any letters of the payer is the same', async () => {
    await buy(named(name, { from: `0x${'c5'.repeat(20)}` }))
    expect(await buyNumbered(2, named(name))).to.equal('{"run":1}')
  })

  it('of three payments at once buys one answer', async () => {
    const answers = await Promise.all([1, 2, 3].map((run) => buyNumbered(run, named(name))))
    expect(answers).to.deep.equal(Array(3).fill('{"run":1}'))
    expect(settlements()).to.equal(1)
  })

  it('is free again when its payment was refused, for those who waited too', async () => {
    let verified = 0
    world.facilitator.verify = async (...payment) =>
      verified++ === 0 ? refuseAs('insufficient_funds')(...payment) : valid(...payment)
    const answers = await Promise.all([buyNumbered(1, named(name)), buyNumbered(2, named(name))])
    expect(answers).to.deep.equal([
      'The payment was refused: insufficient_funds. Nothing was charged. Fix this cause, then sign a new payment',
      '{"run":2}',
    ])
    expect(settlements()).to.equal(1)
  })

  it('is not charged again while it is not known whether its payment arrived, and gets the answer once it has', async () => {
    world.facilitator.settle = lost
    expect(await buy(named(name))).to.equal('outcome_unknown 2')
    const before = settlements()
    expect(await buyNumbered(2, named(name))).to.equal('outcome_unknown 2')
    expect(settlements()).to.equal(before)
    world.chain.finding = { kind: 'paid', transaction }
    expect(await buyNumbered(2, named(name))).to.equal('{"run":1}')
    expect([settlements(), world.ledger.unresolved()]).to.deep.equal([before, []])
  })

  it('is free again when its payment never can arrive', async () => {
    world.facilitator.settle = lost
    await buy(named(name))
    world.chain.finding = { kind: 'expired' }
    await world.gate.reconcile()
    world.facilitator.settle = async () => ({ success: true, transaction, network: 'eip155:8453' })
    expect(await buyNumbered(2, named(name))).to.equal('{"run":2}')
  })

  it('gives nothing to somebody else who names it', async () => {
    await buy(named(name))
    world.signer = 'other'
    expect(await buy(named(name))).to.equal(
      'The payment was refused: invalid_exact_evm_signature. Nothing was charged. Fix this cause, then sign a new payment',
    )
    expect(await buy(named(name), other), 'nor whether it is known').to.equal(
      'The payment was refused: invalid_exact_evm_signature. Nothing was charged. Fix this cause, then sign a new payment',
    )
    world.signer = 'unknown'
    expect(await buy(named(name))).to.equal('facilitator_failed 5')
    world.signer = 'payer'
    expect(await buy(named(name, { validBefore: String(Math.floor(world.clock.nowMs() / 1000) - 1) }))).to.equal(
      'The payment was refused: valid_before_expired. Nothing was charged. Fix this cause, then sign a new payment',
    )
    expect(await buy(named(name, { value: '9999' }))).to.match(/refused: invalid_exact_evm_authorization_value\./)
    expect(settlements()).to.equal(1)
  })

  it('is asked about 120 times a second: thirty at once, and what comes beyond waits', async () => {
    await buy(named(name))
    const startedAtMs = world.clock.nowMs()
    const waitedMs: number[] = []
    for (let turn = 0; turn < 90; turn++) {
      expect(await buy(named(name))).to.equal('{"run":1}')
      waitedMs.push(world.clock.nowMs() - startedAtMs)
    }
    expect(waitedMs.filter((ms) => ms === 0)).to.have.length(30)
    expect(waitedMs.at(-1)).to.be.within(500, 520)
  })

  it('is remembered as long as its payment', async () => {
    const outcome = await world.gate.run(requestFor(named(name)))
    if (outcome.kind !== 'paid') throw new TypeError(outcome.kind)
    world.gate.markDelivered(outcome.paymentId)
    await world.gate.reconcile()
    world.clock.advance(600_000)
    await world.gate.reconcile()
    expect(await buyNumbered(2, named(name))).to.equal('{"run":1}')
    world.clock.advance(1)
    await world.gate.reconcile()
    expect(await buyNumbered(2, named(name))).to.equal('{"run":2}')
  })

  it('makes a repeat owed, whatever the data is like, for the same request only', async () => {
    await buy(named(name))
    const isOwed = (overrides = {}) => world.gate.isOwed(requestFor(named(name), overrides))
    expect([isOwed(), isOwed(other), world.gate.isOwed(requestFor(named(`${name}-b`)))]).to.deep.equal([
      true,
      false,
      false,
    ])
  })

  for (const id of [
    'a'.repeat(15),
    'a'.repeat(129),
    'with space in it',
    'umlaut-\u00e4-in-its-name',
    1234567890123456,
    {},
    '',
  ])
    it(`cannot be ${JSON.stringify(id).slice(0, 40)}`, async () => {
      expect(await buy(named(id))).to.equal(
        'The payment was refused: invalid_payment_identifier. Nothing was charged. Fix this cause, then sign a new payment',
      )
      expect(world.calls).to.deep.equal([])
    })

  for (const id of ['a'.repeat(16), 'Z_9-'.repeat(32), undefined])
    it(`can be ${JSON.stringify(id)?.slice(0, 40)}`, async () => {
      expect(await buy(named(id))).to.equal('{"run":1}')
    })
})

describe('the bytes of a signature', () => {
  const world = purchaseWorld()
  const ofContract = '0x1234'
  const another = `0x${'d1'.repeat(20)}`
  const pay = (from = payer) => world.payWith({ signature: ofContract }, { from })
  const onChain = `0x${'8f'.repeat(32)}`

  for (const [whose, from] of [
    ['the same contract', payer],
    ['another contract', another],
  ] as const)
    it(`can be those of a payment of ${whose}: then the chain says whether it is paid, not the facilitator`, async () => {
      expect(await world.run(pay())).to.equal('paid')
      const second = pay(from)
      expect(await world.run(second)).to.equal('outcome_unknown 2')
      await world.open()
      expect(await world.run(second), 'after a restart, and again').to.equal('outcome_unknown 2')
      world.chain.finding = { kind: 'paid', transaction: onChain }
      const outcome = await world.gate.run(requestFor(second))
      expect(outcome.kind === 'paid' && decodePaymentResponseHeader(outcome.receiptHeader ?? '')).to.include({
        transaction: onChain,
      })
    })

  it('of two payments at once are paid by two transfers of the chain, and never by one', async () => {
    world.facilitator.settle = async () => ({
      ...{ success: false, errorReason: 'settlement_pending', transaction },
      network: 'eip155:8453',
    })
    const outcomes = await Promise.all([world.run(pay()), world.run(pay(another))])
    expect(outcomes).to.deep.equal(['outcome_unknown 2', 'outcome_unknown 2'])
    world.facilitator.settle = async () => {
      throw new SettleError(400, { success: false, errorReason: 'settlement_pending', transaction, network })
    }
    expect(await world.run(pay())).to.equal('outcome_unknown 2')
  })

  it('can be used again when the first payment was refused', async () => {
    world.facilitator.verify = refuseAs('insufficient_funds')
    expect(await world.run(pay())).to.match(/refused: insufficient_funds\./)
    world.facilitator.verify = valid
    expect(await world.run(pay())).to.equal('paid')
  })

  it('are those of the same payment when it is repeated', async () => {
    const payment = pay()
    expect([await world.run(payment), await world.run(payment)]).to.deep.equal(['paid', 'paid'])
  })
})
