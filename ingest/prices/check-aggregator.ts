/**
 * Checks the price aggregator for the `doctor` command: whether it answers in the expected form and has a
 * price of SOL.
 */
import { answerMsMax, type Check, examine, off, ok } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import { hostOf } from '../../infra/http-url.ts'
import { createAggregator } from './aggregator.ts'

const name = 'price aggregator'
const wrappedSol = 'So11111111111111111111111111111111111111112'

export async function checkAggregator({ PRICE_AGGREGATOR_URL: url }: Config): Promise<Check> {
  if (url === undefined)
    return off(name, 'none configured (PRICE_AGGREGATOR_URL): calls of tokens that no stage tracks have no price')
  const where = hostOf(url)
  return await examine({ name, where, toDo: 'correct PRICE_AGGREGATOR_URL, or leave it out' }, async () => {
    const limitMs = answerMsMax - 500
    const readPrice = createAggregator({ url, chain: 'solana', nowMs: Date.now, limitMs })
    const question = { token: wrappedSol, market: null, atMs: Date.now() }
    const { px } = await readPrice(question, AbortSignal.timeout(answerMsMax))
    return ok(name, `${where}: SOL is ${px.toFixed(2)} USD`)
  })
}
