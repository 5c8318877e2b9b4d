import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { openChainA } from '../../../ingest/chain-a/open-chain-a.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { runIngest } from '../../../ingest/run-ingest.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { chainId } from '../../support/chain-a-node/anvil.ts'
import { type ChainANode, createChainANode, walletOf } from '../../support/chain-a-node/node.ts'
import { noAddress, planPool, tokenPlan, weiOf } from '../../support/chain-a-node/pools.ts'
import { trade, trader } from '../../support/chain-a-node/trades.ts'

const blocks = 30
const blockMsMin = 400
const blockMsMax = 1_400
const catchUpMs = 3_000

/**
 * Prints the time from a block of the node until its facts and tick are in the log. Three ingest programs use
 * one local node at the same time. One of them polls, and two are woken by announcements over a socket. One
 * of these two also sends its requests over the socket. The log is in memory.
 */
export async function measurePush(): Promise<void> {
  const node = await createChainANode({ startAtMs: Date.now() - 3_600_000 })
  const stop = new AbortController()
  const { rpcUrl } = node
  const socketUrl = rpcUrl.replace('http:', 'ws:')
  try {
    const buy = await preparePool(node)
    const [polled, ...pushed] = await Promise.all([
      follow(node, { name: 'polled every 500 ms', urls: [rpcUrl], signal: stop.signal }),
      follow(node, { name: 'announced, asked over HTTP', urls: [rpcUrl, socketUrl], signal: stop.signal }),
      follow(node, { name: 'announced, asked over the socket', urls: [socketUrl], signal: stop.signal }),
    ])
    await sleep(catchUpMs)
    const madeAtMs = await makeBlocks(node, buy)
    await sleep(catchUpMs)
    stop.abort()
    console.log(
      `${blocks} blocks, ${blockMsMin} to ${blockMsMax} ms apart, each with a trade, from the block to its facts:`,
    )
    const base = polled.print(madeAtMs)
    for (const each of pushed) console.log(`    ${(each.print(madeAtMs) / base).toFixed(2)} x polling at the median`)
    await Promise.all([polled, ...pushed].map(({ done }) => done))
  } finally {
    stop.abort()
    await node.stop()
  }
}

/** Returns a function that sends a trade. The trade waits for the next block. */
async function preparePool(node: ChainANode): Promise<() => Promise<unknown>> {
  const { contracts } = node
  const { token, transaction } = tokenPlan('push')
  const [provider, wallet] = [walletOf('provider'), walletOf('trader')]
  const { pool, transactions } = planPool(contracts, { dex: 'v4', token, quote: noAddress, provider, liquidityEth: 10 })
  const atMs = Date.now() - 1_800_000
  await node.mine(atMs, [transaction, ...transactions])
  await node.mine(atMs, trader(contracts, pool, wallet))
  const { from, to, data, valueWei = 0n } = trade(contracts, pool, { wallet, quoteWei: weiOf(0.001) })
  const sent = { from, to, data, value: `0x${valueWei.toString(16)}`, gas: '0x7a1200' }
  return () => node.rpc('eth_sendTransaction', [sent])
}

/** Makes blocks, and returns the time of each block by its number. */
async function makeBlocks(node: ChainANode, send: () => Promise<unknown>): Promise<ReadonlyMap<number, number>> {
  const random = createRandom(1, 9)
  const madeAtMs = new Map<number, number>()
  for (let left = blocks; left > 0; left--) {
    await sleep(random.whole(blockMsMin, blockMsMax))
    await send()
    await node.rpc('evm_mine', [])
    const atMs = performance.now()
    madeAtMs.set(Number(await node.rpc('eth_blockNumber')), atMs)
  }
  return madeAtMs
}

type Following = Readonly<{ name: string; urls: readonly string[]; signal: AbortSignal }>

async function follow({ contracts }: ChainANode, { name, urls, signal }: Following) {
  const { poolManager, positionManager, v3Factory, weth } = contracts
  const local = chainAContracts('local', JSON.stringify({ chainId, poolManager, positionManager, v3Factory, weth }))
  const log = createMemoryLog({ nowMs: Date.now })
  const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
  const chain = openChainA({ urls, contracts: local, lagBlocks: 0, logRangeMax: 1_000, logger: silentLogger })
  const told = new Map<number, number>()
  const done = runIngest({
    ...{ chain, log, codecs, nowMs: Date.now, logger: silentLogger, signal },
    onProgress: ({ fromBlock, toBlock }) => {
      for (let block = fromBlock; block <= toBlock; block++) told.set(block, performance.now())
    },
  })
  return {
    done,
    /** Prints the p50 and p90 of the times from a block to its facts, in milliseconds. Returns the p50. */
    print(madeAtMs: ReadonlyMap<number, number>): number {
      const ms = [...madeAtMs].flatMap(([block, atMs]) => (told.has(block) ? [Number(told.get(block)) - atMs] : []))
      ms.sort((left, right) => left - right)
      const at = (share: number) => ms[Math.floor(ms.length * share)] ?? Number.NaN
      console.log(`  ${name.padEnd(34)}p50 ${at(0.5).toFixed(0)} ms, p90 ${at(0.9).toFixed(0)} ms (${ms.length} seen)`)
      return at(0.5)
    },
  }
}
