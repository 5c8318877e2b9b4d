import type { FacilitatorClient } from '@x402/core/server'
import { expect } from 'chai'
import type { Settlement } from '../../../../api/payments/facilitator/settlement.ts'
import { createSettlementAudit, type SettlementAudit } from '../../../../api/payments/facilitator/settlement-audit.ts'
import type { ChainFinding, PaymentNetwork, ProbedPayment } from '../../../../api/payments/payment-network.ts'
import type { PaymentChanged } from '../../../../schemas/payments.ts'

const transaction = `0x${'7e'.repeat(32)}`
const paid: Settlement = { kind: 'paid', transaction }

describe('the comparison of settlements with the chain', () => {
  let atMs: number
  let audit: SettlementAudit
  let findings: Record<string, ChainFinding['kind'] | 'away'>
  let probed: ProbedPayment[]
  let distrusted: FacilitatorClient[]
  let failed: string[]
  let errors: object[]
  let warned: object[]
  const [first, second] = [{}, {}] as [FacilitatorClient, FacilitatorClient]

  const networkOf = (network: string) =>
    ({
      network,
      probe: async (payment: ProbedPayment): Promise<ChainFinding> => {
        probed.push(payment)
        const kind = findings[payment.paymentId] ?? findings[network] ?? 'paid'
        if (kind === 'away') throw new TypeError('the node is away')
        return kind === 'paid' ? { kind, transaction } : { kind }
      },
    }) as Partial<PaymentNetwork> as PaymentNetwork
  const sell = (paymentId: string, { network = 'eip155:8453', by = first as FacilitatorClient | null } = {}) => {
    const payment = { paymentId, network, route: 'GET /v1/x', validBeforeMs: atMs + 120_000, transaction: null }
    audit.add(payment as Partial<PaymentChanged> as PaymentChanged, paid, {
      settledBy: (name) => (name === network ? (by ?? undefined) : undefined),
    })
  }
  const runAfter = async (durationMs: number) => {
    atMs += durationMs
    await audit.run()
  }
  const ids = () => probed.splice(0).map(({ paymentId }) => paymentId)
  const counts = (changes: object) => ({ waiting: 0, found: 0, missing: 0, unchecked: 0, ...changes })

  beforeEach(() => {
    atMs = 1_000_000
    findings = {}
    probed = []
    distrusted = []
    failed = []
    errors = []
    warned = []
    audit = createSettlementAudit({
      networks: [networkOf('eip155:8453'), networkOf('solana:5')],
      facilitators: [second, first],
      distrust: (facilitator) => void distrusted.push(facilitator),
      noteFailed: ({ routeId }, code) => void failed.push(`${routeId} ${code}`),
      nowMs: () => atMs,
      logger: {
        error: ((context: object) => errors.push(context)) as never,
        warn: ((context: object) => warned.push(context)) as never,
      },
    })
  })

  it('looks where the transfer is said to be, ten seconds after the sale, and once', async () => {
    sell('a')
    await runAfter(9_999)
    expect([probed, audit.counts()]).to.deep.equal([[], counts({ waiting: 1 })])
    await runAfter(1)
    expect(probed.map(({ paymentId, transaction: told }) => [paymentId, told])).to.deep.equal([['a', transaction]])
    await runAfter(600_000)
    expect([probed.length, audit.counts()]).to.deep.equal([1, counts({ found: 1 })])
  })

  it('is of what a facilitator called settled, and of nothing else', async () => {
    for (const kind of ['refused', 'unproven'] as const) {
      const settlement: Settlement = { kind, reason: 'a_reason' }
      audit.add({ network: 'eip155:8453' } as PaymentChanged, settlement, { settledBy: () => first })
    }
    sell('a', { by: null })
    expect(audit.counts()).to.deep.equal(counts({}))
  })

  it('calls nobody a liar before the chain has proven it twice', async () => {
    sell('a')
    findings.a = 'unpaid'
    await runAfter(10_000)
    await runAfter(29_999)
    expect(ids()).to.deep.equal(['a'])
    await runAfter(1)
    findings.a = 'expired'
    await runAfter(30_000)
    expect([ids(), distrusted]).to.deep.equal([['a', 'a'], []])
    await runAfter(30_000)
    expect([distrusted, failed]).to.deep.equal([[first], ['GET /v1/x transfer_missing']])
    expect(errors).to.deep.equal([{ facilitator: 2, network: 'eip155:8453', route: 'GET /v1/x', transaction }])
    expect(audit.counts()).to.deep.equal(counts({ missing: 1 }))
  })

  it('takes a transfer that is found after all', async () => {
    sell('a')
    findings.a = 'expired'
    await runAfter(10_000)
    findings.a = 'paid'
    await runAfter(30_000)
    await runAfter(30_000)
    expect([distrusted, audit.counts()]).to.deep.equal([[], counts({ found: 1 })])
  })

  it('ends a round where a node does not answer, and says so once; the other network is looked at', async () => {
    for (let index = 0; index < 20; index++) sell(`a${index}`)
    sell('b', { network: 'solana:5' })
    findings['eip155:8453'] = 'away'
    await runAfter(10_000)
    expect([ids().length, warned]).to.deep.equal([9, [{ network: 'eip155:8453', waiting: 20 }]])
    expect(audit.counts()).to.deep.equal(counts({ waiting: 20, found: 1 }))
    findings = {}
    await runAfter(15_000)
    expect(audit.counts()).to.deep.equal(counts({ found: 21 }))
  })

  it('is given up ten minutes after the end of the validity', async () => {
    sell('a')
    findings.a = 'away'
    await runAfter(720_000)
    expect(audit.counts()).to.deep.equal(counts({ waiting: 1 }))
    await runAfter(1)
    expect([audit.counts(), distrusted]).to.deep.equal([counts({ unchecked: 1 }), []])
  })

  it('is of 10,000 payments at most, the oldest, and of 500 at a time', async () => {
    for (let index = 0; index < 10_002; index++) sell(String(index))
    expect(audit.counts()).to.deep.equal(counts({ waiting: 10_000, unchecked: 2 }))
    await runAfter(10_000)
    expect([ids().length, audit.counts().waiting]).to.deep.equal([500, 9_500])
  })
})
