import { type PaymentPayload, type PaymentRequirements, SettleError, type SettleResponse } from '@x402/core/types'
import { expect } from 'chai'
import { cleanReason, type Settlement, settleAndReconcile } from '../../../../api/payments/facilitator/settlement.ts'
import type { ChainFinding } from '../../../../api/payments/payment-network.ts'

const network = 'eip155:8453' as const
const [ours, another] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`]
const payload = { x402Version: 2, payload: {} } as PaymentPayload
const requirements = { scheme: 'exact', network } as Partial<PaymentRequirements> as PaymentRequirements

/** The outcome of one `settle` call. */
type Answer = SettleResponse | Error | 'silence'
type Finding = ChainFinding['kind'] | 'unreachable'

const done = (transaction = ours): SettleResponse => ({ success: true, transaction, network })
const failed = (errorReason?: string, transaction = ''): SettleResponse => ({
  success: false,
  transaction,
  network,
  ...(errorReason === undefined ? {} : { errorReason }),
})

/**
 * Runs a settlement in which the facilitator gives `answers` and the chain lookups give `findings`, one after
 * the other. The last answer and the last finding are repeated. A sleep moves the clock forward.
 */
async function settle(answers: readonly Answer[], findings: readonly Finding[], reconcileMs = 1_000) {
  const seen = { settled: 0, probes: [] as number[], asked: [] as unknown[] }
  let atMs = 0
  const take = <Item>(items: readonly Item[], turn: number) => items[Math.min(turn, items.length - 1)] as Item
  const settlement = await settleAndReconcile(
    { payload, requirements },
    {
      reconcileMs,
      isTransaction: (text) => text.length === ours.length,
      nowMs: () => atMs,
      sleep: async (durationMs) => {
        await new Promise((resolve) => setImmediate(resolve))
        atMs += durationMs
      },
      settle: async (...payment) => {
        seen.asked.push(payment)
        const answer = take(answers, seen.settled++)
        if (answer === 'silence') return new Promise<never>(() => {})
        if (answer instanceof Error) throw answer
        return answer
      },
      probe: async () => {
        const kind = take(findings, seen.probes.length)
        seen.probes.push(atMs)
        if (kind === 'unreachable') throw new TypeError('the node is away')
        return kind === 'paid' ? { kind, transaction: another } : { kind }
      },
    },
  )
  return { settlement, ...seen }
}

const unknown = (transaction: string | null = null, isChainSilent = false): Settlement => ({
  kind: 'unknown',
  transaction,
  isChainSilent,
})

describe('a settlement', () => {
  it('that the facilitator confirms is paid, and nobody else is asked', async () => {
    const { settlement, settled, probes, asked } = await settle([done()], ['unpaid'])
    expect(settlement).to.deep.equal({ kind: 'paid', transaction: ours })
    expect([settled, probes, asked]).to.deep.equal([1, [], [[payload, requirements]]])
  })

  for (const [name, transaction] of [
    ['no transaction', ''],
    ['one that is no name of a transaction', `${ours}a`],
    ['one of a megabyte', 'a'.repeat(1_000_000)],
  ] as const)
    it(`that the facilitator confirms with ${name} is what the chain says`, async () => {
      expect((await settle([done(transaction)], ['paid'])).settlement).to.deep.equal({
        kind: 'paid',
        transaction: another,
      })
      expect((await settle([done(transaction)], ['unpaid'])).settlement).to.deep.equal(unknown())
    })

  describe('that is refused', () => {
    const reason = 'invalid_exact_evm_insufficient_balance'

    for (const [name, answer, says] of [
      ['with a reason', failed(reason), reason],
      ['with a transaction that reverted', failed('invalid_transaction_state', ours), 'invalid_transaction_state'],
      [
        'after a generic failure of a transaction that is named',
        failed('transaction_failed', ours),
        'transaction_failed',
      ],
      ['with a reason and the status 400', new SettleError(400, failed(reason)), reason],
      ['with a reason and the status 499', new SettleError(499, failed(reason)), reason],
      ['with the status 400 and a transaction', new SettleError(400, failed(undefined, ours)), 'settle_failed'],
      ['for a reason like a generic one', failed('settle_failed_amount'), 'settle_failed_amount'],
      ['for a reason that ends like a generic one', failed('pre_settle_failed'), 'pre_settle_failed'],
    ] as const)
      it(`${name} is not proven before the chain says so`, async () => {
        const { settlement, settled } = await settle([answer], ['unpaid'])
        expect(settlement).to.deep.equal({ kind: 'unproven', reason: says })
        expect(settled).to.equal(1)
      })

    it('is asked for on the chain every 200 ms for three seconds, or for as long as the client waits', async () => {
      const times = (limitMs: number) => Array.from({ length: limitMs / 200 + 1 }, (_, index) => index * 200)
      expect((await settle([failed(reason)], ['unpaid'], 10_000)).probes).to.deep.equal(times(3_000))
      expect((await settle([failed(reason)], ['unpaid'], 1_000)).probes).to.deep.equal(times(1_000))
    })

    it('is paid when its transfer is found', async () => {
      const { settlement, probes } = await settle([failed(reason)], ['unpaid', 'unreachable', 'paid'])
      expect([settlement, probes.length]).to.deep.equal([{ kind: 'paid', transaction: another }, 3])
    })

    it('is refused for good once the authorization has expired', async () => {
      const { settlement } = await settle([failed(reason)], ['unpaid', 'expired'])
      expect(settlement).to.deep.equal({ kind: 'refused', reason })
    })

    it('stays unproven while the chain cannot be asked', async () => {
      const { settlement } = await settle([failed(reason)], ['unreachable'])
      expect(settlement).to.deep.equal({ kind: 'unproven', reason })
    })
  })

  describe('with an outcome that is not known', () => {
    for (const [name, answer] of [
      ['a dropped connection', new TypeError('fetch failed')],
      ['a confirmation without a transaction', done('')],
      ['a confirmation with something else for a transaction', done(7 as unknown as string)],
      ['the status 500, whatever reason is given', new SettleError(500, failed('insufficient_funds'))],
      ['the status 503', new SettleError(503, failed(undefined, ours))],
      ['the status 400 with no reason', new SettleError(400, failed())],
      ['an authorization that was used', failed('invalid_exact_evm_nonce_already_used')],
      ['a duplicate', failed('duplicate_settlement')],
      ['an unexpected failure', failed('unexpected_settle_error')],
      ['a transaction that failed and is not named', failed('invalid_exact_evm_transaction_failed')],
      ['a failure in no words', failed()],
      ['a failure in a dump', failed('Error: at Object.<anonymous> (/srv/index.js:1:1)')],
      ['a generic failure', failed('settle_failed')],
      ['a settlement that is under way', failed('settlement_pending')],
    ] as const) {
      it(`by ${name} is tried once more`, async () => {
        const { settlement, settled } = await settle([answer, done()], ['unpaid'])
        expect(settlement).to.deep.equal({ kind: 'paid', transaction: ours })
        expect(settled).to.equal(2)
      })

      it(`by ${name} is not known when the chain shows nothing either`, async () => {
        const { settlement } = await settle([answer], ['unpaid'])
        expect(settlement).to.deep.equal(unknown())
      })
    }

    it('is what the chain says before the second try', async () => {
      const first = new TypeError('fetch failed')
      const paid = await settle([first], ['paid'])
      expect([paid.settlement, paid.settled]).to.deep.equal([{ kind: 'paid', transaction: another }, 1])
      const expired = await settle([first], ['expired'])
      expect([expired.settlement, expired.settled]).to.deep.equal([{ kind: 'refused', reason: 'expired' }, 1])
    })

    it('is tried once more and no further, and the chain is asked every 200 ms while the client waits', async () => {
      const { settled, probes } = await settle([new TypeError('fetch failed')], ['unpaid'])
      expect([settled, probes]).to.deep.equal([2, [0, 200, 400, 600, 800, 1_000]])
    })

    it('does not wait for a second answer that never comes', async () => {
      const { settlement } = await settle([new TypeError('fetch failed'), 'silence'], ['unpaid'])
      expect(settlement).to.deep.equal(unknown())
    })

    it('is not proven unpaid by a second answer that refuses', async () => {
      const refused = failed('invalid_exact_evm_insufficient_balance', another)
      const { settlement } = await settle([new TypeError('fetch failed'), refused], ['unpaid'])
      expect(settlement).to.deep.equal(unknown())
    })

    it('is paid when the transfer is found after a second answer that refuses', async () => {
      const refused = failed('invalid_exact_evm_insufficient_balance')
      const { settlement } = await settle(
        [new TypeError('fetch failed'), refused],
        ['unpaid', 'unpaid', 'unpaid', 'paid'],
      )
      expect(settlement).to.deep.equal({ kind: 'paid', transaction: another })
    })

    it('names the transaction that was sent: of the first answer, else of the second', async () => {
      const pending = (transaction: string) => failed('settlement_pending', transaction)
      expect((await settle([pending(ours), pending(another)], ['unpaid'])).settlement).to.deep.equal(unknown(ours))
      expect((await settle([failed(), pending(another)], ['unpaid'])).settlement).to.deep.equal(unknown(another))
      const thrown = new SettleError(400, pending(ours))
      expect((await settle([thrown, failed()], ['unpaid'])).settlement).to.deep.equal(unknown(ours))
    })

    it('tells whether the chain was silent when it was asked last', async () => {
      const first = new TypeError('fetch failed')
      expect((await settle([first], ['unpaid', 'unreachable'])).settlement).to.deep.equal(unknown(null, true))
      expect((await settle([first], ['unreachable', 'unpaid'])).settlement).to.deep.equal(unknown(null, false))
    })
  })
})

describe('a reason of a facilitator', () => {
  it('is repeated when it is a plain code of up to 80 characters', () => {
    for (const code of ['insufficient_funds', 'x402_v2', 'a'.repeat(80)]) expect(cleanReason(code)).to.equal(code)
    for (const dump of [undefined, '', 'a'.repeat(81), 'Insufficient', 'two words', 'code\n', ' code', 'code!'])
      expect(cleanReason(dump), String(dump)).to.equal('settle_failed')
  })
})
