import { expect } from 'chai'
import { requestFor } from '../../support/payments/paid-service.ts'
import { purchaseWorld, said, transaction } from './purchase-world.ts'

describe('a purchase', () => {
  const world = purchaseWorld()
  const { open, pay, run } = world

  describe('that was delivered', () => {
    const buy = async (payment = pay()) => {
      const outcome = await world.gate.run(requestFor(payment))
      return outcome.kind === 'paid' ? outcome.paymentId : ''
    }

    it('is marked so once, and only when it was settled', async () => {
      const paymentId = await buy()
      world.gate.markDelivered(paymentId)
      await world.gate.reconcile()
      world.gate.markDelivered(paymentId)
      await world.gate.reconcile()
      world.gate.markDelivered('unknown')
      await world.gate.reconcile()
      await new Promise((resolve) => setImmediate(resolve))
      expect(world.logged.filter(({ level }) => level === 'error')).to.deep.equal([])
      expect(world.calls).to.deep.equal(['verify', 'settling', 'settle', 'settled', 'delivered'])
      expect(world.ledger.find(paymentId)).to.include({ state: 'delivered', transaction, atMs: world.clock.nowMs() })
    })

    it('is given again', async () => {
      const payment = pay()
      world.gate.markDelivered(await buy(payment))
      await world.gate.reconcile()
      const again = requestFor(payment)
      expect([said(await world.gate.run(again)), again.runs.count, world.chain.probes]).to.deep.equal(['paid', 0, 0])
    })

    it('is given again while the gate closes, and so is what was settled only', async () => {
      const [delivered, waiting] = [pay(), pay()]
      world.gate.markDelivered(await buy(delivered))
      await run(waiting)
      await world.gate.reconcile()
      await world.gate.close()
      expect([await run(delivered), await run(waiting)]).to.deep.equal(['paid', 'paid'])
    })

    it('makes room before what was not', async () => {
      await world.gate.close()
      // Each answer has nine bytes, so the store has room for two answers.
      await open({ answerBytesMax: 20 })
      const [first, second, third] = [pay(), pay(), pay()]
      await run(first)
      world.gate.markDelivered(await buy(second))
      await run(third)
      const rebuilt: number[] = []
      const rebuildBody = async (cutAtMs: number) => {
        rebuilt.push(cutAtMs)
        return Buffer.from('{"run":1}')
      }
      for (const payment of [first, third]) await run(payment, { rebuildBody })
      expect(rebuilt).to.deep.equal([])
      await run(second, { rebuildBody })
      expect(rebuilt).to.deep.equal([1_001])
    })
  })

  it('keeps the bytes of answers up to 64 MiB unless told otherwise', async () => {
    const [large, small] = [pay(), pay()]
    const ofSize = (size: number) => async () => ({ bytes: Buffer.alloc(size), cutAtMs: 1 })
    let rebuilt = 0
    const rebuildBody = async () => {
      rebuilt += 1
      return Buffer.alloc(1)
    }
    await run(large, { buildBody: ofSize(64 * 1024 * 1024) })
    expect([await run(large, { rebuildBody }), rebuilt]).to.deep.equal(['paid', 0])
    await run(small, { buildBody: ofSize(1) })
    expect([await run(large, { rebuildBody }), rebuilt]).to.deep.equal(['paid', 1])
  })

  describe('that is over', () => {
    it('is forgotten with its answer ten minutes after it was delivered', async () => {
      const payment = pay()
      const outcome = await world.gate.run(requestFor(payment))
      const paymentId = outcome.kind === 'paid' ? outcome.paymentId : ''
      world.gate.markDelivered(paymentId)
      await world.gate.reconcile()
      world.clock.advance(600_001)
      await world.gate.reconcile()
      expect(world.ledger.find(paymentId)).to.equal(undefined)
    })
  })
})
