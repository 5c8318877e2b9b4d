/**
 * Sends one payment with copies, disconnects, crashes, and faults of the facilitator and the chain, in random
 * order.
 * - Money moves at most one time, and at most one answer is sent.
 * - After money has moved, the same signature gets the same answer.
 * - Other signatures get no answer, and do not keep the payer from the answer.
 */
import type { PaymentPayload } from '@x402/core/types'
import { expect } from 'chai'
import fc from 'fast-check'
import type { PaymentOutcome } from '../../../api/payments/payment.ts'
import {
  type FacilitatorDouble,
  type Fault,
  startFacilitatorDouble,
} from '../../support/payments/facilitator-double.ts'
import {
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

const faults: readonly Fault[] = [
  'ok',
  'drop',
  'dropAfterBroadcast',
  'garbage',
  'garbageAfterBroadcast',
  'status500',
  'refuse',
  'refuseAfterBroadcast',
  'pendingAfterBroadcast',
]

type Step =
  | Readonly<{
      do: 'send' | 'sendAndLeave' | 'sendElsewhere' | 'crash' | 'reconcile' | 'wait' | 'chainDown' | 'chainUp'
    }>
  | Readonly<{ do: 'sendAsStranger'; stranger: number }>
  | Readonly<{ do: 'verifyFault' | 'settleFault'; fault: Fault }>

const fault = fc.constantFrom(...faults)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: fc.constant({ do: 'send' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('sendAndLeave', 'sendElsewhere', 'crash', 'reconcile', 'wait', 'chainDown', 'chainUp'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sendAsStranger' as const), stranger: fc.nat({ max: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('verifyFault', 'settleFault', 'settleFault'), fault }) },
)

describe('the payment gate under any sequence of faults', () => {
  let double: FacilitatorDouble

  before(async () => {
    double = await startFacilitatorDouble()
  })
  after(() => double.stop())

  it('charges once at most, answers in one way at most, and owes nothing in the end', async () => {
    const seen = { moved: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
        seen.moved += await play(double, steps)
      }),
      { numRuns: 60 },
    )
    // The test is useful only if money moved. This happens in about half of the runs.
    expect(seen.moved).to.be.greaterThan(5)
  })
})

/**
 * Runs the steps with one payment, checks the rules at the top of this file, and returns the number of
 * transfers.
 */
async function play(double: FacilitatorDouble, steps: readonly Step[]): Promise<number> {
  const clock = createTestClock()
  const world = { log: memoryLog(clock), clock }
  const movedBefore = double.transfers.size
  const services: PaidService[] = [await openPaidService(double, world)]
  const gate = () => (services.at(-1) as PaidService).gate
  const signed = await signFor(gate())
  const payment = toHeader(signed)
  const strangers = strangersOf(signed).concat(withOtherPayer(signed)).map(toHeader)
  const ofStrangers: Promise<PaymentOutcome>[] = []
  const outcomes: Promise<PaymentOutcome>[] = []
  let cuts = 0
  const bytesAt = (cutAtMs: number) => Buffer.from(`{"cut":${cutAtMs}}`)
  const request = {
    buildBody: async () => ({ bytes: bytesAt(++cuts), cutAtMs: cuts }),
    rebuildBody: async (cutAtMs: number) => bytesAt(cutAtMs),
  }
  const send = (overrides: object = {}, header = payment) =>
    gate().run(requestFor(header, { ...request, ...overrides }))

  const elsewhere = { requestId: 'another' }

  for (const step of steps) {
    switch (step.do) {
      case 'send':
        outcomes.push(send())
        break
      case 'sendAndLeave':
        outcomes.push(send({ isClientGone: () => true }))
        break
      case 'sendElsewhere':
        outcomes.push(send(elsewhere))
        break
      case 'sendAsStranger':
        ofStrangers.push(send({}, strangers[step.stranger]))
        break
      case 'crash':
        services.push(await openPaidService(double, world))
        break
      case 'reconcile':
        await gate().reconcile()
        break
      case 'wait':
        if (outcomes.length > 0) await Promise.race(outcomes)
        break
      case 'chainDown':
      case 'chainUp':
        double.chain.isDown = step.do === 'chainDown'
        break
      default:
        double[step.do === 'verifyFault' ? 'verifyFaults' : 'settleFaults'].push(step.fault)
    }
  }
  const answers = await Promise.all(outcomes)
  await Promise.all(ofStrangers)
  double.verifyFaults.length = 0
  double.settleFaults.length = 0
  double.chain.isDown = false
  clock.advance(11_000)
  await gate().refresh()

  const moved = double.transfers.size - movedBefore
  // The same payment is sent with two requests. The request that came first has bought its answer, so the
  // other is refused.
  const last = moved > 0 ? [await send(), await send(elsewhere)] : []
  const bodies = [...answers, ...last].flatMap((outcome) => (outcome.kind === 'paid' ? [outcome.bytes.toString()] : []))
  expect(double.transfers.size - movedBefore).to.be.at.most(1)
  expect(new Set(bodies).size).to.be.at.most(1)
  if (moved > 0) expect(last.map(({ kind }) => kind).sort()).to.deep.equal(['paid', 'paymentRequired'])
  for (const stranger of strangers) ofStrangers.push(send({}, stranger), send(elsewhere, stranger))
  for (const { kind } of await Promise.all(ofStrangers)) expect(kind).to.be.oneOf(['paymentRequired', 'unavailable'])
  expect(double.transfers.size - movedBefore).to.equal(moved)
  await Promise.all(services.map(({ gate }) => gate.close()))
  return moved
}

/** Returns a payment with the same nonce and signature, but with another payer. */
function withOtherPayer(signed: PaymentPayload): PaymentPayload {
  const authorization = { ...(signed.payload.authorization as object), from: sellerAddress }
  return { ...signed, payload: { ...signed.payload, authorization } }
}
