/** The gate in front of a facilitator in this process, which says what it is told to; nothing here waits for a socket. */
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload } from '@x402/core/types'
import { expect } from 'chai'
import { createEvmNetwork } from '../../../api/payments/evm-network.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../api/payments/ledger.ts'
import type { PaymentGate, PaymentOutcome } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import type { ChainFinding, Signer } from '../../../api/payments/payment-network.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import { topics } from '../../../schemas/topics.ts'
import { bursts, createTestClock, memoryLog, requestFor, sellerAddress } from '../../support/paid-service.ts'

const network = 'eip155:8453' as const
const payer = `0x${'C5'.repeat(20)}`
const transaction = `0x${'7e'.repeat(32)}`
const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())

type Verify = FacilitatorClient['verify']
type Settle = FacilitatorClient['settle']

const valid: Verify = async () => ({ isValid: true, payer })
const refuseAs =
  (invalidReason: string): Verify =>
  async () => ({ isValid: false, invalidReason })
const settled: Settle = async () => ({ success: true, transaction, network })
const settleRefused: Settle = async () => ({
  ...{ success: false, transaction: '', network },
  errorReason: 'insufficient_funds',
})
const lost = async () => {
  throw new TypeError('fetch failed')
}

describe('a purchase', () => {
  let clock: ReturnType<typeof createTestClock>
  let log: ReturnType<typeof memoryLog>
  let gate: PaymentGate
  let ledger: PaymentLedger
  let facilitator: { verify: Verify; settle: Settle; isUp: boolean }
  let chain: { finding: ChainFinding | 'away'; probes: number }
  let signer: Signer
  let calls: string[]
  let logged: { level: string; said: object; text: string | undefined }[]
  /** What becomes of the next records of these states. */
  let failures: Map<string, Error>
  let nonces: number

  const open = async (options: Partial<Parameters<typeof createPaymentGate>[0]> = {}) => {
    const opened = await openPaymentLedger({ log, codec, nowMs: clock.nowMs })
    const recording = (record: PaymentLedger['record']) => async (change: PaymentChanged) => {
      const failure = failures.get(change.state)
      if (failure) throw failure
      await record(change)
      calls.push(change.state)
    }
    ledger = { ...opened, record: recording(opened.record), recordWithNext: recording(opened.recordWithNext) }
    const note =
      (level: string) =>
      (...[said, text]: [unknown, string?]) =>
        void logged.push(
          typeof said === 'string' ? { level, said: {}, text: said } : { level, said: said as object, text },
        )
    const evm = createEvmNetwork({ network, payTo: sellerAddress, rpcUrl: 'http://127.0.0.1:1', isLocal: true })
    gate = await createPaymentGate({
      facilitators: [
        {
          verify: (...payment) => {
            calls.push('verify')
            return facilitator.verify(...payment)
          },
          settle: (...payment) => {
            calls.push('settle')
            return facilitator.settle(...payment)
          },
          getSupported: async () => {
            if (!facilitator.isUp) throw new TypeError('fetch failed')
            return { kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }
          },
        },
      ],
      networks: [
        {
          ...evm,
          signerOf: async () => signer,
          probe: async () => {
            chain.probes += 1
            if (chain.finding === 'away') throw new TypeError('the node is away')
            return chain.finding
          },
        },
      ],
      ledger,
      publicBaseUrl: 'https://data.example',
      nowMs: clock.nowMs,
      sleep: clock.sleep,
      logger: { info: note('info'), warn: note('warn'), error: note('error') },
      ...options,
    })
  }

  beforeEach(async () => {
    clock = createTestClock()
    log = memoryLog(clock)
    facilitator = { verify: valid, settle: settled, isUp: true }
    chain = { finding: { kind: 'unpaid' }, probes: 0 }
    signer = 'payer'
    calls = []
    logged = []
    failures = new Map()
    nonces = 0
    await open()
  })
  afterEach(() => gate.close())

  const goDown = async () => {
    facilitator.isUp = false
    await gate.refresh()
  }
  /** A payment in the right form; who signed it, `signer` says. */
  const pay = (changes: Readonly<Record<string, string>> = {}, accepted: object = {}) => {
    const nowSec = Math.floor(clock.nowMs() / 1000)
    const payload: PaymentPayload = {
      x402Version: 2,
      resource: { url: 'https://data.example/v1/rh/bursts/live' },
      accepted: {
        ...{ scheme: 'exact', network, amount: '10000', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
        ...{ payTo: sellerAddress, maxTimeoutSeconds: 120, extra: { name: 'USD Coin', version: '2' } },
        ...accepted,
      },
      payload: {
        signature: `0x${'01'.repeat(64)}1b`,
        authorization: {
          ...{ from: payer, to: sellerAddress, value: '10000', validAfter: String(nowSec - 60) },
          ...{ validBefore: String(nowSec + 120), nonce: `0x${String(++nonces).padStart(64, '0')}` },
          ...changes,
        },
      },
    }
    return { header: encodePaymentSignatureHeader(payload) }
  }
  const said = (outcome: PaymentOutcome) => {
    switch (outcome.kind) {
      case 'unavailable':
        return `${outcome.reason} ${outcome.retryAfterSec}`
      case 'paymentRequired':
        return outcome.body.error
      default:
        return outcome.kind
    }
  }
  const run = async (...request: Parameters<typeof requestFor>) => said(await gate.run(requestFor(...request)))
  const refusedAs = (reason: string) => `The payment was refused and not charged: ${reason}`
  const unprovenAs = (reason: string) =>
    new RegExp(`^The facilitator refused the payment: ${reason}.*same PAYMENT-SIGNATURE`)

  it('verifies, records, settles and records, in this order', async () => {
    const outcome = await gate.run(requestFor(pay()))
    expect(calls).to.deep.equal(['verify', 'settling', 'settle', 'settled'])
    const known = ledger.find(outcome.kind === 'paid' ? outcome.paymentId : '')
    expect(known).to.include({ ...{ payer, network, route: bursts.routeId, requestId: bursts.requestId } })
    expect(known).to.include({ state: 'settled', usdMicros: 10_000, transaction, cutAtMs: 1_001, reason: null })
    expect(logged.at(-1)).to.deep.equal({
      level: 'info',
      said: { route: bursts.routeId, state: 'settled', transaction, reason: null },
      text: 'payment',
    })
  })

  it('is asked for by its code where there is none, where it cannot be read, and where it was for something else', async () => {
    const coded = (outcome: PaymentOutcome) => 'code' in outcome && [outcome.code, said(outcome)]
    const required = ['payment_required', 'This call costs 0.01 USD: repeat it with a PAYMENT-SIGNATURE header']
    expect(coded(await gate.run(requestFor(null)))).to.deep.equal(required)
    expect(coded(await gate.requirePayment(bursts))).to.deep.equal(required)
    const unread = await gate.run(requestFor({ header: '%%%' }))
    expect(coded(unread)).to.deep.equal(['payment_invalid', refusedAs('malformed_payment')])
    const payment = pay()
    const elsewhere = () => gate.run(requestFor(payment, { requestId: 'another' }))
    const used = 'This payment was used before, for another request or under another signature: sign a new one'
    const first = run(payment)
    expect(coded(await elsewhere()), 'under way').to.deep.equal(['payment_already_used', used])
    expect(await first).to.equal('paid')
    expect(coded(await elsewhere()), 'afterwards').to.deep.equal(['payment_already_used', used])
  })

  it('is taken no more once another process is found to own the ledger, though nothing is sold', async () => {
    const before = gate
    await before.reconcile()
    expect(before.unavailable()).to.equal(null)
    await open()
    await before.reconcile()
    expect(before.unavailable()).to.include({ reason: 'ledger_lost' })
    expect(gate.unavailable()).to.equal(null)
  })

  describe('whose terms the facilitator would refuse', () => {
    const terms = (): readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] => {
      const sec = (fromNow: number) => String(Math.floor(clock.nowMs() / 1000) + fromNow)
      return [
        ['pays less', 'is enough', { value: '9999' }, 'invalid_exact_evm_authorization_value'],
        ['begins in more than a minute', '', { validAfter: sec(61) }, 'valid_after_in_future'],
        ['ends now', '', { validBefore: sec(0) }, 'valid_before_expired'],
        ['ends in more than twelve minutes', '', { validBefore: sec(721) }, 'valid_before_too_far'],
      ]
    }
    it('is refused unasked, with the reason, one step beyond what is accepted', async () => {
      clock.advance(1_000 - (clock.nowMs() % 1_000))
      for (const [name, , change, reason] of terms()) expect(await run(pay(change)), name).to.equal(refusedAs(reason))
      expect(calls).to.deep.equal([])
      const sec = (fromNow: number) => String(Math.floor(clock.nowMs() / 1000) + fromNow)
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
    expect(calls).to.deep.equal([])
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
    expect(calls).to.deep.equal([])
    expect(await run(pay({ to: sellerAddress.toLowerCase() }))).to.equal('paid')
  })

  describe('that the facilitator does not verify', () => {
    it('is refused with its reason, and can be sent again', async () => {
      const payment = pay()
      facilitator.verify = refuseAs('insufficient_funds')
      const refused = await gate.run(requestFor(payment))
      expect(said(refused)).to.equal(refusedAs('insufficient_funds'))
      expect([refused.kind === 'paymentRequired' && refused.receiptHeader, chain.probes]).to.deep.equal([null, 0])
      facilitator.verify = valid
      expect(await run(payment)).to.equal('paid')
    })

    it('is a 503 where it did not answer, or failed', async () => {
      facilitator.verify = lost
      expect(await run(pay())).to.equal('facilitator_failed 5')
      expect(logged.some(({ text }) => text?.includes('it is asked whether it is up'))).to.equal(true)
      logged.length = 0
      facilitator.verify = refuseAs('unexpected_error')
      expect(await run(pay())).to.equal('facilitator_failed 5')
      expect(logged).to.deep.equal([])
    })

    it('is refused by its signer once others of its address were refused', async () => {
      facilitator.verify = refuseAs('insufficient_funds')
      await run(pay())
      signer = 'other'
      expect(await run(pay())).to.equal(refusedAs('invalid_exact_evm_signature'))
      expect(calls).to.deep.equal(['verify'])
    })

    it('is limited after thirty refusals of its address', async () => {
      facilitator.verify = refuseAs('insufficient_funds')
      for (let turn = 0; turn < 30; turn++) {
        await run(pay())
        clock.advance(100)
      }
      expect(await run(pay())).to.match(/^too_many_refused \d+$/)
    })

    it('is a 503 while no facilitator is up', async () => {
      await goDown()
      expect(await run(pay())).to.equal('facilitator_down 5')
      expect(await run(null)).to.equal('facilitator_down 5')
      expect(gate.unavailable()).to.include({ reason: 'facilitator_down', retryAfterSec: 5 })
    })
  })

  describe('whose answer nobody waits for', () => {
    it('is not settled, counts as unsold, and can be sent again', async () => {
      const payment = pay()
      for (let turn = 0; turn < 10; turn++)
        expect(await run(turn === 0 ? payment : pay(), { isClientGone: () => true })).to.equal('clientGone')
      expect(calls).to.not.include('settling')
      expect(await run(payment)).to.match(/^too_many_unsold \d+$/)
      clock.advance(60_000)
      expect(await run(payment)).to.equal('paid')
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

  describe('that the facilitator refuses to settle', () => {
    it('is not proven, with a receipt that names the payer, and counts as refused and as unsold', async () => {
      facilitator.settle = settleRefused
      const outcome = await gate.run(requestFor(pay()))
      expect(said(outcome)).to.match(unprovenAs('insufficient_funds'))
      const receipt = outcome.kind === 'paymentRequired' ? (outcome.receiptHeader ?? '') : ''
      expect(JSON.parse(Buffer.from(receipt, 'base64').toString())).to.include({ success: false, network, payer })
      signer = 'other'
      expect(await run(pay()), 'counted as refused').to.equal(refusedAs('invalid_exact_evm_signature'))
      signer = 'payer'
      for (let turn = 0; turn < 9; turn++) await run(pay())
      expect(await run(pay()), 'counted as unsold').to.match(/^too_many_unsold \d+$/)
    })

    it('and cannot come any more is refused for good, with a receipt, and counts as unsold', async () => {
      facilitator.settle = settleRefused
      chain.finding = { kind: 'expired' }
      const outcome = await gate.run(requestFor(pay()))
      expect(said(outcome)).to.equal(refusedAs('insufficient_funds'))
      expect(outcome.kind === 'paymentRequired' && outcome.receiptHeader).to.be.a('string')
      expect(calls.at(-1)).to.equal('released')
      for (let turn = 0; turn < 9; turn++) await run(pay())
      expect(await run(pay())).to.match(/^too_many_unsold \d+$/)
    })

    describe('and is sent again', () => {
      let payment: ReturnType<typeof pay>
      beforeEach(async () => {
        payment = pay()
        facilitator.settle = settleRefused
        await run(payment)
        calls.length = 0
        chain.probes = 0
      })

      it('is settled once more, with the answer made before', async () => {
        facilitator.settle = settled
        const again = requestFor(payment)
        expect(said(await gate.run(again))).to.equal('paid')
        expect([again.runs.count, calls]).to.deep.equal([0, ['verify', 'settling', 'settle', 'settled']])
      })

      it('is paid when its transfer has come', async () => {
        chain.finding = { kind: 'paid', transaction }
        expect(await run(payment)).to.equal('paid')
        expect(calls).to.deep.equal(['settled'])
      })

      it('is paid when its transfer comes while the facilitator says no', async () => {
        facilitator.verify = async () => {
          chain.finding = { kind: 'paid', transaction }
          return { isValid: false, invalidReason: 'nonce_used' }
        }
        expect(await run(payment)).to.equal('paid')
        expect(calls).to.deep.equal(['verify', 'settled'])
      })

      it('is released when the chain says that it has expired', async () => {
        chain.finding = { kind: 'expired' }
        expect(await run(payment)).to.equal(refusedAs('expired'))
        expect(calls).to.deep.equal(['released'])
      })

      it('is told never that nothing was charged, whatever is in the way', async () => {
        facilitator.verify = refuseAs('insufficient_funds')
        expect(await run(payment)).to.match(unprovenAs('insufficient_funds'))
        chain.finding = 'away'
        expect(await run(payment)).to.match(unprovenAs('insufficient_funds'))
        facilitator.verify = lost
        expect(await run(payment)).to.equal('outcome_unknown 5')
        facilitator.verify = refuseAs('unexpected_error')
        expect(await run(payment)).to.equal('outcome_unknown 5')
        signer = 'other'
        expect(await run(payment)).to.match(unprovenAs('invalid_exact_evm_signature'))
        await goDown()
        expect(await run(payment)).to.equal('outcome_unknown 5')
        clock.advance(130_000)
        expect(await run(payment)).to.equal('outcome_unknown 5')
        facilitator.isUp = true
        await gate.refresh()
        expect(await run(payment)).to.match(unprovenAs('valid_before_expired'))
      })

      it('whose answer fails meanwhile is told that it is not known', async () => {
        await gate.close()
        await open()
        const rebuildBody = () => Promise.reject(new RangeError('away'))
        expect(await run(payment, { rebuildBody })).to.equal('outcome_unknown 2')
      })

      it('while the ledger takes nothing is told that it is not known', async () => {
        failures.set('settling', new OperationError('log_unavailable', 'full'))
        expect(await run(payment)).to.equal('outcome_unknown 30')
      })

      it('after the gate was closed is told that it is not known', async () => {
        await gate.close()
        expect(await run(payment)).to.equal('outcome_unknown 30')
      })
    })
  })

  describe('whose settlement has no outcome', () => {
    beforeEach(() => {
      facilitator.settle = lost
    })

    it('is a 503 that asks for the same payment, and is settled again without a second question', async () => {
      const payment = pay()
      expect(await run(payment)).to.equal('outcome_unknown 2')
      calls.length = 0
      await goDown()
      expect(await run(payment), 'while no facilitator is up').to.equal('outcome_unknown 2')
      facilitator.isUp = true
      await gate.refresh()
      facilitator.settle = settled
      expect(await run(payment)).to.equal('paid')
      expect(calls).to.deep.equal(['settling', 'settle', 'settled'])
    })

    it('waits for the chain ten seconds unless told otherwise', async () => {
      const startedAtMs = clock.nowMs()
      await run(pay())
      expect(clock.nowMs() - startedAtMs).to.equal(10_000)
    })

    it('with a transaction that is not confirmed is answered, and again', async () => {
      facilitator.settle = async () => ({
        ...{ success: false, transaction, network },
        errorReason: 'settlement_pending',
      })
      const payment = pay()
      expect(await run(payment)).to.equal('paid')
      calls.length = 0
      expect(await run(payment)).to.equal('paid')
      expect(calls).to.deep.equal([])
    })

    it('with a node that is away is given on trust for twenty payments at a time', async () => {
      chain.finding = 'away'
      const outcomes: string[] = []
      for (let turn = 0; turn < 21; turn++) outcomes.push(await run(pay()))
      expect(outcomes).to.deep.equal([...Array(20).fill('paid'), 'outcome_unknown 2'])
    })
  })

  describe('that a crash interrupted', () => {
    const crashWhileSettling = async (payment: ReturnType<typeof pay>) => {
      facilitator.settle = () => new Promise(() => {})
      void run(payment)
      while (!calls.includes('settle')) await new Promise((resolve) => setImmediate(resolve))
      await open()
      calls.length = 0
      facilitator.settle = settled
    }

    it('is paid when its transfer has come, and its answer is made at its own cut', async () => {
      const payment = pay()
      await crashWhileSettling(payment)
      chain.finding = { kind: 'paid', transaction }
      const cuts: number[] = []
      const rebuildBody = async (cutAtMs: number) => {
        cuts.push(cutAtMs)
        return Buffer.from('{}')
      }
      expect(await run(payment, { rebuildBody })).to.equal('paid')
      expect([calls, cuts]).to.deep.equal([['settled'], [1_001]])
    })

    for (const finding of [{ kind: 'unpaid' }, 'away'] as const)
      it(`is settled again where the chain shows nothing (${finding === 'away' ? finding : finding.kind})`, async () => {
        const payment = pay()
        await crashWhileSettling(payment)
        chain.finding = finding
        expect(await run(payment)).to.equal('paid')
        expect(calls).to.deep.equal(['settling', 'settle', 'settled'])
      })
  })

  describe('with a ledger that fails', () => {
    it('before the money moves is not settled', async () => {
      failures.set('settling', new OperationError('log_unavailable', 'full'))
      expect(await run(pay())).to.equal('ledger_lost 30')
      expect(calls).to.deep.equal(['verify'])
      expect(gate.unavailable()).to.equal(null)
    })

    it('after the money moved is answered', async () => {
      failures.set('settled', new OperationError('log_unavailable', 'full'))
      expect(await run(pay())).to.equal('paid')
    })

    it('that another process owns stops the sale, and says so once', async () => {
      let lostCount = 0
      await gate.close()
      await open({ onLedgerLost: () => void lostCount++ })
      const paid = pay()
      await run(paid)
      failures.set('settling', new OperationError('writer_fenced', 'taken'))
      const first = run(pay())
      const other = run(pay())
      expect([await first, await other]).to.deep.equal(['ledger_lost 30', 'ledger_lost 30'])
      expect(gate.unavailable()).to.include({ reason: 'ledger_lost', retryAfterSec: 30 })
      expect(await run(pay())).to.equal('ledger_lost 30')
      expect(await run(paid)).to.equal('paid')
      expect(lostCount).to.equal(1)
      expect(
        logged.filter(({ level, text }) => level === 'error' && text?.startsWith('another process')),
      ).to.have.length(1)
    })
  })

  describe('that fails in a way nobody foresaw', () => {
    it('before the payment was handed over fails', async () => {
      const failure = new RangeError('of our making')
      const signs = requestFor(pay(), {
        isClientGone: () => {
          throw failure
        },
      })
      expect(await gate.run(signs).catch((error: unknown) => error)).to.equal(failure)
    })

    it('afterwards is told that the outcome is not known', async () => {
      const payment = pay()
      facilitator.settle = settleRefused
      await run(payment)
      facilitator.settle = settled
      const failure = new RangeError('of our making')
      const again = {
        isClientGone: () => {
          throw failure
        },
      }
      expect(await run(payment, again)).to.equal('outcome_unknown 30')
      expect(logged.at(-1)).to.deep.equal({
        level: 'error',
        said: { err: failure, route: bursts.routeId },
        text: 'a purchase failed after its payment was handed over',
      })
    })

    it('after it was released fails', async () => {
      const payment = pay()
      facilitator.settle = settleRefused
      chain.finding = { kind: 'expired' }
      await run(payment)
      const failure = new RangeError('of our making')
      const again = requestFor(payment, {
        isClientGone: () => {
          throw failure
        },
      })
      expect(await gate.run(again).catch((error: unknown) => error)).to.equal(failure)
    })
  })

  describe('of which the answer cannot be read any more', () => {
    it('is told that it has arrived', async () => {
      const payment = pay()
      await run(payment)
      await gate.close()
      await open()
      const failure = new RangeError('away')
      expect(await run(payment, { rebuildBody: () => Promise.reject(failure) })).to.equal('answer_delayed 2')
      expect(logged.at(-1)).to.deep.equal({
        level: 'error',
        said: { err: failure, route: bursts.routeId, transaction },
        text: 'the answer of a settled payment cannot be read',
      })
    })
  })

  describe('that is under way when the gate closes', () => {
    it('is finished, and nothing new is taken', async () => {
      let finish = () => {}
      facilitator.settle = async (...payment) => {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return settled(...payment)
      }
      const bought = run(pay())
      while (!calls.includes('settle')) await new Promise((resolve) => setImmediate(resolve))
      chain.finding = { kind: 'paid', transaction }
      await gate.reconcile()
      expect(calls, 'it resolves itself').to.deep.equal(['verify', 'settling', 'settle'])
      let isClosed = false
      const closed = gate.close().then(() => {
        isClosed = true
      })
      expect(await run(pay())).to.equal('ledger_lost 30')
      expect(await run(null)).to.equal('ledger_lost 30')
      await new Promise((resolve) => setImmediate(resolve))
      expect(isClosed).to.equal(false)
      finish()
      expect(await bought).to.equal('paid')
      await closed
      expect(calls.at(-1)).to.equal('settled')
      logged.length = 0
      await gate.reconcile()
      expect(logged, 'nobody owns the ledger any more').to.deep.equal([])
    })
  })

  describe('that was delivered', () => {
    const buy = async (payment = pay()) => {
      const outcome = await gate.run(requestFor(payment))
      return outcome.kind === 'paid' ? outcome.paymentId : ''
    }

    it('is marked so once, and only when it was settled', async () => {
      const paymentId = await buy()
      gate.markDelivered(paymentId)
      await gate.reconcile()
      gate.markDelivered(paymentId)
      await gate.reconcile()
      gate.markDelivered('unknown')
      await gate.reconcile()
      await new Promise((resolve) => setImmediate(resolve))
      expect(logged.filter(({ level }) => level === 'error')).to.deep.equal([])
      expect(calls).to.deep.equal(['verify', 'settling', 'settle', 'settled', 'delivered'])
      expect(ledger.find(paymentId)).to.include({ state: 'delivered', transaction, atMs: clock.nowMs() })
    })

    it('is given again', async () => {
      const payment = pay()
      gate.markDelivered(await buy(payment))
      await gate.reconcile()
      const again = requestFor(payment)
      expect([said(await gate.run(again)), again.runs.count, chain.probes]).to.deep.equal(['paid', 0, 0])
    })

    it('is given again while the gate closes, and so is what was settled only', async () => {
      const [delivered, waiting] = [pay(), pay()]
      gate.markDelivered(await buy(delivered))
      await run(waiting)
      await gate.reconcile()
      await gate.close()
      expect([await run(delivered), await run(waiting)]).to.deep.equal(['paid', 'paid'])
    })

    it('makes room before what was not', async () => {
      await gate.close()
      // Each answer has nine bytes.
      await open({ answerBytesMax: 20 })
      const [first, second, third] = [pay(), pay(), pay()]
      await run(first)
      gate.markDelivered(await buy(second))
      await run(third)
      const rebuilt: number[] = []
      const rebuildBody = async (cutAtMs: number) => {
        rebuilt.push(cutAtMs)
        return Buffer.from('{"run":1}')
      }
      for (const payment of [first, third]) await run(payment, { rebuildBody })
      expect(rebuilt).to.deep.equal([])
      await run(second, { rebuildBody })
      expect(rebuilt).to.deep.equal([1_001])
    })
  })

  it('keeps the bytes of answers up to 64 MiB unless told otherwise', async () => {
    const [large, small] = [pay(), pay()]
    const ofSize = (size: number) => async () => ({ bytes: Buffer.alloc(size), cutAtMs: 1 })
    let rebuilt = 0
    const rebuildBody = async () => {
      rebuilt += 1
      return Buffer.alloc(1)
    }
    await run(large, { buildBody: ofSize(64 * 1024 * 1024) })
    expect([await run(large, { rebuildBody }), rebuilt]).to.deep.equal(['paid', 0])
    await run(small, { buildBody: ofSize(1) })
    expect([await run(large, { rebuildBody }), rebuilt]).to.deep.equal(['paid', 1])
  })

  describe('that is over', () => {
    it('is forgotten with its answer once it cannot be spent again', async () => {
      const payment = pay()
      const outcome = await gate.run(requestFor(payment))
      const paymentId = outcome.kind === 'paid' ? outcome.paymentId : ''
      gate.markDelivered(paymentId)
      await gate.reconcile()
      clock.advance(181_000)
      await gate.reconcile()
      expect(ledger.find(paymentId)).to.equal(undefined)
    })
  })

  it('is owed from its start on, until it is released, to who sent these bytes for this request', async () => {
    const payment = pay()
    const { requestId } = bursts
    const isOwed = () => gate.isOwed({ payment, requestId })
    expect(isOwed()).to.equal(false)
    const running = run(payment)
    expect(isOwed()).to.equal(true)
    await running
    expect(isOwed()).to.equal(true)
    expect(gate.isOwed({ payment, requestId: 'another' })).to.equal(false)
    expect(gate.isOwed({ payment: null, requestId })).to.equal(false)
    expect(gate.isOwed({ payment: { header: '%%%' }, requestId })).to.equal(false)
    facilitator.settle = settleRefused
    chain.finding = { kind: 'expired' }
    const refused = pay()
    await run(refused)
    expect(gate.isOwed({ payment: refused, requestId })).to.equal(false)
  })

  it('is described by the protocol, the networks and whether payments are live', async () => {
    const described = {
      ...{ protocol: 'x402', version: 2, scheme: 'exact', isLive: true },
      networks: [{ network, asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', payTo: sellerAddress, isLocal: true }],
    }
    expect(gate.describe()).to.deep.equal(described)
    await goDown()
    expect(gate.describe()).to.deep.equal({ ...described, isLive: false })
  })
})
