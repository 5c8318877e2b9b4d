/** The markets (pools and curves) of all chains, read from the topic `addresses`. */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { scan } from '../../infra/log/scan.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { Market, TokenNaming } from './naming.ts'
import type { KnownTokens } from './tokens.ts'

const topic = 'addresses'
const partition = 0

export type MarketIndex = Readonly<{
  /**
   * Reads the records that were appended to the topic since the last call. The index is empty before the
   * first call.
   */
  readOn(): Promise<void>
  knownOf(naming: TokenNaming): KnownTokens
}>

type MarketIndexOptions = Readonly<{
  log: Log
  codec: SchemaCodec<StageRecord>
  namings: readonly TokenNaming[]
  /** `readOn` calls this function for every record of the topic. */
  onRecord?: (key: string, value: Buffer | null) => void
}>

/**
 * Creates the index. One map contains the addresses of all chains. Addresses of two chains are never equal,
 * because they differ in length or in the way they are derived.
 */
export function createMarketIndex({ log, codec, namings, onRecord }: MarketIndexOptions): MarketIndex {
  /** The markets by the key of their record in the topic. A record that removes a market has only this key. */
  const markets = new Map<string, Market>()
  const tokenOf = new Map<string, string>()
  /** The number of markets of each token. */
  const counts = new Map<string, number>()
  let offset: number | null = null

  const drop = (key: string) => {
    const known = markets.get(key)
    if (known === undefined) return
    markets.delete(key)
    tokenOf.delete(known.market)
    const left = (counts.get(known.token) ?? 0) - 1
    if (left > 0) counts.set(known.token, left)
    else counts.delete(known.token)
  }
  const put = (key: string, market: Market) => {
    drop(key)
    markets.set(key, market)
    tokenOf.set(market.market, market.token)
    counts.set(market.token, (counts.get(market.token) ?? 0) + 1)
  }
  const marketOf = (record: StageRecord): Market | null => {
    for (const naming of namings) {
      const market = naming.marketOf(record)
      if (market !== null) return market
    }
    return null
  }

  return {
    async readOn() {
      offset ??= (await log.bounds(topic, partition)).startOffset
      offset = await scan({ log, topic, partition, codec }, offset, ({ key, value }) => {
        onRecord?.(key, value)
        const market = value && marketOf(codec.decode(value))
        if (market) put(key, market)
        else if (value === null) drop(key)
        return undefined
      })
    },
    knownOf: ({ toBook, toKey }) => ({
      tokenOfMarket(address) {
        const token = tokenOf.get(toBook(address))
        return token === undefined ? null : toKey(token)
      },
      isToken: (address) => counts.has(toBook(address)),
    }),
  }
}
