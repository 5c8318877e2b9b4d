/**
 * The doctor's checks of chain A:
 * - its nodes are reachable, on the right chain and close to its head
 * - its sockets announce blocks
 * - it has an ETH price
 */
import { answerMsMax, type Check, examine, off, ok, wrong } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import { hostOf } from '../../infra/http-url.ts'
import { type Address, minuteMs } from '../../schemas/units.ts'
import { createNode, isSocketUrl } from './node/node.ts'
import { createNodeSocket } from './node/socket/node-socket.ts'
import { chainAContracts } from './presets.ts'
import { readRound } from './price/chainlink.ts'
import { feedToDo, noFeed } from './price/no-feed.ts'

/**
 * The maximum age of a node's newest block, in milliseconds. The slowest chain makes a block every 12 s, so a
 * node with an older block is behind.
 */
const headAgeMsMax = 120_000

const name = 'chain A node'

export function checkChainA(config: Config): readonly Promise<Check>[] {
  if (config.CHAIN_A_RPC_URL === undefined)
    return [
      Promise.resolve(
        off(name, 'none configured (CHAIN_A_RPC_URL): the simulated market is shown, nothing in it is real'),
      ),
    ]
  const { chainId, ethUsdFeed } = chainAContracts(config.CHAIN_A_PRESET, config.CHAIN_A_CONTRACTS)
  const urls = config.CHAIN_A_RPC_URL
  const sockets = urls.filter(isSocketUrl)
  return [...urls.map((url) => checkNode(url, chainId)), ...sockets.map(checkSocket), checkFeed(urls, ethUsdFeed)]
}

const socketName = 'chain A socket'

/** Subscribes to new heads. The check does not wait for a new head, because the next block may take long. */
function checkSocket(url: string): Promise<Check> {
  const where = hostOf(url)
  const toDo = 'name a node that serves eth_subscribe, or leave this URL out. Without a socket, ingest polls the blocks'
  return examine({ name: socketName, where, toDo }, async () => {
    const openMsMax = answerMsMax - 500
    await createNodeSocket({ url, openMsMax }).trySubscription(AbortSignal.timeout(openMsMax))
    return ok(socketName, `${where}: subscribed to new heads`)
  })
}

const feedName = 'price feed'

async function checkFeed(urls: readonly string[], feed: Address | null): Promise<Check> {
  if (feed === null) return wrong(feedName, noFeed.says, noFeed.toDo)
  return await examine({ name: feedName, where: feed, toDo: feedToDo }, async () => {
    const node = createNode({ urls, timeoutMs: answerMsMax - 500, triesMax: 1 })
    const price = await readRound(node, feed, AbortSignal.timeout(answerMsMax))
    if (!price) return wrong(feedName, `${feed} gives no ETH/USD price with 8 decimals`, feedToDo)
    const ageMin = Math.max(0, Math.round((Date.now() - price.atMs) / minuteMs))
    return ok(feedName, `ETH is ${price.usd.toFixed(2)} USD, updated ${ageMin} min ago`)
  })
}

function checkNode(url: string, chainId: number): Promise<Check> {
  const where = hostOf(url)
  return examine({ name, where, toDo: 'check that the node runs, or correct CHAIN_A_RPC_URL' }, async () => {
    const node = createNode({ urls: [url], timeoutMs: answerMsMax - 500, triesMax: 1 })
    const ask = <Result>(method: string, params: readonly unknown[]) =>
      node.request<Result>({ method, params }, AbortSignal.timeout(answerMsMax))
    const found = Number(await ask<string>('eth_chainId', []))
    if (found !== chainId)
      return wrong(
        name,
        `${where} is a node of chain ${found}, but the contracts are on chain ${chainId}`,
        'correct CHAIN_A_RPC_URL, CHAIN_A_PRESET or CHAIN_A_CONTRACTS',
      )
    const head = await ask<Readonly<{ number: string; timestamp: string }>>('eth_getBlockByNumber', ['latest', false])
    const ageMs = Date.now() - Number(head.timestamp) * 1000
    const says = `${where}: chain ${chainId}, head ${Number(head.number)}, ${Math.max(0, Math.round(ageMs / 1000))} s old`
    return ageMs > headAgeMsMax
      ? wrong(
          name,
          `${says}, but the limit is ${headAgeMsMax / 1000} s`,
          'wait until the node has caught up. Until then, every answer is refused as stale',
        )
      : ok(name, says)
  })
}
