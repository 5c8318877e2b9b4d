/**
 * Makes time pass on the local chain, which mines a block for a transaction and none in between: anvil keeps memory for
 * every block. But a payment is verified at the time of the head, and has expired only when a later block is there.
 */
import { createTestClient, publicActions } from 'viem'
import { localChainOf, localTransport } from './local-dollar.ts'

export type ChainClock = Readonly<{
  /** Before a payment is looked at: the head is young then. */
  catchUp: () => Promise<void>
  stop: () => void
}>

export type ChainClockOptions = Readonly<{
  rpcUrl: string
  /** An older head is followed by a block of now. Default: 2 s. */
  headAgeMsMax?: number
  /** While payments may be open, the head is looked at this often. Default: a minute. */
  tickMs?: number
  /** So long after the start and after each use payments may be open. Default: 15 minutes, longer than any is valid. */
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
  /** Payments that come together need one block. */
  const shared = () => {
    underWay ??= mineIfOld().finally(() => {
      underWay = null
    })
    return underWay
  }
  const ticking = setInterval(() => {
    // A chain that is away is noticed by whoever uses it.
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
