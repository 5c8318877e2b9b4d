import { OperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { CoinPrice } from '../../../schemas/tick.ts'
import type { Address, DurationMs, EpochMs } from '../../../schemas/units.ts'
import { isAheadOfClock } from '../../believable-time.ts'
import type { PriceReader } from '../../source.ts'
import { withLimit } from '../../with-limit.ts'
import type { Node } from '../node/node.ts'

/**
 * The selector of the feed function `latestRoundData()`, which returns roundId, answer, startedAt, updatedAt
 * and answeredInRound.
 */
const latestRoundData = '0xfeaf968c'
const answerScale = 1e8
const limitMsDefault = 5_000

/**
 * Creates the reader of the ETH/USD price from a Chainlink price contract with 8 decimals. The time `atMs` of
 * a price may be old, because the contract updates the price only after a change of 0.5 %, or one time a day.
 */
export function createChainlinkReader({
  node,
  feed,
  nowMs,
  logger,
  limitMs = limitMsDefault,
}: Readonly<{ node: Node; feed: Address; nowMs: () => EpochMs; logger: Logger; limitMs?: DurationMs }>): PriceReader {
  let last: CoinPrice | null = null
  const warn = (reason: string) => {
    const lastPriceAt = last ? { lastPriceAt: new Date(last.atMs).toISOString() } : {}
    logger.warn(
      { feed, reason, ...lastPriceAt },
      'the ETH/USD feed gave no usable price. If `lastPriceAt` is set, the price of that time stays in use',
    )
  }
  const onLimit = () => new OperationError('node_unreachable', `the node did not answer in ${limitMs} ms`)
  return async (signal) => {
    try {
      const price = await withLimit({ limitMs, signal, onLimit }, (its) => readRound(node, feed, its))
      const reason = whyRefused(price, nowMs())
      if (reason === null) last = price
      else warn(reason)
      return reason === null ? price : null
    } catch (error) {
      if (!signal.aborted) warn((error as Error).message)
      return null
    }
  }
}

function whyRefused(price: CoinPrice | null, nowMs: EpochMs): string | null {
  if (price === null) return 'its answer is not a price'
  return isAheadOfClock(price, nowMs) ? 'the time of its price is in the future. The node or this clock is wrong' : null
}

/**
 * Reads the feed's newest price. Returns null if the feed's answer is not a price. Fails as `Node.request`
 * does.
 */
export async function readRound(node: Node, feed: Address, signal: AbortSignal): Promise<CoinPrice | null> {
  const call = { method: 'eth_call', params: [{ to: feed, data: latestRoundData }, 'latest'] }
  return decodeRound(await node.request<unknown>(call, signal))
}

/**
 * Decodes the answer of the feed. Returns null unless the answer has five 32-byte words with a positive price
 * and a positive time.
 */
function decodeRound(answer: unknown): CoinPrice | null {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{320}$/i.test(answer)) return null
  const word = (index: number) => BigInt(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`)
  const usd = Number(BigInt.asIntN(256, word(1))) / answerScale
  const atMs = Number(word(3)) * 1000
  return usd > 0 && atMs > 0 && Number.isSafeInteger(atMs) ? { usd, atMs } : null
}
