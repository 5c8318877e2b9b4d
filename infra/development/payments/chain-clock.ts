/**
 * Moves the time of the local chain forward. The chain mines a block only for a transaction, because anvil
 * keeps memory for every block. But the time of the newest block decides whether a payment is already valid
 * or has expired. So this clock mines a block when the newest block is too old.
 */
import { createTestClient, publicActions } from 'viem'
import { localChainOf, localTransport } from './local-dollar.ts'

export type ChainClock = Readonly<{
  /** Mines a block if the newest block is too old. Call this before a payment is verified. */
  catchUp: () => Promise<void>
  stop: () => void
}>

export type ChainClockOptions = Readonly<{
  rpcUrl: string
  /**
   * The maximum age of the newest block, in milliseconds. If the block is older, a new block is mined.
   * Default: 2,000.
   */
  headAgeMsMax?: number
  /** The interval between two checks of the newest block's age, in milliseconds. Default: 60,000. */
  tickMs?: number
  /**
   * How long the clock keeps checking the newest block after the start and after each call of `catchUp`, in
   * milliseconds. Default: 900,000, which is longer than any payment is valid.
   */
  openMs?: number
}>

export function createChainClock(options: ChainClockOptions): ChainClock {
  const { rpcUrl, headAgeMsMax = 2_000, tickMs = 60_000, openMs = 900_000 } = options
  const chain = { chain: localChainOf(rpcUrl), transport: localTransport(rpcUrl) }
  const node = createTestClient({ mode: 'anvil', ...chain, cacheTime: 0 }).extend(publicActions)
  let usedAtMs = Date.now()
  let underWay: Promise<void> | null = null

  const mineIfOld = async () => {
    const { timestamp } = await node.getBlock()
    if (Date.now() - Number(timestamp) * 1000 > headAgeMsMax) await node.mine({ blocks: 1 })
  }
  /** Runs `mineIfOld`. Calls during a run wait for the end of the same run. */
  const shared = () => {
    underWay ??= mineIfOld().finally(() => {
      underWay = null
    })
    return underWay
  }
  const ticking = setInterval(() => {
    // This timer ignores a failure of the node, because the users of the chain get the same failure.
    if (Date.now() - usedAtMs < openMs) shared().catch(() => {})
  }, tickMs)
  ticking.unref()
  return {
    catchUp() {
      usedAtMs = Date.now()
      return shared()
    },
    stop: () => clearInterval(ticking),
  }
}
