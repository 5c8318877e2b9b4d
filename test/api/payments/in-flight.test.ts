import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createInFlight } from '../../../api/payments/in-flight.ts'
import type { PaymentOutcome } from '../../../api/payments/payment.ts'
import type { ReadPayment } from '../../../api/payments/payment-reader.ts'

const paymentOf = (payer: string, clientPaymentId: string | null) =>
  ({ identity: { payer }, clientPaymentId }) as unknown as ReadPayment

/** Returns a running purchase, which ends when the test calls `give` or `fail`. */
function running() {
  const ends: { give: () => void; fail: () => void } = { give: () => {}, fail: () => {} }
  const outcome = new Promise<PaymentOutcome>((resolve, reject) => {
    ends.give = () => resolve({} as PaymentOutcome)
    ends.fail = () => reject(new RangeError('it failed'))
  })
  outcome.catch(() => {})
  return { purchase: { requestId: 'r', signedHash: null, clients: new Set<() => boolean>(), outcome }, ...ends, ends }
}

describe('running purchases', () => {
  it('are found by their payment, and by the identifier of their payer', () => {
    const inFlight = createInFlight()
    const { purchase } = running()
    inFlight.add('p', paymentOf('0xa', 'id'), purchase)
    expect(inFlight.find('p')).to.equal(purchase)
    expect(inFlight.find('q')).to.equal(undefined)
    expect(inFlight.findNamed(paymentOf('0xa', 'id'))).to.equal(purchase)
    for (const other of [paymentOf('0xa', 'other'), paymentOf('0xb', 'id'), paymentOf('0xa', null)])
      expect(inFlight.findNamed(other)).to.equal(undefined)
    expect(inFlight.all()).to.deep.equal([purchase.outcome])
  })

  it('without an identifier are not found by name', () => {
    const inFlight = createInFlight()
    inFlight.add('p', paymentOf('0xa', null), running().purchase)
    expect(inFlight.findNamed(paymentOf('0xa', null))).to.equal(undefined)
    expect(inFlight.all()).to.have.lengthOf(1)
  })

  for (const end of ['give', 'fail'] as const)
    it(`are forgotten when their outcome is known: ${end}`, async () => {
      const inFlight = createInFlight()
      const { purchase, ends } = running()
      inFlight.add('p', paymentOf('0xa', 'id'), purchase)
      ends[end]()
      await nextTurn()
      expect([inFlight.find('p'), inFlight.findNamed(paymentOf('0xa', 'id')), inFlight.all()]).to.deep.equal([
        ...[undefined, undefined, []],
      ])
    })

  it('do not take with them a later purchase of the same payment', async () => {
    const inFlight = createInFlight()
    const [first, second] = [running(), running()]
    for (const { purchase } of [first, second]) inFlight.add('p', paymentOf('0xa', 'id'), purchase)
    first.ends.give()
    await nextTurn()
    expect(inFlight.find('p')).to.equal(second.purchase)
    expect(inFlight.findNamed(paymentOf('0xa', 'id'))).to.equal(second.purchase)
  })
})
