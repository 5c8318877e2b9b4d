import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import { bursts, requestFor } from '../../support/payments/paid-service.ts'
import {
  lost,
  network,
  payer,
  purchaseWorld,
  refuseAs,
  refusedAs,
  said,
  settled,
  settleRefused,
  transaction,
  unprovenAs,
} from './purchase-world.ts'

describe('a purchase', () => {
  const world = purchaseWorld()
  const { goDown, open, pay, run } = world

  describe('that the facilitator only says to have settled', () => {
    const lie = async () => {
      expect(await run(pay())).to.equal('paid')
      world.chain.finding = { kind: 'expired' }
      for (const durationMs of [200_000, 30_000]) {
        world.clock.advance(durationMs)
        await world.gate.reconcile()
      }
    }

    it('is answered, and is the last that is sold through it', async () => {
      await lie()
      expect(world.gate.unavailable()).to.include({ reason: 'facilitator_down' })
      await world.gate.refresh()
      expect(await run(pay())).to.equal('facilitator_down 5')
    })

    it('is told in the log, where no payer is named, and among the failures', async () => {
      await lie()
      const told = world.logged.filter(({ level }) => level === 'error')
      expect(told.map(({ said }) => said)).to.deep.equal([
        { facilitator: 1, network, route: bursts.routeId, transaction },
      ])
      const { settlements, payFailures } = world.gate.stats()
      expect(settlements).to.deep.equal({ waiting: 0, found: 0, missing: 1, unchecked: 0 })
      expect(payFailures.map(({ route, code, n }) => ({ route, code, n }))).to.deep.equal([
        { route: bursts.routeId, code: 'transfer_missing', n: 1 },
      ])
    })

    it('is compared with the transaction that it names', async () => {
      await run(pay())
      world.chain.finding = { kind: 'paid', transaction }
      world.clock.advance(10_000)
      await world.gate.reconcile()
      expect(world.chain.probed?.transaction).to.equal(transaction)
      expect(world.gate.stats().settlements).to.include({ waiting: 0, found: 1 })
      expect(world.gate.unavailable()).to.equal(null)
    })
  })

  describe('that the facilitator refuses to settle', () => {
    it('is not proven, with a receipt that names the payer, and counts as refused and as unsold', async () => {
      world.facilitator.settle = settleRefused
      const outcome = await world.gate.run(requestFor(pay()))
      expect(said(outcome)).to.match(unprovenAs('insufficient_funds'))
      const receipt = outcome.kind === 'paymentRequired' ? (outcome.receiptHeader ?? '') : ''
      expect(JSON.parse(Buffer.from(receipt, 'base64').toString())).to.include({ success: false, network, payer })
      world.signer = 'other'
      expect(await run(pay()), 'counted as refused').to.equal(refusedAs('invalid_exact_evm_signature'))
      world.signer = 'payer'
      for (let turn = 0; turn < 9; turn++) await run(pay())
      expect(await run(pay()), 'counted as unsold').to.match(/^too_many_unsold \d+$/)
    })

    it('and cannot come any more is refused for good, with a receipt, and counts as unsold', async () => {
      world.facilitator.settle = settleRefused
      world.chain.finding = { kind: 'expired' }
      const outcome = await world.gate.run(requestFor(pay()))
      expect(said(outcome)).to.equal(refusedAs('insufficient_funds'))
      expect(outcome.kind === 'paymentRequired' && outcome.receiptHeader).to.be.a('string')
      expect(world.calls.at(-1)).to.equal('released')
      for (let turn = 0; turn < 9; turn++) await run(pay())
      expect(await run(pay())).to.match(/^too_many_unsold \d+$/)
    })

    describe('and is sent again', () => {
      let payment: ReturnType<typeof pay>
      beforeEach(async () => {
        payment = pay()
        world.facilitator.settle = settleRefused
        await run(payment)
        world.calls.length = 0
        world.chain.probes = 0
      })

      const newer = { buildBody: async () => ({ bytes: Buffer.from('{"run":2}'), cutAtMs: 2_000 }) }
      const noRebuild = { rebuildBody: () => expect.fail('an answer that nobody got is not made again') }

      it('is settled once more, with a new answer, which it gets from then on', async () => {
        world.facilitator.settle = settled
        const again = await world.gate.run(requestFor(payment, { ...newer, ...noRebuild }))
        expect(again).to.deep.include({ kind: 'paid', bytes: Buffer.from('{"run":2}'), cutAtMs: 2_000 })
        expect(world.calls).to.deep.equal(['verify', 'settling', 'settle', 'settled'])
        expect(await world.gate.run(requestFor(payment))).to.deep.equal(again)
      })

      it('is looked for with the cut of its new answer after a crash', async () => {
        world.facilitator.settle = () => new Promise(() => {})
        void run(payment, newer)
        while (!world.calls.includes('settle')) await new Promise((resolve) => setImmediate(resolve))
        await open()
        expect(world.ledger.unresolved()).to.have.length(1)
        expect(world.ledger.unresolved()[0]).to.include({ state: 'settling', cutAtMs: 2_000 })
      })

      it('gets the answer of its first request if its transfer comes without a new settlement', async () => {
        world.chain.finding = { kind: 'paid', transaction }
        await world.gate.reconcile()
        const again = await world.gate.run(requestFor(payment, newer))
        expect(again).to.deep.include({ kind: 'paid', bytes: Buffer.from('{"run":1}'), cutAtMs: 1_001 })
      })

      it('is paid when its transfer has come', async () => {
        world.chain.finding = { kind: 'paid', transaction }
        expect(await run(payment)).to.equal('paid')
        expect(world.calls).to.deep.equal(['settled'])
      })

      it('is paid when its transfer comes while the facilitator says no', async () => {
        world.facilitator.verify = async () => {
          world.chain.finding = { kind: 'paid', transaction }
          return { isValid: false, invalidReason: 'nonce_used' }
        }
        expect(await run(payment)).to.equal('paid')
        expect(world.calls).to.deep.equal(['verify', 'settled'])
      })

      it('is released when the chain says that it has expired', async () => {
        world.chain.finding = { kind: 'expired' }
        expect(await run(payment)).to.equal(refusedAs('expired'))
        expect(world.calls).to.deep.equal(['released'])
      })

      it('is told never that nothing was charged, whatever is in the way', async () => {
        world.facilitator.verify = refuseAs('insufficient_funds')
        expect(await run(payment)).to.match(unprovenAs('insufficient_funds'))
        world.chain.finding = 'away'
        expect(await run(payment)).to.match(unprovenAs('insufficient_funds'))
        world.facilitator.verify = lost
        expect(await run(payment)).to.equal('outcome_unknown 5')
        world.facilitator.verify = refuseAs('unexpected_error')
        expect(await run(payment)).to.equal('outcome_unknown 5')
        world.signer = 'other'
        expect(await run(payment)).to.match(unprovenAs('invalid_exact_evm_signature'))
        await goDown()
        expect(await run(payment)).to.equal('outcome_unknown 5')
        world.clock.advance(130_000)
        expect(await run(payment)).to.equal('outcome_unknown 5')
        world.facilitator.isUp = true
        await world.gate.refresh()
        expect(await run(payment)).to.match(unprovenAs('valid_before_expired'))
      })

      it('whose answer fails meanwhile is told that it is not known', async () => {
        const buildBody = () => Promise.reject(new RangeError('away'))
        expect(await run(payment, { buildBody })).to.equal('outcome_unknown 2')
      })

      it('while the ledger takes nothing is told that it is not known', async () => {
        world.failures.set('settling', new OperationError('log_unavailable', 'full'))
        expect(await run(payment)).to.equal('outcome_unknown 30')
      })

      it('after the gate was closed is told that it is not known', async () => {
        await world.gate.close()
        expect(await run(payment)).to.equal('outcome_unknown 30')
      })
    })
  })

  describe('whose settlement has no outcome', () => {
    beforeEach(() => {
      world.facilitator.settle = lost
    })

    it('is a 503 that asks for the same payment, and is settled again without a second question', async () => {
      const payment = pay()
      expect(await run(payment)).to.equal('outcome_unknown 2')
      world.calls.length = 0
      await goDown()
      expect(await run(payment), 'while no facilitator is up').to.equal('outcome_unknown 2')
      world.facilitator.isUp = true
      await world.gate.refresh()
      world.facilitator.settle = settled
      expect(await run(payment)).to.equal('paid')
      expect(world.calls).to.deep.equal(['settling', 'settle', 'settled'])
    })

    it('waits for the chain ten seconds unless told otherwise', async () => {
      const startedAtMs = world.clock.nowMs()
      await run(pay())
      expect(world.clock.nowMs() - startedAtMs).to.equal(10_000)
    })

    it('with a transaction that is not confirmed is answered, and again', async () => {
      world.facilitator.settle = async () => ({
        ...{ success: false, transaction, network },
        errorReason: 'settlement_pending',
      })
      const payment = pay()
      expect(await run(payment)).to.equal('paid')
      world.calls.length = 0
      expect(await run(payment)).to.equal('paid')
      expect(world.calls).to.deep.equal([])
    })

    it('with a node that is away is given on trust for twenty payments at a time', async () => {
      world.chain.finding = 'away'
      const outcomes: string[] = []
      for (let turn = 0; turn < 21; turn++) outcomes.push(await run(pay()))
      expect(outcomes).to.deep.equal([...Array(20).fill('paid'), 'outcome_unknown 2'])
    })
  })

  describe('that was given on trust and then refused', () => {
    it('keeps its answer, however often it is refused, also after a restart', async () => {
      const payment = pay()
      const refuse = async () => {
        world.facilitator.settle = settleRefused
        expect(await run(payment, answer)).to.match(unprovenAs('insufficient_funds'))
      }
      let cuts = 0
      const answer = {
        buildBody: async () => ({ bytes: Buffer.from(`{"cut":${++cuts}}`), cutAtMs: cuts }),
        rebuildBody: async (cutAtMs: number) => Buffer.from(`{"cut":${cutAtMs}}`),
      }
      world.facilitator.settle = lost
      world.chain.finding = 'away'
      expect(await run(payment, answer)).to.equal('paid')
      world.chain.finding = { kind: 'unpaid' }
      await refuse()
      await refuse()
      await open()
      await refuse()
      world.facilitator.settle = settled
      const bought = await world.gate.run(requestFor(payment, answer))
      expect(bought).to.deep.include({ kind: 'paid', bytes: Buffer.from('{"cut":1}'), cutAtMs: 1 })
      const codes = world.gate.stats().payFailures.map(({ code, n }) => [code, n])
      expect(codes).to.deep.equal([
        ['outcome_unknown', 1],
        ['refused_again', 3],
      ])
    })
  })

  describe('that a crash interrupted', () => {
    const crashWhileSettling = async (payment: ReturnType<typeof pay>) => {
      world.facilitator.settle = () => new Promise(() => {})
      void run(payment)
      while (!world.calls.includes('settle')) await new Promise((resolve) => setImmediate(resolve))
      await open()
      world.calls.length = 0
      world.facilitator.settle = settled
    }

    it('is paid when its transfer has come, and its answer is made at its own cut', async () => {
      const payment = pay()
      await crashWhileSettling(payment)
      world.chain.finding = { kind: 'paid', transaction }
      const cuts: number[] = []
      const rebuildBody = async (cutAtMs: number) => {
        cuts.push(cutAtMs)
        return Buffer.from('{}')
      }
      expect(await run(payment, { rebuildBody })).to.equal('paid')
      expect([world.calls, cuts]).to.deep.equal([['settled'], [1_001]])
    })

    for (const finding of [{ kind: 'unpaid' }, 'away'] as const)
      it(`is settled again where the chain shows nothing (${finding === 'away' ? finding : finding.kind})`, async () => {
        const payment = pay()
        await crashWhileSettling(payment)
        world.chain.finding = finding
        expect(await run(payment)).to.equal('paid')
        expect(world.calls).to.deep.equal(['settling', 'settle', 'settled'])
      })

    it('is looked for from when it was first seen, where it says no time itself', async () => {
      world.seenAtMs = world.clock.nowMs
      const seenAtMs = world.clock.nowMs()
      const payment = pay()
      await crashWhileSettling(payment)
      world.clock.advance(300_000)
      world.chain.finding = 'away'
      world.facilitator.settle = settleRefused
      await run(payment)
      world.chain.finding = { kind: 'unpaid' }
      await world.gate.reconcile()
      expect(world.chain.probed?.validBeforeMs).to.be.within(seenAtMs, seenAtMs + 610_000)
    })
  })
})
