import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import type { LogWriter } from '../../../infra/log/log.ts'
import { bursts, requestFor } from '../../support/payments/paid-service.ts'
import { purchaseWorld, settled, settleRefused, transaction } from './purchase-world.ts'

describe('a purchase', () => {
  const world = purchaseWorld()
  const { open, pay, run } = world

  describe('with a ledger that fails', () => {
    it('before the money moves is not settled', async () => {
      world.failures.set('settling', new OperationError('log_unavailable', 'full'))
      expect(await run(pay())).to.equal('ledger_lost 30')
      expect(world.calls).to.deep.equal(['verify'])
      expect(world.gate.unavailable()).to.equal(null)
    })

    it('after the money moved is answered', async () => {
      world.failures.set('settled', new OperationError('log_unavailable', 'full'))
      expect(await run(pay())).to.equal('paid')
    })

    it('after the money moved, and hangs, is answered, also again, and the gate closes when it is recorded', async () => {
      const { log } = world
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const held = (writer: LogWriter): LogWriter => ({
        ...writer,
        append: async (records) => {
          if (world.calls.includes('settle')) await released
          await writer.append(records)
        },
      })
      world.log = { ...log, openWriter: async (...id) => held(await log.openWriter(...id)) }
      await open()
      const paid = pay()
      expect(await run(paid)).to.equal('paid')
      expect(await run(paid)).to.equal('paid')
      expect([world.chain.probes, world.calls]).to.deep.equal([0, ['verify', 'settling', 'settle', 'settled']])
      let isClosed = false
      const closed = world.gate.close().then(() => {
        isClosed = true
      })
      await new Promise((resolve) => setImmediate(resolve))
      expect(isClosed).to.equal(false)
      release()
      await closed
      world.log = log
      await open()
      expect(world.ledger.stats().totals.n).to.equal(1)
      expect(await run(paid)).to.equal('paid')
      expect(world.chain.probes).to.equal(0)
    })

    it('that another process owns stops the sale, and says so once', async () => {
      let lostCount = 0
      await world.gate.close()
      await open({ onLedgerLost: () => void lostCount++ })
      const paid = pay()
      await run(paid)
      world.failures.set('settling', new OperationError('writer_fenced', 'taken'))
      const first = run(pay())
      const other = run(pay())
      expect([await first, await other]).to.deep.equal(['ledger_lost 30', 'ledger_lost 30'])
      expect(world.gate.unavailable()).to.include({ reason: 'ledger_lost', retryAfterSec: 30 })
      expect(await run(pay())).to.equal('ledger_lost 30')
      expect(await run(paid)).to.equal('paid')
      expect(lostCount).to.equal(1)
      expect(
        world.logged.filter(({ level, text }) => level === 'error' && text?.startsWith('another process')),
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
      expect(await world.gate.run(signs).catch((error: unknown) => error)).to.equal(failure)
    })

    it('afterwards is told that the outcome is not known', async () => {
      const payment = pay()
      world.facilitator.settle = settleRefused
      await run(payment)
      world.facilitator.settle = settled
      const failure = new RangeError('of our making')
      const again = {
        isClientGone: () => {
          throw failure
        },
      }
      expect(await run(payment, again)).to.equal('outcome_unknown 30')
      expect(world.logged.at(-1)).to.deep.equal({
        level: 'error',
        said: { err: failure, route: bursts.routeId },
        text: 'a purchase failed after its payment was sent to the facilitator. The answer asks the buyer to repeat the request',
      })
    })

    it('after it was released fails', async () => {
      const payment = pay()
      world.facilitator.settle = settleRefused
      world.chain.finding = { kind: 'expired' }
      await run(payment)
      const failure = new RangeError('of our making')
      const again = requestFor(payment, {
        isClientGone: () => {
          throw failure
        },
      })
      expect(await world.gate.run(again).catch((error: unknown) => error)).to.equal(failure)
    })
  })

  describe('of which the answer cannot be read any more', () => {
    it('is told that it has arrived', async () => {
      const payment = pay()
      await run(payment)
      await world.gate.close()
      await open()
      const failure = new RangeError('away')
      expect(await run(payment, { rebuildBody: () => Promise.reject(failure) })).to.equal('answer_delayed 2')
      expect(world.logged.at(-1)).to.deep.equal({
        level: 'error',
        said: { err: failure, route: bursts.routeId, transaction },
        text: 'the answer of a settled payment cannot be read',
      })
    })
  })

  describe('that is under way when the gate closes', () => {
    it('is finished, and nothing new is taken', async () => {
      let finish = () => {}
      world.facilitator.settle = async (...payment) => {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return settled(...payment)
      }
      const bought = run(pay())
      while (!world.calls.includes('settle')) await new Promise((resolve) => setImmediate(resolve))
      world.chain.finding = { kind: 'paid', transaction }
      await world.gate.reconcile()
      expect(world.calls, 'it resolves itself').to.deep.equal(['verify', 'settling', 'settle'])
      let isClosed = false
      const closed = world.gate.close().then(() => {
        isClosed = true
      })
      expect(await run(pay())).to.equal('ledger_lost 30')
      expect(await run(null)).to.equal('ledger_lost 30')
      await new Promise((resolve) => setImmediate(resolve))
      expect(isClosed).to.equal(false)
      finish()
      expect(await bought).to.equal('paid')
      await closed
      expect(world.calls.at(-1)).to.equal('settled')
      world.logged.length = 0
      await world.gate.reconcile()
      expect(world.logged, 'nobody owns the ledger any more').to.deep.equal([])
    })
  })
})
