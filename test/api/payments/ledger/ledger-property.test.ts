/**
 * Tests with random steps that only the process that opened the ledger last can write to it. This must hold
 * even if the log's answers to writes are lost. The ledger in that process's memory must equal the log.
 */

import { expect } from 'chai'
import fc from 'fast-check'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import type { PaymentChanged } from '../../../../schemas/payments.ts'
import { topics } from '../../../../schemas/topics.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { createUnsureLog, type Fate } from '../../../support/log/unsure-log.ts'

type Step = Readonly<{
  do: 'record' | 'applyAndRecord' | 'confirm' | 'takeOver'
  /** The index of the ledger that does the step. 0 is the newest ledger. */
  by: number
  fate: Fate
  paymentId: string
  state: PaymentChanged['state']
}>

const paymentIds = ['a', 'b', 'c']

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('record', 'record', 'applyAndRecord', 'applyAndRecord', 'confirm', 'takeOver'),
  by: fc.nat({ max: 2 }),
  fate: fc.constantFrom('told', 'told', 'written', 'not written'),
  paymentId: fc.constantFrom(...paymentIds),
  state: fc.constantFrom('settling', 'unknown', 'settled', 'released'),
})

describe('the ledger of payments under lost answers', () => {
  it('is what stands in the log for its last owner, and lost for everybody before', async () => {
    const seen = { doubts: 0, lost: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { doubts, lost } = await play(steps)
        seen.doubts += doubts
        seen.lost += lost
      }),
    )
    // The test is useful only if enough steps got no answer, and enough steps were refused because another
    // process owns the ledger.
    expect(seen.doubts).to.be.greaterThan(20)
    expect(seen.lost).to.be.greaterThan(20)
  })
})

type Purchase = Readonly<{
  /** The turns of the event loop before each of its steps. */
  turns: readonly number[]
  outcome: 'settled' | 'unknown' | 'released'
}>

const purchase: fc.Arbitrary<Purchase> = fc.record({
  turns: fc.array(fc.nat({ max: 4 }), { minLength: 4, maxLength: 4 }),
  outcome: fc.constantFrom('settled', 'settled', 'unknown', 'released'),
})

describe('the ledger of payments during several purchases', () => {
  it('is what stands in the log afterwards, whichever appends failed, and counts each settled payment once', async () => {
    const seen = { delivered: 0, lost: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(purchase, { minLength: 1, maxLength: 6 }),
        fc.array(fc.constantFrom<Fate>('told', 'told', 'written', 'not written'), { minLength: 2, maxLength: 12 }),
        async (purchases, fates) => {
          const nowMs = () => 1_000
          const log = createHoledLog({ nowMs })
          const open = async (of: Fate[]) => {
            const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
            return openPaymentLedger({ log: createUnsureLog(log, of), codec, nowMs })
          }
          const ledger = await open(fates)
          const done = await Promise.all(purchases.map((each, index) => buy(ledger, `payment ${index}`, each)))
          await ledger.flush()
          fates.length = 0
          await ledger.confirm()
          const again = await open([])
          const states = purchases.map((_, index) => ledger.find(`payment ${index}`)?.state)
          expect(states).to.deep.equal(purchases.map((_, index) => again.find(`payment ${index}`)?.state))
          expect(ledger.stats()).to.deep.equal(again.stats())
          expect(ledger.stats().totals.n).to.equal(
            states.filter((state) => state === 'settled' || state === 'delivered').length,
          )
          seen.delivered += states.filter((state) => state === 'delivered').length
          seen.lost += done.filter((outcome, index) => outcome !== undefined && states[index] === 'settling').length
        },
      ),
      { numRuns: 200 },
    )
    expect(seen.delivered).to.be.greaterThan(20)
    expect(seen.lost, 'outcomes that no record has').to.be.greaterThan(5)
  })
})

/** Makes the records of a purchase as the gate does. Returns the outcome that was applied, if there was one. */
async function buy(
  ledger: PaymentLedger,
  paymentId: string,
  { turns, outcome }: Purchase,
): Promise<string | undefined> {
  const changeTo = (state: Step['state']) => changeOf({ paymentId, state })
  const wait = async (step: number) => {
    for (let turn = 0; turn < (turns[step] ?? 0); turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await wait(0)
  if (await failureOf(ledger.record(changeTo('settling')))) return undefined
  await wait(1)
  void failureOf(ledger.applyAndRecord(changeTo(outcome)))
  expect(ledger.find(paymentId)?.state).to.equal(outcome)
  await wait(2)
  if (outcome === 'unknown') void failureOf(ledger.applyAndRecord(changeTo('settled')))
  await wait(3)
  if (ledger.find(paymentId)?.state === 'settled') void failureOf(ledger.recordWithNext(changeTo('delivered')))
  return outcome
}

async function play(steps: readonly Step[]): Promise<{ doubts: number; lost: number }> {
  const nowMs = () => 1_000
  const log = createHoledLog({ nowMs })
  const fates: Fate[] = []
  const open = async () => {
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    return openPaymentLedger({ log: createUnsureLog(log, fates), codec, nowMs })
  }
  const ledgers: PaymentLedger[] = [await open()]
  const codes: (string | null)[] = []

  for (const step of steps) {
    if (step.do === 'takeOver') {
      ledgers.unshift(await open())
      continue
    }
    const index = step.by % ledgers.length
    fates.splice(0, 1, step.fate)
    const code = await failureOf(run(ledgers[index] as PaymentLedger, step))
    expect(code).to.be.oneOf(codesOf(step, index === 0))
    codes.push(code)
  }

  fates.length = 0
  const [owner, ...others] = ledgers as [PaymentLedger, ...PaymentLedger[]]
  await owner.confirm()
  for (const other of others) expect(await failureOf(other.confirm())).to.equal('writer_fenced')
  const again = await open()
  for (const paymentId of paymentIds) expect(plain(owner.find(paymentId))).to.deep.equal(plain(again.find(paymentId)))
  expect(owner.stats()).to.deep.equal(again.stats())
  return { doubts: countOf(codes, 'log_unavailable'), lost: countOf(codes, 'writer_fenced') }
}

const run = (ledger: PaymentLedger, step: Step): Promise<void> =>
  step.do === 'confirm' || step.do === 'takeOver' ? ledger.confirm() : ledger[step.do](changeOf(step))

/**
 * Returns the possible error codes of a step. If the answer of a fenced owner was lost, the owner may not see
 * that it was fenced.
 */
function codesOf(step: Step, isOwner: boolean): (string | null)[] {
  const isAnswered = step.do === 'confirm' || step.fate === 'told'
  if (isOwner) return [isAnswered ? null : 'log_unavailable']
  return isAnswered ? ['writer_fenced'] : ['writer_fenced', 'log_unavailable']
}

const countOf = (codes: readonly (string | null)[], code: string): number => codes.filter((its) => its === code).length

const failureOf = (attempt: Promise<void>): Promise<string | null> =>
  attempt.then(
    () => null,
    (error: unknown) => (isOperationError(error) ? error.code : Promise.reject(error)),
  )

const plain = (payment: PaymentChanged | undefined) => payment && { ...payment }

const changeOf = ({ paymentId, state }: Pick<Step, 'paymentId' | 'state'>): PaymentChanged => ({
  paymentId,
  state,
  atMs: 1_000,
  payer: '0xPayer',
  network: 'eip155:8453',
  route: 'GET /v1/rh/bursts/live',
  requestId: 'bursts',
  cutAtMs: 1,
  usdMicros: 10_000,
  validBeforeMs: 121_000,
  transaction: null,
  reason: null,
  signedHash: 'first',
  signatureHash: null,
  clientPaymentId: null,
})
