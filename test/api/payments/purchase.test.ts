import { expect } from 'chai'
import { NothingToSell, type PaymentOutcome } from '../../../api/payments/payment.ts'
import { bursts, requestFor, sellerAddress } from '../../support/payments/paid-service.ts'
import {
  forgottenAs,
  lost,
  network,
  payer,
  purchaseWorld,
  refuseAs,
  refusedAs,
  said,
  settleRefused,
  transaction,
  valid,
} from './purchase-world.ts'

const usedBefore =
  'This payment was used before: for another request, with another signature, or outside this service. Sign a new payment'

describe('a purchase', () => {
  const world = purchaseWorld()
  const { goDown, open, pay, run } = world

  it('verifies, records, settles and records, in this order', async () => {
    const outcome = await world.gate.run(requestFor(pay()))
    expect(world.calls).to.deep.equal(['verify', 'settling', 'settle', 'settled'])
    const known = world.ledger.find(outcome.kind === 'paid' ? outcome.paymentId : '')
    expect(known).to.include({ ...{ payer, network, route: bursts.routeId, requestId: bursts.requestId } })
    expect(known).to.include({ state: 'settled', usdMicros: 10_000, transaction, cutAtMs: 1_001, reason: null })
    expect(world.logged.at(-1)).to.deep.equal({
      level: 'info',
      said: { route: bursts.routeId, state: 'settled', transaction, reason: null },
      text: 'payment',
    })
  })

  it('is asked for by its code where there is none, where it cannot be read, and where it was for something else', async () => {
    const coded = (outcome: PaymentOutcome) => 'code' in outcome && [outcome.code, said(outcome)]
    const required = [
      'payment_required',
      'This call costs 0.01 USD. Repeat it with a signed payment in the PAYMENT-SIGNATURE header',
    ]
    expect(coded(await world.gate.run(requestFor(null)))).to.deep.equal(required)
    expect(coded(await world.gate.requirePayment(bursts))).to.deep.equal(required)
    const unread = await world.gate.run(requestFor({ header: '%%%' }))
    expect(coded(unread)).to.deep.equal(['payment_invalid', refusedAs('malformed_payment')])
    const payment = pay()
    const elsewhere = () => world.gate.run(requestFor(payment, { requestId: 'another' }))
    const used = usedBefore
    const first = run(payment)
    expect(coded(await elsewhere()), 'under way').to.deep.equal(['payment_already_used', used])
    expect(await first).to.equal('paid')
    expect(coded(await elsewhere()), 'afterwards').to.deep.equal(['payment_already_used', used])
  })

  it('is taken no more once another process is found to own the ledger, though nothing is sold', async () => {
    const before = world.gate
    await before.reconcile()
    expect(before.unavailable()).to.equal(null)
    await open()
    await before.reconcile()
    expect(before.unavailable()).to.include({ reason: 'ledger_lost' })
    expect(world.gate.unavailable()).to.equal(null)
  })

  describe('whose terms the facilitator would refuse', () => {
    const terms = (): readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] => {
      const sec = (fromNow: number) => String(Math.floor(world.clock.nowMs() / 1000) + fromNow)
      return [
        ['pays less', 'is enough', { value: '9999' }, 'invalid_exact_evm_authorization_value'],
        ['begins in more than a minute', '', { validAfter: sec(61) }, 'valid_after_in_future'],
        ['ends now', '', { validBefore: sec(0) }, 'valid_before_expired'],
        ['ends in more than twelve minutes', '', { validBefore: sec(721) }, 'valid_before_too_far'],
      ]
    }
    it('is refused unasked, with the reason, one step beyond what is accepted', async () => {
      world.clock.advance(1_000 - (world.clock.nowMs() % 1_000))
      for (const [name, , change, reason] of terms())
        expect(await run(pay(change)), name).to.equal(
          reason === 'valid_before_expired' ? forgottenAs('valid_before_expired') : refusedAs(reason),
        )
      expect(world.calls).to.deep.equal([])
      const sec = (fromNow: number) => String(Math.floor(world.clock.nowMs() / 1000) + fromNow)
      for (const change of [
        { value: '10000' },
        { value: '10001' },
        { validAfter: sec(60) },
        { validBefore: sec(1) },
        { validBefore: sec(720) },
      ])
        expect(await run(pay(change)), JSON.stringify(change)).to.equal('paid')
    })
  })

  it('of what is not offered is refused unasked', async () => {
    expect(await run(pay({}, { amount: '10001' }))).to.equal(refusedAs('no_matching_requirements'))
    expect(world.calls).to.deep.equal([])
  })

  it('that could not reach the seller in the token of the offer is refused with the reason', async () => {
    const stranger = `0x${'33'.repeat(20)}`
    for (const [payment, reason] of [
      [pay({}, { network: 'eip155:1' }), 'unsupported_network'],
      [pay({}, { scheme: 'upto' }), 'unsupported_scheme'],
      [pay({}, { asset: stranger }), 'asset_mismatch'],
      [pay({ to: stranger }), 'recipient_mismatch'],
      [pay({ memo: 'more than is signed' }), 'unsupported_payload_type'],
    ] as const)
      expect(await run(payment)).to.equal(refusedAs(reason))
    expect(world.calls).to.deep.equal([])
    expect(await run(pay({ to: sellerAddress.toLowerCase() }))).to.equal('paid')
  })

  describe('that the facilitator does not verify', () => {
    it('is refused with its reason, and can be sent again', async () => {
      const payment = pay()
      world.facilitator.verify = refuseAs('insufficient_funds')
      const refused = await world.gate.run(requestFor(payment))
      expect(said(refused)).to.equal(refusedAs('insufficient_funds'))
      expect([refused.kind === 'paymentRequired' && refused.receiptHeader, world.chain.probes]).to.deep.equal([null, 0])
      world.facilitator.verify = valid
      expect(await run(payment)).to.equal('paid')
    })

    it('because its nonce was used on the chain is never told that it was not charged', async () => {
      for (const reason of ['invalid_exact_evm_nonce_already_used', 'nonce_used']) {
        world.facilitator.verify = refuseAs(reason)
        const outcome = await world.gate.run(requestFor(pay()))
        expect('code' in outcome && [outcome.code, said(outcome)]).to.deep.equal(['payment_already_used', usedBefore])
      }
    })

    it('is a 503 where it did not answer, or failed', async () => {
      world.facilitator.verify = lost
      expect(await run(pay())).to.equal('facilitator_failed 5')
      expect(world.logged.some(({ text }) => text?.includes('asks now whether the facilitator is up'))).to.equal(true)
      world.logged.length = 0
      world.facilitator.verify = refuseAs('unexpected_error')
      expect(await run(pay())).to.equal('facilitator_failed 5')
      expect(world.logged).to.deep.equal([])
    })

    it('is refused by its signer once others of its address were refused', async () => {
      world.facilitator.verify = refuseAs('insufficient_funds')
      await run(pay())
      world.signer = 'other'
      expect(await run(pay())).to.equal(refusedAs('invalid_exact_evm_signature'))
      expect(world.calls).to.deep.equal(['verify'])
    })

    it('waits for its turn after thirty refusals of its address, one every other second', async () => {
      world.facilitator.verify = refuseAs('insufficient_funds')
      for (let turn = 0; turn < 30; turn++) {
        await run(pay())
        world.clock.advance(100)
      }
      world.calls.length = 0
      const said = await Promise.all(Array.from({ length: 20 }, () => run(pay())))
      expect(said.filter((text) => text === 'too_many_at_once 2')).to.have.length(20 - world.calls.length)
      expect(world.calls.length).to.be.within(5, 10)
    })

    it('is not limited by others of its address once its payer has bought, also after a restart', async () => {
      expect(await run(pay())).to.equal('paid')
      await open()
      const newcomer = `0x${'d1'.repeat(20)}`
      world.facilitator.verify = refuseAs('insufficient_funds')
      for (let turn = 0; turn < 31; turn++) {
        await run(pay({ from: newcomer }))
        world.clock.advance(50)
      }
      world.facilitator.verify = valid
      const startedAtMs = world.clock.nowMs()
      const answers: string[] = []
      for (let turn = 0; turn < 10; turn++) answers.push(await run(pay({ from: payer.toLowerCase() })))
      expect(answers, 'a purchase each gives eight tries again').to.deep.equal(Array(10).fill('paid'))
      expect(world.clock.nowMs(), 'at once').to.equal(startedAtMs)
      await run(pay({ from: newcomer }))
      expect(world.clock.nowMs(), 'a newcomer later').to.be.greaterThan(startedAtMs)
    })

    it('is a 503 while no facilitator is up', async () => {
      await goDown()
      expect(await run(pay())).to.equal('facilitator_down 5')
      expect(await run(null)).to.equal('facilitator_down 5')
      expect(world.gate.unavailable()).to.include({ reason: 'facilitator_down', retryAfterSec: 5 })
    })
  })

  describe('whose answer nobody waits for', () => {
    it('is not settled, counts as unsold, and can be sent again', async () => {
      const payment = pay()
      for (let turn = 0; turn < 10; turn++)
        expect(await run(turn === 0 ? payment : pay(), { isClientGone: () => true })).to.equal('clientGone')
      expect(world.calls).to.not.include('settling')
      expect(await run(payment)).to.match(/^too_many_unsold \d+$/)
      world.clock.advance(60_000)
      expect(await run(payment)).to.equal('paid')
    })

    it('counts as unsold and not as a request for nothing when it was refused unbuilt', async () => {
      const buildBody = () => Promise.reject(new NothingToSell('not in its turn'))
      for (let turn = 0; turn < 10; turn++)
        expect(await run(pay(), { buildBody, isClientGone: () => true })).to.equal('clientGone')
      expect(await run(pay())).to.match(/^too_many_unsold \d+$/)
    })

    it('fails all the same when it cannot be built, so that the failure is in the log', async () => {
      const buildBody = () => Promise.reject(new RangeError('of our making'))
      expect(await run(pay(), { buildBody, isClientGone: () => true })).to.equal('handlerFailed')
    })

    it('is sold to a copy that comes as the last of the others leaves', async () => {
      const payment = pay()
      let copy: Promise<string> | null = null
      const isClientGone = () => {
        if (world.calls.includes('verify')) copy ??= run(payment)
        return true
      }
      expect(await run(payment, { isClientGone })).to.equal('clientGone')
      expect(await copy).to.equal('paid')
    })

    it('is settled while one of its copies stays', async () => {
      const payment = pay()
      const outcomes = await Promise.all([
        run(payment, { isClientGone: () => true }),
        run(payment, { isClientGone: () => true }),
        run(payment),
      ])
      expect(outcomes).to.deep.equal(['paid', 'paid', 'paid'])
    })
  })

  it('is owed from its start on, until it is released, to who sent these bytes for this request', async () => {
    const payment = pay()
    const { requestId } = bursts
    const isOwed = () => world.gate.isOwed({ payment, requestId })
    expect(isOwed()).to.equal(false)
    const running = run(payment)
    expect(isOwed()).to.equal(true)
    await running
    expect(isOwed()).to.equal(true)
    expect(world.gate.isOwed({ payment, requestId: 'another' })).to.equal(false)
    expect(world.gate.isOwed({ payment: null, requestId })).to.equal(false)
    expect(world.gate.isOwed({ payment: { header: '%%%' }, requestId })).to.equal(false)
    world.facilitator.settle = settleRefused
    world.chain.finding = { kind: 'expired' }
    const refused = pay()
    await run(refused)
    expect(world.gate.isOwed({ payment: refused, requestId })).to.equal(false)
  })

  it('is described by the protocol, the networks and whether payments are live', async () => {
    const described = {
      ...{ protocol: 'x402', version: 2, scheme: 'exact', isLive: true },
      networks: [
        {
          ...{ network, asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', payTo: sellerAddress },
          ...{ isLocal: true, localRpcUrl: 'http://127.0.0.1:1' },
        },
      ],
    }
    expect(world.gate.describe()).to.deep.equal(described)
    await goDown()
    expect(world.gate.describe()).to.deep.equal({ ...described, isLive: false })
  })
})
