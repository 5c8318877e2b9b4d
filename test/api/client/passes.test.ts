import { expect } from 'chai'
import { answerIn } from '../../../api/client/answer.ts'
import { openBuyer } from '../../../api/client/open-buyer.ts'
import { createPasses } from '../../../api/client/passes.ts'
import type { Spending, SpendingStore } from '../../../api/client/spending-store.ts'
import { type Act, optionsFor, type ShopDouble, startShopDouble } from './shop-double.ts'

describe('the pass of a client', () => {
  let shop: ShopDouble
  beforeEach(async () => {
    shop = await startShopDouble()
  })
  afterEach(() => shop.close())

  /** A store that begins with this spending, and keeps each later one. */
  const storeFrom = (kept: Spending | null) => {
    const saved: Spending[] = []
    const store: SpendingStore = {
      load: async () => kept,
      save: async (spending) => void saved.push(structuredClone(spending)),
      close: async () => {},
    }
    return { store, saved }
  }
  /** Answers each payment with a pass that names the number of payments charged so far. */
  const sell: Act = (response, charge) => {
    charge()
    response.end(JSON.stringify({ token: `pass ${shop.charged.size}` }))
  }
  const passOf = async (store: SpendingStore) => {
    const { buyer, budget } = await openBuyer(optionsFor(shop.url, { spending: store }), new AbortController().signal)
    shop.acts.push(sell)
    const { token } = await createPasses({ buyer, budget, answerIn }).current()
    shop.acts.length = 0
    await budget.close()
    return { token, spent: budget.spent() }
  }

  const isTheSame = async (store: SpendingStore) => {
    const { token, spent } = await passOf(store)
    expect([token, shop.charged.size, spent.settledUsdc]).to.deep.equal(['pass 1', 1, 0.01])
  }

  it('is paid for one time, after whichever writes to the store a first and a second crash come', async () => {
    const first = storeFrom(null)
    expect((await passOf(first.store)).token).to.equal('pass 1')
    expect(first.saved.length).to.be.greaterThan(1)
    for (const kept of first.saved) {
      const second = storeFrom(kept)
      await isTheSame(second.store)
      for (const keptThen of second.saved) await isTheSame(storeFrom(keptThen).store)
    }
  })

  it('is kept though it was free', async () => {
    shop.unpaid.act = (response) => response.end('{"token":"free"}')
    const { store, saved } = storeFrom(null)
    expect((await passOf(store)).token).to.equal('free')
    expect(saved.map(({ passToken }) => passToken)).to.deep.equal(['free'])
  })
})
