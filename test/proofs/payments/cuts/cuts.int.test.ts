/** A sample of `npm run payments:cut`, and the example of the documents. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type LocalShop, openLocalShop } from '../../../support/payments/local-shop.ts'
import { startNode } from '../../../support/programs.ts'
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

  it('is bought by the example of the documents, which fits fifteen lines', async () => {
    const document = await readFile('infra/docs/client.md', 'utf8')
    const code = /```ts\n([\s\S]*?)```/.exec(document)?.[1] ?? ''
    expect(code.trimEnd().split('\n')).to.have.lengthOf.at.most(15)
    // The folder is in the checkout, so that the package can be imported by its name.
    const folder = await mkdtemp('test/proofs/payments/cuts/example-')
    try {
      const file = join(folder, 'example.ts')
      const placed = code.replace('spending.json', join(folder, 'spending.json'))
      await writeFile(file, placed.replace('http://127.0.0.1:8402', shop.url))
      const program = startNode('example', ['--import', 'tsx', file, shop.money.buyerPrivateKey], {})
      await program.until(/^\d+ 0x[0-9a-f]{64}$/m)
      program.kill('SIGKILL')
      await program.done
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
