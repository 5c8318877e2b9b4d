/** A simulated chain A that grows with the clock, and its node. */

import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { createRandom } from '../../../../ingest/simulated/random.ts'
import {
  type BranchingChain,
  blocksPerSecond,
  branchVariants,
  createBranchingChain,
} from '../../../ingest/chain-a/branching-chain.ts'
import { dataOf } from '../../../ingest/chain-a/branching-words.ts'
import type { Call } from './json-rpc.ts'
import { waitUntil } from './wait-until.ts'
import type { Services } from './world.ts'

const preset = 'robinhood'
const lagBlocks = 3
/** A block is read again when this many blocks follow it. */
const recheckBlocks = 100
const pastSec = 60
const branchEvery = 100
const settleMsMax = 180_000

export type LivingChain = Readonly<{
  chain: BranchingChain
  environment: Readonly<Record<string, string>>
  /** The fields of a reply without its id. */
  answer: (call: Call) => Promise<object>
  step: () => void
  /** Adds so many empty blocks that the services read all earlier blocks again. */
  settle: (services: Services) => Promise<readonly string[]>
}>

export function createLivingChain(seed: number): LivingChain {
  const contracts = chainAContracts(preset)
  const startSec = Math.floor(Date.now() / 1000) - pastSec
  const chain = createBranchingChain(seed, contracts, startSec)
  const random = createRandom(seed, 92)
  chain.grow(pastSec * blocksPerSecond)
  return {
    chain,
    environment: { CHAIN_A_PRESET: preset, CHAIN_A_LAG_BLOCKS: String(lagBlocks) },
    answer: async (call) => {
      try {
        return { result: await resultOf(call) }
      } catch (error) {
        return { error: { code: -32_000, message: String(error) } }
      }
    },
    step() {
      const due = Math.floor((Date.now() / 1000 - startSec) * blocksPerSecond) - chain.head()
      if (due > 0) chain.grow(due)
      if (due > 0 && random.whole(1, branchEvery) === 1) chain.replace(random.whole(1, 8), random.pick(branchVariants))
    },
    async settle(services) {
      chain.grow(2 * recheckBlocks, false)
      const last = chain.head() - lagBlocks
      const late: string[] = []
      for (const [side, service] of Object.entries(services)) {
        const isThere = async () => ((await service.health())?.chains.chainA?.block ?? 0) >= last
        if ((await waitUntil(isThere, settleMsMax)) === null)
          late.push(`what is ${side} does not come to block ${last}`)
      }
      return late
    },
  }

  async function resultOf({ method, params }: Call): Promise<unknown> {
    if (method === 'eth_getCode') return '0x60806040'
    const [call] = params as readonly Readonly<{ to?: string }>[]
    if (method === 'eth_call' && call?.to === contracts.ethUsdFeed) return priceAt(startSec)
    return chain.upstream(method, params)
  }
}

/** `latestRoundData()`: roundId, answer, startedAt, updatedAt, answeredInRound. */
const priceAt = (sec: number): string => dataOf([1, 2_500n * 10n ** 8n, sec, sec, 1])
