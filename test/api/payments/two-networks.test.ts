/** Tests a payment gate for both networks, with a test facilitator in the same process. */

import type { Address } from '@solana/kit'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentRequirements } from '@x402/core/types'
import { expect } from 'chai'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import type { PaymentGate, PaymentOutcome } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import type { ChainFinding } from '../../../api/payments/payment-network.ts'
import { svmNetwork } from '../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { topics } from '../../../schemas/topics.ts'
import { createTestClock, memoryLog, requestFor, sellerAddress, sign } from '../../support/payments/paid-service.ts'
import {
  makeTransaction,
  signerOfSeed,
  svmFeePayer,
  svmSeller,
  toSvmPayload,
  withSignature,
} from '../../support/payments/svm-payments.ts'
import { forgottenAs, refusedAs } from './purchase-world.ts'

const payer = await signerOfSeed('a buyer')
const newFeePayer = (await signerOfSeed('another fee payer')).address
const rpcUrl = 'http://127.0.0.1:1'
type Kind = Awaited<ReturnType<FacilitatorClient['getSupported']>>['kinds'][number]

const evm = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' as const }
const svm = (extra?: Record<string, unknown>): Kind => ({
  ...{ x402Version: 2, scheme: 'exact', network: svmNetwork },
  ...(extra ? { extra } : {}),
})
const usedElsewhere =
  'This payment was used before: for another request, with another signature, or outside this service. Sign a new payment'
const outdated = 'invalid_exact_svm_fee_payer_not_managed_by_facilitator'

describe('payments on two networks', () => {
  let clock: ReturnType<typeof createTestClock>
  let gate: PaymentGate
  let facilitator: { kinds: Kind[]; managed: string[]; asked: number; verified: PaymentRequirements[]; settled: number }
  /** The reason why the facilitator refuses a verification. Null if the facilitator accepts. */
  let refusedFor: string | null
  let unsettledFor: string | null
  let finding: ChainFinding
  let memos = 0

  beforeEach(async () => {
    clock = createTestClock()
    refusedFor = null
    unsettledFor = null
    finding = { kind: 'unpaid' }
    facilitator = {
      ...{ kinds: [svm({ feePayer: svmFeePayer }), evm], managed: [svmFeePayer] },
      ...{ asked: 0, verified: [], settled: 0 },
    }
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    const { nowMs, sleep } = clock
    const solana = await createSvmNetwork({ payTo: svmSeller, rpcUrl, nowMs })
    gate = await createPaymentGate({
      facilitators: [facilitatorOf()],
      networks: [
        { ...createEvmNetwork({ network: 'eip155:8453', payTo: sellerAddress, rpcUrl }), probe: async () => finding },
        { ...solana, probe: async () => finding },
      ],
      ledger: await openPaymentLedger({ log: memoryLog(clock), codec, nowMs }),
      ...{ publicBaseUrl: 'https://data.example', nowMs, sleep },
      logger: { info: () => {}, warn: () => {}, error: () => {} },
    })
  })
  afterEach(() => gate.close())

  const facilitatorOf = (): FacilitatorClient => ({
    getSupported: async () => {
      facilitator.asked += 1
      return { kinds: facilitator.kinds, extensions: [], signers: {} }
    },
    verify: async (_, requirements) => {
      facilitator.verified.push(requirements)
      if (refusedFor !== null) return { isValid: false, invalidReason: refusedFor }
      const isManaged =
        requirements.network !== svmNetwork || facilitator.managed.includes(String(requirements.extra.feePayer))
      return isManaged ? { isValid: true, payer: payer.address } : { isValid: false, invalidReason: outdated }
    },
    settle: async (_, { network }) => {
      facilitator.settled += 1
      if (unsettledFor !== null) return { success: false, errorReason: unsettledFor, transaction: '', network }
      return { success: true, transaction: network === svmNetwork ? '2'.repeat(88) : `0x${'2'.repeat(64)}`, network }
    },
  })
  const offered = async () => {
    const answer = await gate.run(requestFor(null))
    return answer.kind === 'paymentRequired' ? decodePaymentRequiredHeader(answer.header).accepts : []
  }
  const feePayerIn = (outcome: PaymentOutcome) =>
    outcome.kind === 'paymentRequired'
      ? outcome.body.accepts.find(({ network }) => network === svmNetwork)?.extra.feePayer
      : outcome.kind
  const signFor = async (feePayer: Address = svmFeePayer) =>
    toSvmPayload(await makeTransaction({ payer, feePayer, memo: String(++memos) }), { extra: { feePayer } })
  const pay = (payload: object) =>
    gate.run(requestFor({ header: encodePaymentSignatureHeader(payload as never) }, { clientAddress: String(++memos) }))
  const rotate = () => {
    facilitator.kinds = [evm, svm({ feePayer: newFeePayer })]
    facilitator.managed = [newFeePayer]
  }

  it('are offered in one 402, Base first', async () => {
    const accepts = await offered()
    expect(accepts.map(({ network }) => network)).to.deep.equal(['eip155:8453', svmNetwork])
    expect(accepts[1]).to.deep.equal({
      ...{ scheme: 'exact', network: svmNetwork, amount: '10000' },
      ...{ asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', payTo: svmSeller },
      ...{ maxTimeoutSeconds: 120, extra: { feePayer: svmFeePayer } },
    })
  })

  for (const [name, kinds, networks] of [
    ['Solana', [evm], ['eip155:8453']],
    ['Base', [svm({ feePayer: svmFeePayer })], [svmNetwork]],
    ['a fee payer of Solana', [evm, svm()], ['eip155:8453']],
  ] as const)
    it(`leave out what has no facilitator (${name}) and sell on the other`, async () => {
      facilitator.kinds = [...kinds]
      await gate.refresh()
      expect((await offered()).map(({ network }) => network)).to.deep.equal(networks)
      const outcome = await pay(await signFor())
      expect(outcome.kind).to.equal(networks.some((network) => network === svmNetwork) ? 'paid' : 'paymentRequired')
    })

  it('are one payment however often one message comes, in whatever bytes', async () => {
    await offered()
    const payload = await signFor()
    const wire = String(payload.payload.transaction)
    const copies = [1, 2, 3, 4].map((fill) => withSignature(wire, svmFeePayer, new Uint8Array(64).fill(fill)))
    const payloads = [wire, ...copies].map((transaction) => ({ ...payload, payload: { transaction } }))
    const outcomes = [...(await Promise.all(payloads.map(pay))), ...(await Promise.all(payloads.map(pay)))]
    const bodies = outcomes.map((outcome) => (outcome.kind === 'paid' ? outcome.bytes.toString() : outcome.kind))
    expect(new Set(bodies)).to.deep.equal(new Set(['{"run":1}']))
    expect([facilitator.verified.length, facilitator.settled]).to.deep.equal([1, 1])
  })

  it('ask nobody about what the payer did not sign', async () => {
    await offered()
    const payload = await signFor()
    const transaction = withSignature(String(payload.payload.transaction), payer.address, new Uint8Array(64).fill(1))
    for (let time = 0; time < 50; time++) {
      const outcome = await pay({ ...payload, payload: { transaction } })
      expect(outcome.kind === 'paymentRequired' && outcome.body.error).to.include('payload_signature_invalid')
    }
    expect([facilitator.verified.length, facilitator.asked]).to.deep.equal([0, 1])
    expect((await pay(payload)).kind).to.equal('paid')
  })

  it('count for the offer that the buyer was shown, also when the facilitator has named another fee payer since', async () => {
    await offered()
    const payload = await signFor()
    facilitator.kinds = [evm, svm({ feePayer: newFeePayer })]
    await gate.refresh()
    expect(feePayerIn(await gate.run(requestFor(null)))).to.equal(newFeePayer)
    expect((await pay(payload)).kind).to.equal('paid')
    expect(facilitator.verified.map(({ extra }) => extra.feePayer)).to.deep.equal([svmFeePayer])
    clock.advance(300_001)
    expect((await pay(await signFor())).kind, 'and not for ever').to.equal('paymentRequired')
    expect(facilitator.verified).to.have.length(1)
  })

  it('get a 402 with the new fee payer when the facilitator no longer has the old one, and the next is taken', async () => {
    await offered()
    rotate()
    const outcome = await pay(await signFor())
    expect(feePayerIn(outcome)).to.equal(newFeePayer)
    expect((await pay(await signFor(newFeePayer))).kind).to.equal('paid')
    expect(facilitator.asked).to.equal(2)
  })

  it('make us ask the facilitator what it supports once a second at most, whatever comes', async () => {
    await offered()
    facilitator.managed = []
    const storm = async () => {
      for (let time = 0; time < 10; time++) await pay(await signFor())
      await Promise.all((await Promise.all(Array.from({ length: 10 }, () => signFor()))).map(pay))
    }
    await storm()
    expect(facilitator.asked).to.equal(2)
    clock.advance(1_000)
    await storm()
    expect(facilitator.asked).to.equal(3)
  })

  const signOn = {
    Base: async () => {
      const answer = await gate.run(requestFor(null))
      return answer.kind === 'paymentRequired' ? sign(answer.body) : expect.fail(answer.kind)
    },
    Solana: async () => {
      await offered()
      return signFor()
    },
  }
  const errorOf = (outcome: PaymentOutcome) =>
    outcome.kind === 'paymentRequired' ? outcome.body.error : expect.fail(outcome.kind)
  const usedBefore = 'invalid_exact_evm_nonce_already_used'
  const notSimulated = 'invalid_exact_svm_transaction_simulation_failed'

  for (const [network, reason] of [
    ['Base', usedBefore],
    ['Solana', notSimulated],
  ] as const) {
    it(`are not called uncharged once they were charged and forgotten: ${network}`, async () => {
      const payload = await signOn[network]()
      const sold = await pay(payload)
      if (sold.kind === 'paid') gate.markDelivered(sold.paymentId)
      refusedFor = reason
      clock.advance(13 * 60_000)
      await gate.reconcile()
      const again = errorOf(await pay(payload))
      expect([sold.kind, again]).to.deep.equal([
        'paid',
        forgottenAs(network === 'Base' ? 'valid_before_expired' : reason),
      ])
    })

    it(`are not called uncharged where their transfer came about elsewhere: ${network}`, async () => {
      refusedFor = reason
      const error = errorOf(await pay(await signOn[network]()))
      expect(error).to.equal(network === 'Base' ? usedElsewhere : forgottenAs(reason))
    })

    it(`are called uncharged once the chain has proven it: ${network}`, async () => {
      const payload = await signOn[network]()
      finding = { kind: 'expired' }
      unsettledFor = 'insufficient_funds'
      expect(errorOf(await pay(payload))).to.equal(refusedAs(unsettledFor))
      refusedFor = reason
      expect(errorOf(await pay(payload)), 'again').to.equal(network === 'Base' ? usedElsewhere : refusedAs(reason))
    })
  }

  it('are called uncharged on Base while their time runs and their nonce is not used', async () => {
    refusedFor = 'insufficient_funds'
    expect(errorOf(await pay(await signOn.Base()))).to.equal(refusedAs(refusedFor))
  })
})
