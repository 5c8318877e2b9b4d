/**
 * `npm run payments:cut -- [count] [seed]` buys answers with the client for buyers, by default 200 on each network. A
 * proxy cuts every first answer after its settlement: before or in its headers, in its body, or with a 502. Some
 * buyers are started again in between. Each purchase must get its answer and make one transfer. The exit code is 1 if
 * anything went wrong.
 */
import { openLocalShop } from '../../../support/payments/local-shop.ts'
import { cutPurchases, marketsOf } from './cut-purchases.ts'

const [count = 200, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const print = (text: string) => void process.stdout.write(`${text}\n`)
const startedAtMs = performance.now()
print(`seed ${seed}`)
const shop = await openLocalShop()
const wrong: string[] = []
for (const [index, market] of (await marketsOf(shop.money)).entries()) {
  const result = await cutPurchases({ serviceUrl: shop.url, market, count, seed: seed + index })
  print(result.text)
  wrong.push(...result.wrong.map((sentence) => `${market.name}: ${sentence}`))
}
await shop.close()
for (const sentence of wrong) print(sentence)
print(`${Math.round((performance.now() - startedAtMs) / 1000)} s: ${wrong.length} mistakes`)
process.exit(wrong.length === 0 ? 0 : 1)
