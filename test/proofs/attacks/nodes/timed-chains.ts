/** Two chains that grow with the clock. Their nodes report the times that the test wants. */

import { startRpcDouble } from '../../../ingest/chain-a/rpc-double.ts'
import { createFakeChain } from '../../../support/chain-b/fake-helius/chain.ts'
import { createFaults } from '../../../support/chain-b/fake-helius/faults.ts'
import { startFakeHelius } from '../../../support/chain-b/fake-helius/server.ts'

/** Returns the time that a node reports for a true time. Both times are in seconds. */
export type Lie = (second: number) => number

export type TimedChains = Readonly<{
  environment: Readonly<Record<string, string>>
  /**
   * The number of the newest block of each chain. The keys are the chain names that the service uses in its
   * answers.
   */
  heads: () => Readonly<Record<'chainA' | 'chainB', number>>
  /** Null: both nodes are honest. */
  lie: (lie: Lie | null) => void
  stop: () => Promise<void>
}>

const chainId = 31_337
const pastSec = 60
const usdFeed = `0x${'fe'.repeat(20)}`
const hex = (value: number): string => `0x${value.toString(16)}`
const hashOf = (block: number): string => `0x${(block + 1).toString(16).padStart(64, '0')}`
const word = (value: number): string => value.toString(16).padStart(64, '0')

export async function startTimedChains(): Promise<TimedChains> {
  const startSec = Math.floor(Date.now() / 1000) - pastSec
  let told: Lie = (second) => second
  const headA = () => Math.floor(Date.now() / 1000) - startSec

  const blockA = (tag: unknown) => {
    const number = tag === 'latest' ? headA() : Number(tag)
    const isThere = number >= 0 && number <= headA()
    const timestamp = hex(Math.max(0, told(startSec + number)))
    return isThere ? { number: hex(number), hash: hashOf(number), parentHash: hashOf(number - 1), timestamp } : null
  }
  /**
   * Returns what the contract of the price feed returns: round id, price, start time, update time, and round
   * of the answer.
   */
  const round = () => {
    const atSec = told(Math.floor(Date.now() / 1000))
    return `0x${[1, 3_000 * 1e8, atSec, atSec, 1].map(word).join('')}`
  }
  const nodeA = await startRpcDouble((method, [param]) => {
    if (method === 'eth_chainId') return { result: hex(chainId) }
    if (method === 'eth_getBlockByNumber') return { result: blockA(param) }
    if (method === 'eth_call') return { result: round() }
    return { result: method === 'eth_getLogs' ? [] : null }
  })

  const chain = await createFakeChain(5, startSec)
  chain.grow(pastSec * 2)
  const lyingChain = {
    ...chain,
    blocks: () => chain.blocks().map((block) => ({ ...block, atSec: told(block.atSec) })),
  }
  const faults = createFaults(5)
  faults.calm()
  const nodeB = await startFakeHelius({ chain: lyingChain, faults, isHelius: true })
  const growing = setInterval(() => {
    while (chain.head().atSec < Math.floor(Date.now() / 1000)) nodeB.announce(chain.grow(1, true))
  }, 250)

  const zero = `0x${'00'.repeat(19)}`
  return {
    environment: {
      ...{ CHAIN_A_PRESET: 'local', CHAIN_A_RPC_URL: nodeA.url, HELIUS_API_KEY: 'a-secret-key' },
      CHAIN_A_CONTRACTS: JSON.stringify({
        ...{ chainId, ethUsdFeed: usdFeed, poolManager: `${zero}a1`, positionManager: `${zero}a2` },
        ...{ v3Factory: `${zero}a3`, weth: `${zero}a4` },
      }),
      ...{ CHAIN_B_RPC_URL: nodeB.url, CHAIN_B_WS_URL: nodeB.wsUrl, CHAIN_B_LOOK_BACK_MIN: '1' },
    },
    heads: () => ({ chainA: headA(), chainB: chain.head().slot }),
    lie: (lie) => {
      told = lie ?? ((second) => second)
    },
    stop: async () => {
      clearInterval(growing)
      await Promise.all([nodeA.stop(), nodeB.stop()])
    },
  }
}
