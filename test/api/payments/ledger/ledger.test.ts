import { expect } from 'chai'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../../api/payments/ledger/ledger.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../../infra/codec/schema-codec.ts'
import type { OperationError } from '../../../../infra/errors.ts'
import type { Log } from '../../../../infra/log/log.ts'
import type { PaymentChanged } from '../../../../schemas/payments.ts'
import { topics } from '../../../../schemas/topics.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { createUnsureLog } from '../../../support/log/unsure-log.ts'

const firstDayAtMs = Date.UTC(2026, 10, 20, 23, 59)

const change = (changes: Partial<PaymentChanged> = {}): PaymentChanged => ({
  paymentId: 'eip155:8453|0xasset|0xpayer|0x1',
  state: 'settling',
  atMs: firstDayAtMs,
  payer: '0xPayer',
  network: 'eip155:8453',
  route: 'GET /v1/rh/bursts/live',
  requestId: 'bursts',
  cutAtMs: 1,
  usdMicros: 10_000,
  validBeforeMs: firstDayAtMs + 120_000,
  transaction: null,
  reason: null,
  signedHash: 'first',
  signatureHash: null,
  clientPaymentId: null,
  ...changes,
})

describe('the ledger of payments', () => {
  let clock: { atMs: number }
  let log: ReturnType<typeof createHoledLog>
  const nowMs = () => clock.atMs
  const open = async (on: Log = log): Promise<PaymentLedger> => {
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    return openPaymentLedger({ log: on, codec, nowMs })
  }
  const failureOf = (attempt: Promise<void>) => attempt.then(() => null).catch((error: OperationError) => error.code)

  beforeEach(() => {
    clock = { atMs: firstDayAtMs }
    log = createHoledLog({ nowMs })
  })

  it('is the same after it was opened again', async () => {
    const ledger = await open()
    const settled = change({ state: 'settled', transaction: '0xabc' })
    for (const record of [change(), settled, change({ paymentId: 'b|b|b|b', state: 'unknown' })])
      await ledger.record(record)
    const again = await open()
    expect({ ...again.find(settled.paymentId) }).to.deep.equal(settled)
    expect(again.unresolved().map(({ paymentId }) => paymentId)).to.deep.equal(['b|b|b|b'])
    expect(again.stats()).to.deep.equal(ledger.stats())
  })

  it('has one owner: the one before is fenced and writes nothing more', async () => {
    const before = await open()
    const owner = await open()
    const failure = await before.record(change()).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'writer_fenced' })
    expect(before.find(change().paymentId)).to.equal(undefined)
    await owner.record(change())
  })

  it('learns that it has another owner without a record', async () => {
    const before = await open()
    await before.confirm()
    const owner = await open()
    expect(await failureOf(before.confirm())).to.equal('writer_fenced')
    await owner.confirm()
  })

  for (const fate of ['written', 'not written'] as const)
    for (const goOn of ['record', 'confirm'] as const)
      it(`holds what stands in the log after a record that was ${fate} went without an answer, with the next ${goOn}`, async () => {
        const ledger = await open(createUnsureLog(log, ['told', fate]))
        await ledger.record(change())
        const settled = change({ state: 'settled', transaction: '0xabc' })
        expect(await failureOf(ledger.record(settled))).to.equal('log_unavailable')
        if (goOn === 'confirm') await ledger.confirm()
        else await ledger.record(change({ paymentId: 'next' }))
        expect(ledger.find(settled.paymentId)?.state).to.equal(fate === 'written' ? 'settled' : 'settling')
        expect(ledger.stats()).to.deep.equal((await open()).stats())
      })

  it('applies a change at once where it need not be on the log first, and one time', async () => {
    const ledger = await open()
    await ledger.record(change())
    const settled = change({ state: 'settled', transaction: '0xabc' })
    const recorded = ledger.applyAndRecord(settled)
    expect(ledger.find(settled.paymentId)).to.equal(settled)
    expect((await open()).find(settled.paymentId)?.state).to.equal('settling')
    expect(await failureOf(recorded)).to.equal('writer_fenced')

    const owner = await open()
    const delivered = owner.applyAndRecord(settled).then(() => owner.recordWithNext({ ...settled, state: 'delivered' }))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await owner.flush()
    await delivered
    const again = await open()
    expect(again.find(settled.paymentId)?.state).to.equal('delivered')
    expect(owner.stats()).to.deep.equal(again.stats())
    expect(owner.stats().totals.n).to.equal(1)
  })

  for (const fate of ['written', 'not written'] as const)
    it(`returns to the log after a change that it had applied was ${fate} and went without an answer`, async () => {
      const ledger = await open(createUnsureLog(log, ['told', fate]))
      await ledger.record(change())
      const settled = change({ state: 'settled', transaction: '0xabc' })
      expect(await failureOf(ledger.applyAndRecord(settled))).to.equal('log_unavailable')
      expect(ledger.find(settled.paymentId)?.state).to.equal('settled')
      await ledger.confirm()
      expect(ledger.find(settled.paymentId)?.state).to.equal(fate === 'written' ? 'settled' : 'settling')
      expect(ledger.stats()).to.deep.equal((await open()).stats())
    })

  it('returns to the log after a change that it had applied cannot be encoded', async () => {
    const ledger = await open()
    await ledger.record(change())
    const broken = change({ state: 'settled', usdMicros: 'much' as never })
    expect(await ledger.applyAndRecord(broken).catch(() => 'failed')).to.equal('failed')
    await ledger.confirm()
    expect(ledger.find(broken.paymentId)?.state).to.equal('settling')
    await ledger.record(change({ state: 'settled' }))
    expect(ledger.stats()).to.deep.equal((await open()).stats())
  })

  it('counts a delivered payment whose settlement was applied and is not on the log', async () => {
    const ledger = await open(createUnsureLog(log, ['told', 'not written']))
    await ledger.record(change())
    expect(await failureOf(ledger.applyAndRecord(change({ state: 'settled' })))).to.equal('log_unavailable')
    await Promise.all([ledger.recordWithNext(change({ state: 'delivered' })), ledger.flush()])
    expect(ledger.stats().totals.n).to.equal(1)
    expect((await open()).stats()).to.deep.equal(ledger.stats())
    expect(ledger.hasBought('0xpayer')).to.equal(true)
  })

  it('has a change that it applied while an earlier record was in doubt', async () => {
    const ledger = await open(createUnsureLog(log, ['told', 'not written', 'told']))
    await ledger.record(change())
    const settled = change({ state: 'settled', transaction: '0xabc' })
    const failed = failureOf(ledger.record(change({ paymentId: 'other' })))
    await new Promise((resolve) => setImmediate(resolve))
    const recorded = ledger.applyAndRecord(settled)
    expect(await failed).to.equal('log_unavailable')
    await recorded
    expect(ledger.find(settled.paymentId)).to.equal(settled)
    expect(ledger.stats()).to.deep.equal((await open()).stats())
  })

  for (const fate of ['written', 'not written'] as const)
    it(`is not taken back from who took it over after a record that was ${fate} went without an answer`, async () => {
      const before = await open(createUnsureLog(log, [fate]))
      expect(await failureOf(before.record(change()))).to.equal('log_unavailable')
      const owner = await open()
      await owner.record(change({ paymentId: 'of the owner' }))
      for (const attempt of [before.record(change()), before.record(change()), before.confirm()])
        expect(await failureOf(attempt)).to.equal('writer_fenced')
      await owner.record(change({ paymentId: 'of the owner', state: 'settled' }))
      await owner.confirm()
    })

  for (const [state, forgottenAfterMs] of [
    ['delivered', 600_000],
    ['released', 180_000],
    ['settled', 86_400_000],
    ['settling', Number.POSITIVE_INFINITY],
    ['unknown', Number.POSITIVE_INFINITY],
  ] as const)
    it(`remembers a payment that is ${state} for ${forgottenAfterMs / 1000} s`, async () => {
      const ledger = await open()
      await ledger.record(change({ state }))
      clock.atMs = firstDayAtMs + Math.min(forgottenAfterMs, 1e9)
      expect(ledger.sweep()).to.deep.equal([])
      clock.atMs += 1
      expect(ledger.sweep()).to.have.length(forgottenAfterMs < 1e9 ? 1 : 0)
    })

  it('counts settled payments once each, by UTC day and route, and failures by code', async () => {
    const ledger = await open()
    const next = firstDayAtMs + 60_000
    const records = [
      change({ state: 'settled' }),
      change({ state: 'settled' }),
      change({ state: 'delivered' }),
      change({ paymentId: 'b', state: 'unknown', reason: 'outcome_unknown' }),
      change({ paymentId: 'b', state: 'settled', atMs: next, route: 'GET /v1/rh/pools/new', usdMicros: 5_000 }),
      change({ paymentId: 'c', state: 'released', atMs: next, reason: 'insufficient_balance' }),
    ]
    for (const record of records) await ledger.record(record)
    expect(ledger.stats()).to.deep.equal({
      totals: { n: 2, usd: 0.015 },
      days: [
        { day: '2026-11-20', n: 1, usd: 0.01, routes: { 'GET /v1/rh/bursts/live': { n: 1, usd: 0.01 } } },
        { day: '2026-11-21', n: 1, usd: 0.005, routes: { 'GET /v1/rh/pools/new': { n: 1, usd: 0.005 } } },
      ],
      payFailures: [
        { day: '2026-11-20', route: 'GET /v1/rh/bursts/live', code: 'outcome_unknown', n: 1 },
        { day: '2026-11-21', route: 'GET /v1/rh/bursts/live', code: 'insufficient_balance', n: 1 },
      ],
    })
  })
})
