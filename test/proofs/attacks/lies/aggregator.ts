/** A price aggregator that returns false answers about tokens named in chats. */

import { openEmbeddedLog } from '../../../../infra/log/embedded/open-embedded-log.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { mix } from '../../../../ingest/simulated/random.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { topics } from '../../../../schemas/topics.ts'
import { readRecords } from '../../../ingest/read-records.ts'
import { readMentions } from './chat-page.ts'
import { channels, createChatter } from './chatter.ts'
import { compareFacts } from './compare-facts.ts'
import { rpcAnswer } from './json-rpc.ts'
import { type Answer, type Question, startLiar } from './liar.ts'
import { createLivingChain } from './living-chain.ts'
import { type Lying, lieAbout } from './tell.ts'
import { waitUntil } from './wait-until.ts'
import type { World } from './world.ts'

/** The lies leave these fields true, because a reader cannot notice a false value in them. */
const believed = ['priceUsd', 'usd', 'marketCap', 'fdv', 'h1', 'address']

/**
 * The time after the lies in which chats still name tokens and the service requests their prices, in
 * milliseconds.
 */
const settleMs = 60_000
/**
 * Answers within this time after the last lie may belong to earlier requests, in milliseconds. Only later
 * answers must have a price.
 */
const belatedMs = 10_000

export async function openAggregator(seed: number): Promise<World> {
  const canonical = createLivingChain(seed)
  const chatter = createChatter(seed)
  const node = await startLiar({ seed, honest: rpcAnswer(canonical.answer), lie: (_, answer) => answer })
  const pages = await startLiar({ seed, honest: chatter.page, lie: (_, answer) => answer })
  const liar = await startLiar({ seed, honest: pricePage, lie: lieInPairs, believed })
  const honest = await startLiar({ seed, honest: pricePage, lie: (_, answer) => answer })
  const step = () => {
    canonical.step()
    chatter.step()
  }
  let honestFromMs = 0
  return {
    liar,
    environmentOf: (side) => ({
      ...canonical.environment,
      CHAIN_A_RPC_URL: node.url,
      CHAT_CHANNELS: channels.map((name) => `@${name}`).join(),
      CHAT_PREVIEW_URL: pages.url,
      PRICE_AGGREGATOR_URL: side === 'lied to' ? liar.url : honest.url,
    }),
    step,
    async settle() {
      honestFromMs = Date.now() + belatedMs
      const endAtMs = Date.now() + settleMs
      await waitUntil(async () => {
        step()
        return Date.now() > endAtMs
      }, settleMs)
      return []
    },
    compare: async (folders) => {
      const mentions = await compareFacts('mentions', folders, readMentions)
      const prices = await pricesIn(folders['lied to'])
      const wrong = prices.filter(({ token, px }) => px !== null && px !== priceOf(token))
      const failed = prices.filter(({ px, answeredAtMs }) => px === null && answeredAtMs > honestFromMs)
      const inTime = prices.filter(({ answeredAtMs }) => answeredAtMs > honestFromMs)
      return {
        compared: `${mentions.compared}, and ${prices.length} prices, ${inTime.length} of them asked for after the lies`,
        differences: [
          ...mentions.differences,
          ...(inTime.length === 0 ? ['no price was asked for after the lies'] : []),
          ...wrong.slice(0, 3).map(({ token, px }) => `${token} has the price ${px}, and nobody said so`),
          ...failed.slice(0, 3).map(({ token, failure }) => `${token} has no price after the lies: ${failure}`),
        ],
      }
    },
    leftOut: [
      `the fields ${believed.join(', ')}`,
      'that there is no pair of the token',
      'answers that fail during the lies',
    ],
    stop: async () => {
      for (const server of [node, pages, liar, honest]) await server.stop()
    },
  }
}

const priceOf = (token: string): number => (1 + (mix(Number.parseInt(token.slice(2, 10), 16)) % 1_000)) / 10_000

async function pricePage({ path }: Question): Promise<Answer> {
  const token = path.split('/').at(-1) ?? ''
  const pair = {
    ...{ chainId: 'robinhood', dexId: 'uniswap', pairAddress: `0x${'3'.repeat(40)}`, labels: ['v3'] },
    baseToken: { address: token, name: 'Called', symbol: 'CALLED' },
    quoteToken: { address: `0x${'4'.repeat(40)}`, name: 'Wrapped Ether', symbol: 'WETH' },
    ...{ priceNative: '0.0002853', priceUsd: String(priceOf(token)), priceChange: { m5: -0.28, h1: -1.25 } },
    ...{ liquidity: { usd: 1_017_969.4, base: 934_179, quote: 136.43 }, fdv: 1_192_919_481, marketCap: 600_319_879 },
  }
  return { status: 200, text: JSON.stringify([pair]) }
}

function lieInPairs(_: Question, answer: Answer, lying: Lying): Answer {
  const lied = lieAbout(JSON.parse(answer.text), lying)
  return Array.isArray(lied) && lied.length === 0 ? answer : { ...answer, text: JSON.stringify(lied) }
}

type AnsweredPrice = Readonly<{ token: string; px: number | null; failure: string | null; answeredAtMs: number }>

async function pricesIn(dataDir: string): Promise<readonly AnsweredPrice[]> {
  const { log, registry, close } = await openEmbeddedLog(dataDir, { nowMs: Date.now, topicTable: topics })
  try {
    const { facts: codec } = await createIngestCodecs(chainAStage, registry)
    return (await readRecords(log, 'chain-a-facts', codec)).flatMap(({ key, record }) => {
      if (record?.type !== 'PriceAnswered') return []
      const { price, failure, answeredAtMs } = record.data
      return price !== null && price.source !== 'aggregator'
        ? []
        : [{ token: key, px: price?.px ?? null, failure, answeredAtMs }]
    })
  } finally {
    await close()
  }
}
