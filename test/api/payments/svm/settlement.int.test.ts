/** Tests settlements on a local Solana chain when the facilitator's answers are lost. */
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload } from '@x402/core/types'
import { x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { expect } from 'chai'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../../api/payments/payment-gate.ts'
import { svmNetwork } from '../../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../../api/payments/svm/network.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { solanaSigner } from '../../../../infra/development/payments/solana-dollar.ts'
import { type LocalPayments, startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { bursts, requestFor, toHeader } from '../../../support/payments/paid-service.ts'

describe('payments settled on a local Solana chain', () => {
  let money: LocalPayments
  let solana: NonNullable<LocalPayments['solana']>
  let client: x402Client
  let gate: PaymentGate
  let ledger: PaymentLedger
  /**
   * The test's replacement for the facilitator's `settle`, which the payment gate calls. The parameter `real`
   * calls the real facilitator.
   */
  let settle: (real: () => Promise<unknown>) => Promise<unknown>
  let aheadMs: number
  const nowMs = () => Date.now() + aheadMs
  const quiet = () => {}

  before(async () => {
    money = await startLocalPayments()
    if (money.solana === null) return expect.fail('the local Solana chain did not start')
    solana = money.solana
    const scheme = new ExactSvmScheme(await solanaSigner('buyer'), { rpcUrl: solana.rpcUrl })
    client = new x402Client().register(svmNetwork, scheme)
  })
  after(() => money?.stop())
  beforeEach(async () => {
    aheadMs = 0
    settle = (real) => real()
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    ledger = await openPaymentLedger({ log: createMemoryLog({ nowMs }), codec, nowMs })
    const real = createHttpFacilitator({ url: money.facilitatorUrl })
    const facilitator: FacilitatorClient = {
      ...real,
      settle: async (...payment) => (await settle(() => real.settle(...payment))) as never,
    }
    gate = await createPaymentGate({
      facilitators: [facilitator],
      networks: [await createSvmNetwork({ ...solana, isLocal: true, nowMs })],
      ...{ ledger, publicBaseUrl: 'https://data.example', nowMs, reconcileMs: 300 },
      sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
      logger: { info: quiet, warn: quiet, error: quiet },
    })
  })
  afterEach(() => gate.close())

  const earned = async (work: () => Promise<void>): Promise<bigint> => {
    const before = await solana.usdcBalanceOf(solana.payTo)
    await work()
    return (await solana.usdcBalanceOf(solana.payTo)) - before
  }
  const sign = async (): Promise<PaymentPayload> => {
    const answer = await gate.requirePayment(bursts)
    return answer.kind === 'paymentRequired' ? client.createPaymentPayload(answer.body) : expect.fail(answer.kind)
  }
  const pay = async (payload: PaymentPayload) => gate.run(requestFor(toHeader(payload)))
  const pass = async (durationMs: number) => {
    aheadMs += durationMs
    await solana.advance(durationMs)
  }

  it('are found by their message when the connection is lost after the transfer', async () => {
    const moved = await earned(async () => {
      settle = async (real) => {
        await real()
        throw new TypeError('connection lost')
      }
      const payload = await sign()
      expect((await pay(payload)).kind).to.equal('paid')
      expect(ledger.unresolved()).to.deep.equal([])
      settle = () => expect.fail()
      expect((await pay(payload)).kind).to.equal('paid')
    })
    expect(moved).to.equal(10_000n)
  })

  it('buy their answer by a transfer that is sent later, and are given up when it never can be', async () => {
    const moved = await earned(async () => {
      let send = async (): Promise<unknown> => null
      settle = (real) => {
        send = real
        throw new TypeError('connection lost')
      }
      const [late, never] = [await sign(), await sign()]
      expect((await pay(late)).kind).to.equal('unavailable')
      await send()
      expect((await pay(never)).kind).to.equal('unavailable')
      await gate.reconcile()
      expect(ledger.unresolved()).to.have.length(1)
      expect((await pay(late)).kind).to.equal('paid')
      await pass(119_000)
      await gate.reconcile()
      expect(ledger.unresolved(), 'its blockhash is dead, and the node could lag').to.have.length(1)
      await pass(20_000)
      await gate.reconcile()
      expect(ledger.unresolved()).to.deep.equal([])
      expect((await pay(never)).kind).to.equal('paymentRequired')
    })
    expect(moved).to.equal(10_000n)
  })

  it('are answered again ten minutes later, when the chain no longer takes them', async () => {
    const moved = await earned(async () => {
      const payload = await sign()
      const first = await pay(payload)
      await pass(600_000)
      await gate.reconcile()
      settle = () => expect.fail()
      const again = await pay(payload)
      expect([first.kind, again.kind]).to.deep.equal(['paid', 'paid'])
      expect(again).to.deep.equal(first)
    })
    expect(moved).to.equal(10_000n)
  })
})
