/** A sample of `npm run payments:cut`. */
import { expect } from 'chai'
import { type LocalShop, openLocalShop } from '../../../support/payments/local-shop.ts'
import { cutPurchases, type Market, marketsOf } from './cut-purchases.ts'

describe('an answer that is cut after its settlement', function () {
  this.timeout(300_000)
  let shop: LocalShop
  let markets: readonly Market[]

  before(async () => {
    shop = await openLocalShop()
    markets = await marketsOf(shop.money)
  })
  after(() => shop?.close())

  it('reaches the client, with one transfer for each purchase on each network', async () => {
    expect(markets.map(({ name }) => name)).to.deep.equal(['EVM', 'Solana'])
    const results = await Promise.all(
      markets.map((market) => cutPurchases({ serviceUrl: shop.url, market, count: 6, seed: 7 })),
    )
    for (const { wrong, text } of results) expect(wrong, text).to.deep.equal([])
  })
})
