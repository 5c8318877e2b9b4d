import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { expect } from 'chai'
import type { PaidOutcome, PaymentOutcome } from '../../../api/payments/payment.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import {
  type FacilitatorDouble,
  type Fault,
  startFacilitatorDouble,
} from '../../support/payments/facilitator-double.ts'
import {
  bursts,
  createTestClock,
  memoryLog,
  openPaidService,
  type PaidService,
  requestFor,
  sellerAddress,
  signFor,
  strangersOf,
  toHeader,
} from '../../support/payments/paid-service.ts'
import { forgottenAs } from './purchase-world.ts'

const curveOrder = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const aboveHalfOfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1'

describe('the payment gate', () => {
  let double: FacilitatorDouble
  let service: PaidService
  let clock: ReturnType<typeof createTestClock>
  let log: ReturnType<typeof memoryLog>

  beforeEach(async () => {
    double = await startFacilitatorDouble()
    clock = createTestClock()
    log = memoryLog(clock)
    service = await openPaidService(double, { log, clock })
  })
  afterEach(async () => {
    await service.gate.close()
    await double.stop()
  })

  const restart = async (world: Readonly<{ answerBytesMax?: number }> = {}) => {
    await service.gate.close()
    service = await openPaidService(double, { log, clock, ...world })
  }
  const asPaid = (outcome: PaymentOutcome): PaidOutcome => {
    expect(outcome.kind).to.equal('paid')
    return outcome as PaidOutcome
  }
  const code = (outcome: PaymentOutcome) => ('code' in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind)

  describe('an unpaid call', () => {
    it('is told price, network, asset and seller, under the public address', async () => {
      const answer = await service.gate.run(requestFor(null))
      expect(answer.kind).to.equal('paymentRequired')
      if (answer.kind !== 'paymentRequired') return
      const required = decodePaymentRequiredHeader(answer.header)
      expect(required.resource.url).to.equal('https://data.example/v1/rh/bursts/live')
      expect(required.accepts).to.deep.equal([
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '10000',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          payTo: sellerAddress,
          maxTimeoutSeconds: 120,
          extra: { name: 'USD Coin', version: '2' },
        },
      ])
      expect(answer.code).to.equal('payment_required')
    })

    it('is refused before the 402 while no facilitator answers, and served again when one does', async () => {
      double.reachable.value = false
      await service.gate.refresh()
      expect(code(await service.gate.run(requestFor(null)))).to.equal('unavailable payments_not_live')
      double.reachable.value = true
      await service.gate.refresh()
      expect(code(await service.gate.run(requestFor(null)))).to.equal('paymentRequired payment_required')
    })

    it('is refused when the facilitator was down at the start, until it is up', async () => {
      double.reachable.value = false
      await restart()
      expect(code(await service.gate.requirePayment(bursts))).to.equal('unavailable payments_not_live')
      double.reachable.value = true
      await service.gate.refresh()
      expect(code(await service.gate.requirePayment(bursts))).to.equal('paymentRequired payment_required')
    })
  })

  describe('one payment', () => {
    it('moves once, and its receipt names the transaction', async () => {
      const request = requestFor(toHeader(await signFor(service.gate)))
      const paid = asPaid(await service.gate.run(request))
      expect(decodePaymentResponseHeader(paid.receiptHeader ?? '')).to.include({
        success: true,
        transaction: [...double.transfers.values()][0],
        network: 'eip155:8453',
      })
      expect(paid.bytes.toString()).to.equal('{"run":1}')
    })

    it('sent five times at once runs the handler once, moves once, and gives five equal answers', async () => {
      const request = requestFor(toHeader(await signFor(service.gate)))
      const answers = await Promise.all(Array.from({ length: 5 }, () => service.gate.run(request)))
      expect(new Set(answers.map((answer) => asPaid(answer).bytes.toString()))).to.deep.equal(new Set(['{"run":1}']))
      expect([request.runs.count, double.calls.settle, double.transfers.size]).to.deep.equal([1, 1, 1])
    })

    it('sent again later gets the same bytes and asks nobody', async () => {
      const request = requestFor(toHeader(await signFor(service.gate)))
      await service.gate.run(request)
      double.reachable.value = false
      await service.gate.refresh()
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
      expect(double.transfers.size).to.equal(1)
    })

    it('buys one request: another one is refused, in flight and after', async () => {
      const payment = toHeader(await signFor(service.gate))
      const other = requestFor(payment, { requestId: 'GET /v1/rh/pools/new?[]' })
      double.settleFaults.push('wait')
      const first = service.gate.run(requestFor(payment))
      while (double.calls.settle === 0) await new Promise((resolve) => setImmediate(resolve))
      expect(code(await service.gate.run(other))).to.equal('paymentRequired payment_already_used')
      double.release()
      asPaid(await first)
      expect(code(await service.gate.run(other))).to.equal('paymentRequired payment_already_used')
      expect(other.runs.count).to.equal(0)
    })

    it('copied from the chain, under another signature, buys nothing: in flight, after, and after a restart', async () => {
      const payload = await signFor(service.gate)
      const strangers = strangersOf(payload).map(toHeader)
      const refused = async () => {
        const requests = strangers.map((header) => requestFor(header))
        const outcomes = await Promise.all(requests.map((request) => service.gate.run(request)))
        // The second forged payment has the other valid `s` value of the same signature. The token contract
        // refuses this value.
        expect(outcomes.map(code)).to.deep.equal([
          'paymentRequired payment_already_used',
          'paymentRequired payment_invalid',
          'paymentRequired payment_already_used',
        ])
        expect(requests.map(({ runs }) => runs.count)).to.deep.equal(strangers.map(() => 0))
      }
      double.settleFaults.push('wait')
      const bought = service.gate.run(requestFor(toHeader(payload)))
      await refused()
      while (double.calls.settle === 0) await new Promise((resolve) => setImmediate(resolve))
      await refused()
      double.release()
      asPaid(await bought)
      await refused()
      await restart()
      await refused()
      for (const payment of strangers)
        expect(await service.gate.isOwed({ payment, requestId: bursts.requestId })).to.equal(false)
      expect(double.calls).to.include({ verify: 1, settle: 1 })
    })

    it('in another spelling of the same bytes is the same payment', async () => {
      const payload = await signFor(service.gate)
      await service.gate.run(requestFor(toHeader(payload)))
      const { signature, authorization } = payload.payload as { signature: string; authorization: object }
      const respelled = {
        accepted: payload.accepted,
        x402Version: 2,
        payload: { authorization, signature: `0x${signature.slice(2).toUpperCase()}` },
      }
      asPaid(await service.gate.run(requestFor({ payload: respelled })))
    })

    it('recorded before signatures were kept is bound by its identity alone', async () => {
      const payment = toHeader(await signFor(service.gate))
      const { paymentId } = asPaid(await service.gate.run(requestFor(payment)))
      const known = service.ledger.find(paymentId) as PaymentChanged
      await service.ledger.record({ ...known, signedHash: null })
      asPaid(await service.gate.run(requestFor(payment)))
    })

    it('gets the same bytes after a restart, made again at the recorded cut', async () => {
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      await restart()
      const rebuildBody = async (cutAtMs: number) => Buffer.from(`{"run":${cutAtMs - 1_000}}`)
      const again = requestFor(payment, { rebuildBody })
      expect(asPaid(await service.gate.run(again)).bytes.toString()).to.equal('{"run":1}')
      expect([again.runs.count, double.transfers.size]).to.deep.equal([0, 1])
    })

    it('is still answered for a day when it was paid but never delivered, and then nobody says that it was not charged', async () => {
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      clock.advance(86_000_000)
      await service.gate.reconcile()
      expect(asPaid(await service.gate.run(requestFor(payment))).bytes.toString()).to.equal('{"run":1}')
      clock.advance(401_000)
      await service.gate.reconcile()
      const late = await service.gate.run(requestFor(payment))
      expect(late.kind === 'paymentRequired' && [late.code, late.body.error]).to.deep.equal([
        'payment_invalid',
        forgottenAs('valid_before_expired'),
      ])
    })

    it('is answered again for ten minutes once delivered, across a restart, and is then forgotten', async () => {
      const request = requestFor(toHeader(await signFor(service.gate)), {
        rebuildBody: async (cutAtMs) => Buffer.from(`{"run":${cutAtMs - 1_000}}`),
      })
      const { paymentId } = asPaid(await service.gate.run(request))
      service.gate.markDelivered(paymentId)
      await service.gate.reconcile()
      expect(service.ledger.find(paymentId)?.state).to.equal('delivered')
      clock.advance(600_000)
      await service.gate.reconcile()
      await restart()
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
      clock.advance(1)
      await service.gate.reconcile()
      expect(service.ledger.find(paymentId)).to.equal(undefined)
    })

    it('sent for another request is never said to have cost nothing, while no facilitator answers neither', async () => {
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      double.reachable.value = false
      await service.gate.refresh()
      const other = await service.gate.run(requestFor(payment, { requestId: 'another' }))
      expect(other.kind === 'unavailable' && other.message).to.equal(
        'The service cannot take payments at the moment. This request was not charged. Wait, then repeat the request',
      )
    })

    it('with too little time left, or valid for too long, is refused without asking anybody', async () => {
      const payment = toHeader(await signFor(service.gate))
      clock.advance(121_000)
      expect(code(await service.gate.run(requestFor(payment)))).to.equal('paymentRequired payment_invalid')
      clock.advance(-1_000_000)
      expect(code(await service.gate.run(requestFor(payment)))).to.equal('paymentRequired payment_invalid')
      expect(double.calls.verify).to.equal(0)
    })
  })

  describe('a payment that is none', () => {
    const bad = async (): Promise<[string, string][]> => {
      const payload = await signFor(service.gate)
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
      const authorization = payload.payload.authorization as object
      const changed = (change: object) => encode({ ...payload, payload: { ...payload.payload, ...change } })
      return [
        ['not base64', '%%%'],
        ['not JSON', Buffer.from('{').toString('base64')],
        ['an array', encode([])],
        ['without payload', encode({ ...payload, payload: undefined })],
        ['13 KB', 'A'.repeat(13_000)],
        ['version 1', encode({ ...payload, x402Version: 1 })],
        ['another network', encode({ ...payload, accepted: { ...payload.accepted, network: 'eip155:1' } })],
        ['another seller', changed({ authorization: { ...authorization, to: `0x${'33'.repeat(20)}` } })],
        ['another amount', encode({ ...payload, accepted: { ...payload.accepted, amount: '1' } })],
        ['a number for the nonce', changed({ authorization: { ...authorization, nonce: 1 } })],
        ['permit2', changed({ permit2Authorization: {}, authorization: undefined })],
        ['permit2 beside it', changed({ permit2Authorization: {} })],
        ['more than is signed', changed({ authorization: { ...authorization, memo: 1 } })],
        ['a constant for a signature', changed({ signature: `0x${'11'.repeat(65)}` })],
        ['r of zero', changed({ signature: `0x${'00'.repeat(32)}${'01'.repeat(32)}1b` })],
        ['r of the curve order', changed({ signature: `0x${curveOrder}${'01'.repeat(32)}1b` })],
        ['s of zero', changed({ signature: `0x${'01'.repeat(32)}${'00'.repeat(32)}1b` })],
        ['s above half the order', changed({ signature: `0x${'01'.repeat(32)}${'80'.repeat(32)}1b` })],
        ['s one above half the order', changed({ signature: `0x${'01'.repeat(32)}${aboveHalfOfOrder}1b` })],
        ['v of 0, which the token does not know', changed({ signature: `0x${'01'.repeat(64)}00` })],
        ['less money than the price', changed({ authorization: { ...authorization, value: '9999' } })],
        ['more than 256 bits', changed({ authorization: { ...authorization, value: '9'.repeat(78) } })],
        [
          'a time to come',
          changed({ authorization: { ...authorization, validAfter: String(Math.floor(clock.nowMs() / 1000) + 90) } }),
        ],
        ['a number in two spellings', changed({ authorization: { ...authorization, validAfter: '00' } })],
      ]
    }

    it('is refused with a 402 in plain words, and nothing runs or moves', async () => {
      for (const [name, header] of await bad()) {
        const request = requestFor({ header })
        const answer = await service.gate.run(request)
        expect(code(answer), name).to.equal('paymentRequired payment_invalid')
        expect(JSON.stringify(answer), name).to.not.match(/TypeError|Unexpected|at .*\.ts/)
        expect(request.runs.count, name).to.equal(0)
      }
      expect(double.calls).to.include({ verify: 0, settle: 0 })
    })

    it('is refused when nobody signed it, and can be taken when its payer signs it', async () => {
      const payload = await signFor(service.gate)
      for (const stranger of strangersOf(payload)) {
        const request = requestFor(toHeader(stranger))
        expect(code(await service.gate.run(request))).to.equal('paymentRequired payment_invalid')
        expect([request.runs.count, double.transfers.size, service.recorded.length]).to.deep.equal([0, 0, 0])
      }
      asPaid(await service.gate.run(requestFor(toHeader(payload))))
    })

    it('is refused when the facilitator refuses it, with its reason, and can be signed anew', async () => {
      double.verifyFaults.push('refuse')
      const request = requestFor(toHeader(await signFor(service.gate)))
      const answer = await service.gate.run(request)
      expect(answer.kind === 'paymentRequired' && answer.body.error).to.include('insufficient_balance')
      expect(request.runs.count).to.equal(0)
    })
  })

  describe('a handler that fails', () => {
    it('costs nothing, and the same payment works afterwards', async () => {
      const payment = toHeader(await signFor(service.gate))
      const failure = new RangeError('stale')
      const failed = await service.gate.run(requestFor(payment, { buildBody: () => Promise.reject(failure) }))
      expect(failed).to.deep.equal({ kind: 'handlerFailed', error: failure })
      expect(double.transfers.size).to.equal(0)
      asPaid(await service.gate.run(requestFor(payment)))
    })
  })

  describe('a payer whose payments do not settle', () => {
    it('gets no answer made for the eleventh of a minute', async () => {
      const runs: number[] = []
      for (let turn = 0; turn < 12; turn++) {
        double.settleFaults.push('refuse')
        const request = requestFor(toHeader(await signFor(service.gate)), { clientAddress: `203.0.113.${turn}` })
        expect((await service.gate.run(request)).kind).to.not.equal('paid')
        runs.push(request.runs.count)
      }
      expect(runs).to.deep.equal([...Array(10).fill(1), 0, 0])
      expect(double.transfers.size).to.equal(0)
    })
  })

  describe('a client that leaves', () => {
    it('before settling is not charged, and may come back with the same payment', async () => {
      const payment = toHeader(await signFor(service.gate))
      expect((await service.gate.run(requestFor(payment, { isClientGone: () => true }))).kind).to.equal('clientGone')
      expect(double.calls.settle).to.equal(0)
      asPaid(await service.gate.run(requestFor(payment)))
    })

    it('ten times within a minute gets no answer made for the eleventh, from another address neither', async () => {
      const buy = async (clientAddress: string, isGone: boolean) => {
        const request = requestFor(toHeader(await signFor(service.gate)), { clientAddress, isClientGone: () => isGone })
        const outcome = await service.gate.run(request)
        return [code(outcome), request.runs.count]
      }
      for (let turn = 0; turn < 10; turn++)
        expect(await buy(`203.0.113.${turn}`, true)).to.deep.equal(['clientGone', 1])
      expect(await buy('198.51.100.1', false)).to.deep.equal(['unavailable payments_not_live', 0])
      expect(double.calls.settle).to.equal(0)
      clock.advance(60_000)
      expect(await buy('198.51.100.1', false)).to.deep.equal(['paid', 1])
    })

    it('does not take the answer from a copy that stays', async () => {
      const payment = toHeader(await signFor(service.gate))
      const [left] = await Promise.all([
        service.gate.run(requestFor(payment, { isClientGone: () => true })),
        service.gate.run(requestFor(payment)),
      ])
      asPaid(left)
    })
  })

  describe('a facilitator that fails', () => {
    for (const fault of ['drop', 'garbage', 'status500', 'hang'] as const)
      it(`at verify (${fault}) is a 503, not a 402; nothing moved, and the same payment works later`, async () => {
        double.verifyFaults.push(fault)
        const payment = toHeader(await signFor(service.gate))
        const request = requestFor(payment)
        expect(code(await service.gate.run(request))).to.equal('unavailable payments_not_live')
        expect([request.runs.count, double.transfers.size]).to.deep.equal([0, 0])
        asPaid(await service.gate.run(request))
      })

    for (const fault of ['drop', 'garbage', 'status500', 'unexpected', 'error500', 'status503', 'hang'] as const)
      it(`over payments only (${fault}) stays open for everybody else`, async () => {
        for (let turn = 0; turn < 12; turn++) {
          double.verifyFaults.push(fault)
          const outcome = await service.gate.run(requestFor(toHeader(await signFor(service.gate))))
          expect(outcome).to.include({ kind: 'unavailable', reason: 'facilitator_failed' })
          clock.advance(1_000)
          await service.settle()
          expect(code(await service.gate.requirePayment(bursts))).to.equal('paymentRequired payment_required')
        }
        asPaid(await service.gate.run(requestFor(toHeader(await signFor(service.gate)))))
      })

    it('is asked about itself at most once a second when it does not answer, and never over a failure', async () => {
      const before = double.calls.supported
      const fail = async (fault: Fault) => {
        double.verifyFaults.push(fault)
        await service.gate.run(requestFor(toHeader(await signFor(service.gate))))
        await service.settle()
      }
      for (const fault of ['error500', 'unexpected', 'refuse'] as const) await fail(fault)
      expect(double.calls.supported - before).to.equal(0)
      for (let turn = 0; turn < 5; turn++) await fail('drop')
      expect(double.calls.supported - before).to.equal(1)
      clock.advance(1_000)
      await fail('drop')
      expect(double.calls.supported - before).to.equal(2)
    })

    it('and does not answer our own question either makes unpaid calls a 503, until it answers that', async () => {
      const payment = toHeader(await signFor(service.gate))
      double.reachable.value = false
      await service.gate.run(requestFor(payment))
      await service.settle()
      expect(code(await service.gate.requirePayment(bursts))).to.equal('unavailable payments_not_live')
      double.reachable.value = true
      await service.gate.refresh()
      expect(code(await service.gate.requirePayment(bursts))).to.equal('paymentRequired payment_required')
    })

    for (const fault of ['dropAfterBroadcast', 'garbageAfterBroadcast', 'hangAfterBroadcast'] as const)
      it(`after sending the transfer (${fault}) does not cost the buyer the answer`, async () => {
        double.settleFaults.push(fault)
        const paid = asPaid(await service.gate.run(requestFor(toHeader(await signFor(service.gate)))))
        expect(decodePaymentResponseHeader(paid.receiptHeader ?? '').transaction).to.equal(
          [...double.transfers.values()][0],
        )
        expect(double.transfers.size).to.equal(1)
      })

    for (const fault of ['drop', 'garbage', 'status500'] as const)
      it(`before sending the transfer (${fault}) is asked once more`, async () => {
        double.settleFaults.push(fault)
        asPaid(await service.gate.run(requestFor(toHeader(await signFor(service.gate)))))
        expect([double.calls.settle, double.transfers.size]).to.deep.equal([2, 1])
      })

    it('with a transfer not yet confirmed: the answer goes out with its hash', async () => {
      double.settleFaults.push('pending', 'pending', 'pending', 'pending')
      const paid = asPaid(await service.gate.run(requestFor(toHeader(await signFor(service.gate)))))
      expect(decodePaymentResponseHeader(paid.receiptHeader ?? '').transaction).to.equal(`0x${'e'.repeat(64)}`)
    })

    it('and a chain that cannot be asked: the buyer gets the answer on trust, with the same bytes again and once charged', async () => {
      double.settleFaults.push('dropAfterBroadcast', 'drop')
      double.chain.isDown = true
      const request = requestFor(toHeader(await signFor(service.gate)))
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
      expect(service.recorded).to.deep.equal(['settling', 'unknown'])
      double.chain.isDown = false
      await service.gate.reconcile()
      expect(service.recorded).to.deep.equal(['settling', 'unknown', 'settled'])
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
      expect([request.runs.count, double.transfers.size]).to.deep.equal([1, 1])
    })

    it('and a chain that cannot be asked: trusts twenty payments at a time', async () => {
      double.chain.isDown = true
      const outcomes: string[] = []
      for (let turn = 0; turn < 22; turn++) {
        double.settleFaults.push('drop', 'drop')
        const outcome = await service.gate.run(requestFor(toHeader(await signFor(service.gate))))
        outcomes.push(outcome.kind === 'unavailable' ? outcome.reason : outcome.kind)
      }
      expect(outcomes).to.deep.equal([...Array(20).fill('paid'), 'outcome_unknown', 'outcome_unknown'])
    })

    it('and a chain that shows nothing: a 503 that asks for the same payment again, which then gets the answer', async () => {
      double.settleFaults.push('garbage', 'garbage')
      const request = requestFor(toHeader(await signFor(service.gate)))
      const first = await service.gate.run(request)
      expect(first.kind === 'unavailable' && first.message).to.match(/not known yet.*same PAYMENT-SIGNATURE/)
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
      expect([request.runs.count, double.transfers.size]).to.deep.equal([1, 1])
    })

    it('that says no and sends the transfer all the same: the answer goes out', async () => {
      double.settleFaults.push('refuseAfterBroadcast')
      asPaid(await service.gate.run(requestFor(toHeader(await signFor(service.gate)))))
      expect([service.recorded, double.transfers.size]).to.deep.equal([['settling', 'settled'], 1])
    })

    it('that says no and sends the transfer later: nobody said "not charged", and the repeat gets what was paid for', async () => {
      double.settleFaults.push('refuse')
      const request = requestFor(toHeader(await signFor(service.gate)))
      const refused = await service.gate.run(request)
      expect(code(refused)).to.equal('paymentRequired payment_invalid')
      if (refused.kind !== 'paymentRequired') return
      expect(refused.receiptHeader).to.be.a('string')
      expect(refused.body.error)
        .to.match(/same PAYMENT-SIGNATURE/)
        .and.not.match(/not charged|nothing was charged/i)
      double.sendLate()
      await service.gate.reconcile()
      expect(service.recorded.at(-1)).to.equal('settled')
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
      expect([request.runs.count, double.transfers.size]).to.deep.equal([1, 1])
    })

    it('that says no and cannot be asked afterwards: no repeat hears "nothing was charged"', async () => {
      double.settleFaults.push('refuse')
      const request = requestFor(toHeader(await signFor(service.gate)))
      await service.gate.run(request)
      double.reachable.value = false
      await service.gate.refresh()
      const repeated = await service.gate.run(request)
      expect(repeated).to.include({ kind: 'unavailable', reason: 'outcome_unknown' })
    })

    it('that says no is not believed to have taken anything once the payment has expired', async () => {
      double.settleFaults.push('refuse')
      await service.gate.run(requestFor(toHeader(await signFor(service.gate))))
      double.chain.nowMs = clock.nowMs
      clock.advance(130_000)
      await service.gate.reconcile()
      expect([service.recorded.at(-1), service.ledger.unresolved().length]).to.deep.equal(['released', 0])
    })
  })

  describe('a settled payment whose answer cannot be read', () => {
    const failing = (times: number) => {
      let reads = 0
      return async (cutAtMs: number) => {
        if (++reads <= times) throw new RangeError('the tables are away')
        return Buffer.from(`{"run":${cutAtMs - 1_000}}`)
      }
    }

    it('is answered from what was built before the money moved, however small the store is', async () => {
      await restart({ answerBytesMax: 0 })
      const payment = toHeader(await signFor(service.gate))
      const request = requestFor(payment, { rebuildBody: failing(Number.POSITIVE_INFINITY) })
      expect(asPaid(await service.gate.run(request)).bytes.toString()).to.equal('{"run":1}')
    })

    it('reads it again within the request', async () => {
      await restart({ answerBytesMax: 0 })
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      const again = await service.gate.run(requestFor(payment, { rebuildBody: failing(3) }))
      expect(asPaid(again).bytes.toString()).to.equal('{"run":1}')
      expect(double.transfers.size).to.equal(1)
    })

    it('says after ten seconds that it has arrived and how to get the answer, never that nothing was charged', async () => {
      await restart({ answerBytesMax: 0 })
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      const startedAtMs = clock.nowMs()
      const late = await service.gate.run(requestFor(payment, { rebuildBody: failing(Number.POSITIVE_INFINITY) }))
      expect(clock.nowMs() - startedAtMs).to.be.within(8_000, 10_000)
      expect(late).to.include({ kind: 'unavailable', code: 'warming_up', reason: 'answer_delayed' })
      expect(late.kind === 'unavailable' && late.message).to.match(/has arrived.*same PAYMENT-SIGNATURE/)
      asPaid(await service.gate.run(requestFor(payment, { rebuildBody: failing(0) })))
    })

    it('does not stay at it when the client has gone', async () => {
      await restart({ answerBytesMax: 0 })
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      const rebuildBody = failing(Number.POSITIVE_INFINITY)
      const startedAtMs = clock.nowMs()
      await service.gate.run(requestFor(payment, { rebuildBody, isClientGone: () => true }))
      expect(clock.nowMs()).to.equal(startedAtMs)
    })
  })

  describe('a crash between settling and recording', () => {
    it('is put right from the chain, and the repeat gets the bytes of the recorded cut', async () => {
      double.settleFaults.push('dropAfterBroadcast', 'drop')
      double.chain.isDown = true
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      await restart()
      double.chain.isDown = false
      await service.gate.reconcile()
      const rebuildBody = async (cutAtMs: number) => Buffer.from(`{"run":${cutAtMs - 1_000}}`)
      expect(asPaid(await service.gate.run(requestFor(payment, { rebuildBody }))).bytes.toString()).to.equal(
        '{"run":1}',
      )
      expect(service.gate.stats().totals).to.deep.equal({ n: 1, usd: 0.01 })
    })

    it('is released once the chain says that it can no longer be paid', async () => {
      double.settleFaults.push('drop', 'drop')
      double.chain.isDown = true
      const payment = toHeader(await signFor(service.gate))
      await service.gate.run(requestFor(payment))
      expect(service.ledger.unresolved()).to.have.length(1)
      double.chain.isDown = false
      double.chain.nowMs = clock.nowMs
      clock.advance(130_000)
      await service.gate.reconcile()
      expect(service.ledger.unresolved()).to.have.length(0)
      expect(service.gate.stats()).to.deep.include({ totals: { n: 0, usd: 0 } })
      expect(service.gate.stats().payFailures.map(({ code, n }) => [code, n])).to.deep.equal([['outcome_unknown', 1]])
    })
  })

  describe('the owner of the ledger', () => {
    it('stops taking payments when another takes over, and says so once', async () => {
      const payment = toHeader(await signFor(service.gate))
      const paid = requestFor(toHeader(await signFor(service.gate)))
      await service.gate.run(paid)
      const successor = await openPaidService(double, { log, clock })
      const request = requestFor(payment)
      expect(code(await service.gate.run(request))).to.equal('unavailable payments_not_live')
      expect(code(await service.gate.run(requestFor(null)))).to.equal('unavailable payments_not_live')
      expect([service.lost.count, double.calls.settle]).to.deep.equal([1, 1])
      asPaid(await service.gate.run(paid))
      asPaid(await successor.gate.run(request))
      await successor.gate.close()
    })
  })

  it('learns while it sells nothing that another has taken over', async () => {
    await service.gate.reconcile()
    expect(service.lost.count).to.equal(0)
    const successor = await openPaidService(double, { log, clock })
    await service.gate.reconcile()
    expect(service.lost.count).to.equal(1)
    expect(code(await service.gate.run(requestFor(null)))).to.equal('unavailable payments_not_live')
    await successor.gate.reconcile()
    expect(successor.lost.count).to.equal(0)
    await successor.gate.close()
  })

  it('drops the stored answer of a payment that the ledger forgets, so that it takes no room from others', async () => {
    // The store has room for two answers. Delivered answers are dropped first.
    await restart({ answerBytesMax: 2 * '{"run":1}'.length })
    const buy = async () => {
      const request = requestFor(toHeader(await signFor(service.gate)))
      return { request, paymentId: asPaid(await service.gate.run(request)).paymentId }
    }
    const forgotten = await buy()
    const recorded = service.ledger.find(forgotten.paymentId) as PaymentChanged
    await service.ledger.record({ ...recorded, state: 'delivered', validBeforeMs: 0, atMs: 0 })
    await service.gate.reconcile()
    expect(service.ledger.find(forgotten.paymentId)).to.equal(undefined)
    const delivered = await buy()
    service.gate.markDelivered(delivered.paymentId)
    await buy()
    const rebuildBody = async () => expect.fail('the answer is no longer stored')
    expect(asPaid(await service.gate.run({ ...delivered.request, rebuildBody })).bytes.toString()).to.equal('{"run":1}')
  })

  it('knows which payments are owed an answer', async () => {
    const payment = toHeader(await signFor(service.gate))
    const { requestId } = bursts
    expect(await service.gate.isOwed({ payment, requestId })).to.equal(false)
    await service.gate.run(requestFor(payment))
    expect(await service.gate.isOwed({ payment, requestId })).to.equal(true)
    expect(await service.gate.isOwed({ payment, requestId: 'another' })).to.equal(false)
    expect(await service.gate.isOwed({ payment: null, requestId })).to.equal(false)
  })
})
