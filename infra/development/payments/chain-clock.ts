/**
 * Makes time pass on the local chain, which mines a block per transaction and none in between, because anvil keeps
 * memory for every block. But a payment is verified at the time of the head, and expires only with a later block.
 */
import { createTestClient, publicActions } from 'viem'
import { localChainOf, localTransport } from './local-dollar.ts'

export type ChainClock = Readonly<{
  /** Call this before a payment is verified, so that the head is recent. */
  catchUp: () => Promise<void>
  stop: () => void
}>

export type ChainClockOptions = Readonly<{
  rpcUrl: string
  /** If the head is older, a new block is mined. Default: 2 s. */
  headAgeMsMax?: number
  /** The interval of checks of the head while payments may be open. Default: one minute. */
  tickMs?: number
  /**
   * Payments may be open for this long after the start and after each use. Default: 15 minutes, which is longer than
   * any payment is valid.
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
  /** Runs `mineIfOld` once for all calls that arrive while it runs. */
  const shared = () => {
    underWay ??= mineIfOld().finally(() => {
      underWay = null
    })
    return underWay
  }
  const ticking = setInterval(() => {
    // If the chain is unreachable, its users will notice.
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
