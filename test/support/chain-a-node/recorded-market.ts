/** Plays the scripted trades on a new node from a fixed time on, and records the node's answers. */
import { recordChain } from '../oracle/record-chain.ts'
import type { Recording } from '../oracle/recording.ts'
import { createMarket, marketLengthMs } from './market.ts'
import { play } from './market-book.ts'
import { createChainANode } from './node.ts'

export type MarketRecording = Readonly<{
  startAtMs: number
  /** The name of each pool in the script, by pool id. */
  names: Readonly<Record<string, string>>
  recording: Recording
}>

const startAtMs = Date.UTC(2026, 8, 1, 12)
const minuteMs = 60_000

/**
 * Plays the script and records the chain. The live part begins one minute after the end of `past`. The last
 * block comes more than half an hour later, when the outcomes of all bursts are known.
 */
export async function recordMarket(): Promise<MarketRecording> {
  const node = await createChainANode({ startAtMs: startAtMs - 2 * minuteMs })
  try {
    const market = createMarket(node.contracts, { startAtMs, seed: 7 })
    const live = market.live(startAtMs + marketLengthMs + minuteMs)
    await play(node, [...market.past, ...live.before, ...live.during, ...live.after])
    await node.mine(startAtMs + marketLengthMs + 33 * minuteMs)
    const names = Object.fromEntries([...market.pools, ...live.pools].map((pool) => [pool.id, pool.name]))
    return { startAtMs, names, recording: await recordChain(node.rpc, node.contracts) }
  } finally {
    await node.stop()
  }
}
