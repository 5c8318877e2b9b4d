/** Buys answers as a client does, in money without value. */
import { setTimeout as sleep } from 'node:timers/promises'
import { localKeyOf } from '../../../infra/development/payments/local-dollar.ts'
import { payer } from '../../end-to-end/paying-client.ts'
import { drawPaths, type Listed, mintsIn, walletsIn } from './questions.ts'
import type { RecordedAnswer } from './recording.ts'

type Buying = Readonly<{
  answerCount: number
  /** They are spread over this time, or bought as fast as they are sold. */
  liveMs: number
  curveTokens: readonly string[]
  onAnswer(answer: RecordedAnswer): Promise<void>
}>

/** What the service lists is asked so often: a flow is sold of a pool that was listed. */
const listEvery = 50
const seed = 1

/** Addresses that nothing is known of are not counted. */
export async function buyAnswers(baseUrl: string, buying: Buying): Promise<void> {
  const { answerCount, liveMs, curveTokens, onAnswer } = buying
  const buy = openShop(baseUrl)
  const listed: Listed = { pools: [], tokens: [], curveTokens, wallets: [], mints: [] }
  const nextPath = drawPaths(seed, listed)
  const startedAtMs = Date.now()
  for (let asked = 0, count = 0; count < answerCount; asked++) {
    const isList = asked % listEvery === 0
    const path = isList ? '/v1/rh/pools/new?hours=24&limit=1000' : nextPath()
    const body = await buy(path)
    if (body === null) continue
    const { generatedAt, pools = [] } = JSON.parse(body) as Answer
    if (isList) Object.assign(listed, { pools: pools.map(({ id }) => id), tokens: pools.map(({ token }) => token) })
    Object.assign(listed, { wallets: walletsIn(body) ?? listed.wallets, mints: mintsIn(body) ?? listed.mints })
    await onAnswer({ path, cutAtMs: generatedAt, body })
    count++
    await sleep(Math.max(0, startedAtMs + (liveMs * count) / answerCount - Date.now()))
  }
}

type Answer = Readonly<{ generatedAt: number; pools?: readonly Readonly<{ id: string; token: string }>[] }>

const sellingLimitMs = 120_000
const waited: readonly number[] = [402, 503]

/** The body; null: nothing is known under that address. */
export function openShop(baseUrl: string): (path: string) => Promise<string | null> {
  const pay = payer({ buyerPrivateKey: localKeyOf('buyer') })
  return async (path) => {
    const endAtMs = Date.now() + sellingLimitMs
    for (;;) {
      const response = await pay(`${baseUrl}${path}`)
      const text = await response.text()
      if (response.status === 200) return text
      if (response.status === 404) return null
      // Where the machine is busy the local chain, the facilitator or the data may be late; nothing is charged then.
      if (!waited.includes(response.status) || Date.now() > endAtMs)
        throw new TypeError(`${path}: ${response.status} ${text.slice(0, 300)}`)
      await sleep(500)
    }
  }
}
