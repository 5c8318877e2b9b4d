/** Buys answers as a client does, with money of a local chain. */
import { setTimeout as sleep } from 'node:timers/promises'
import { localKeyOf } from '../../../infra/development/payments/local-dollar.ts'
import { payer } from '../../end-to-end/paying-client.ts'
import { drawPaths, type Listed, mintsIn, walletsIn } from './questions.ts'
import type { RecordedAnswer } from './recording.ts'

type Buying = Readonly<{
  answerCount: number
  /** The purchases are spread over this time, unless they take longer. */
  liveMs: number
  curveTokens: readonly string[]
  onAnswer(answer: RecordedAnswer): Promise<void>
}>

/** A listing is bought at every 50th purchase, because other purchases need listed ids. */
const listEvery = 50
const seed = 1

/** Buys `answerCount` answers. Answers about unknown addresses do not count. */
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

/** Returns a function that buys an answer and resolves with the body. Null: the address is unknown. */
export function openShop(baseUrl: string): (path: string) => Promise<string | null> {
  const pay = payer({ buyerPrivateKey: localKeyOf('buyer') })
  return async (path) => {
    const endAtMs = Date.now() + sellingLimitMs
    for (;;) {
      const response = await pay(`${baseUrl}${path}`)
      const text = await response.text()
      if (response.status === 200) return text
      if (response.status === 404) return null
      // On a busy machine the local chain, the facilitator or the data may be late. A refusal then charges nothing.
      if (!waited.includes(response.status) || Date.now() > endAtMs)
        throw new TypeError(`${path}: ${response.status} ${text.slice(0, 300)}`)
      await sleep(500)
    }
  }
}
