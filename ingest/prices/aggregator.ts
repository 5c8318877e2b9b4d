/**
 * Reads token prices from a price aggregator (a web service that collects prices of many markets). Uses the
 * HTTP API of DEX Screener: `GET <url>/tokens/v1/<chain>/<token>`.
 */
import { z } from 'zod'
import { isOperationError, OperationError } from '../../infra/errors.ts'
import { hostOf } from '../../infra/http-url.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { askJson } from '../ask-json.ts'
import type { Delay } from '../delay.ts'
import { createPace } from './pace.ts'
import { type FoundPrice, noPrice, type PriceSource } from './price-source.ts'

export type AggregatorOptions = Readonly<{
  url: string
  /** The name that the aggregator uses for the chain. */
  chain: string
  nowMs: () => EpochMs
  delay?: Delay
  perMinMax?: number
  limitMs?: DurationMs
  bytesMax?: number
}>

/**
 * The maximum number of requests per minute. The aggregator allows 300, and the ingest of two chains may
 * share this limit.
 */
const perMinMaxDefault = 140
const limitMsDefault = 4_000
/**
 * The maximum size of an answer, in bytes. The aggregator returns at most 30 pairs per token, with about 2 kB
 * each.
 */
const bytesMaxDefault = 1_048_576

const amount = z.number().nonnegative().nullish().catch(null)
const price = z.coerce.number().positive()

/**
 * One trading pair in an answer of the aggregator. An optional field of the wrong type counts as missing. A
 * pair without a price in USD is ignored.
 */
const pairShape = z.object({
  baseToken: z.object({ address: z.string() }),
  priceUsd: price,
  liquidity: z.object({ usd: amount }).nullish().catch(null),
  marketCap: amount,
  fdv: amount,
  priceChange: z
    .object({ h1: z.number().nullish().catch(null) })
    .nullish()
    .catch(null),
})
type Pair = z.output<typeof pairShape>

const answerShape = z.array(z.unknown())

/** The two tokens of a trading pair. Also fits a pair without a price. */
const sidesShape = z.object({
  baseToken: z.object({ address: z.string() }),
  quoteToken: z.object({ address: z.string() }).nullish().catch(null),
})

/**
 * Creates a price source that asks the aggregator. It returns the price in USD of the pair with the most
 * liquidity. Only pairs with the token as base token are used, because the price of a pair is the price of
 * its base token.
 */
export function createAggregator(options: AggregatorOptions): PriceSource {
  const { url, chain, nowMs, delay, perMinMax = perMinMaxDefault } = options
  const { limitMs = limitMsDefault, bytesMax = bytesMaxDefault } = options
  const name = hostOf(url)
  const pace = createPace({ perMinMax, nowMs, ...(delay && { delay }) })
  return async ({ token, isUrgent = false }, signal) => {
    await pace.turn(signal, isUrgent)
    const address = addressOf(url, `/tokens/v1/${chain}/${token}`)
    try {
      return priceIn(await askJson({ address, name, limitMs, bytesMax }, signal), token, name)
    } catch (error) {
      if (isOperationError(error) && error.context.status === 429) pace.rest(error.context.retryAfter)
      throw error
    }
  }
}

/**
 * Appends `path` to the path of the URL. The query of the URL is kept, because the query may contain an API
 * key.
 */
function addressOf(url: string, path: string): URL {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/+$/, '')}${path}`
  return address
}

function priceIn(answer: unknown, token: string, name: string): FoundPrice {
  const listed = answerShape.safeParse(answer)
  if (!listed.success) throw new OperationError('provider_failed', `the answer of ${name} is not a list of pairs`)
  let deepest: Pair | null = null
  for (const item of listed.data) {
    const { data: pair } = pairShape.safeParse(item)
    if (pair === undefined || !isSameToken(pair.baseToken.address, token)) continue
    if (deepest === null || depthOf(pair) > depthOf(deepest)) deepest = pair
  }
  if (deepest === null) throw withoutPrice(listed.data, token, name)
  const { priceUsd, marketCap, fdv, priceChange } = deepest
  const changePct = priceChange?.h1 ?? null
  return {
    px: priceUsd,
    source: 'aggregator',
    mcapUsd: marketCap ?? fdv ?? null,
    change1h: changePct === null ? null : changePct / 100,
  }
}

/**
 * Creates the error for an answer without a price of the token. If the answer contains only pairs of other
 * tokens, it does not prove that the token has no price.
 */
function withoutPrice(pairs: readonly unknown[], token: string, name: string): OperationError {
  const isAboutIt = (item: unknown): boolean => {
    const { data: sides } = sidesShape.safeParse(item)
    return [sides?.baseToken, sides?.quoteToken].some((side) => side && isSameToken(side.address, token))
  }
  return pairs.length === 0 || pairs.some(isAboutIt)
    ? noPrice(`${name} has no pair of the token`)
    : new OperationError('provider_failed', `${name} answered about other tokens`)
}

const depthOf = ({ liquidity }: Pair): number => liquidity?.usd ?? 0

/**
 * Compares two addresses. Hex addresses are compared without upper and lower case, because a checksum may
 * change the case of letters. In base58 addresses, the case matters.
 */
const isSameToken = (one: string, other: string): boolean =>
  one === other || (other.startsWith('0x') && one.toLowerCase() === other.toLowerCase())
