/** A chain in this process, served as a node would: a block every quarter of a second, trades by chance, and new branches. */
import { createHash } from 'node:crypto'
import { logTopics } from '../../../ingest/chain-a/log-topics.ts'
import type { RawLog } from '../../../ingest/chain-a/log-words.ts'
import type { Hex } from '../../../ingest/chain-a/presets.ts'
import { createRandom, type Random } from '../../../ingest/simulator/random.ts'
import type { Upstream } from '../../support/fault-proxy.ts'

/** A log before it has its place. */
type Deed = Readonly<{ pool: Hex; isBirth: boolean; topics: readonly Hex[]; data: Hex; transactionHash: Hex }>
type Block = Readonly<{ number: number; hash: Hex; parentHash: Hex; second: number; deeds: readonly Deed[] }>

export const branchVariants = ['same', 'dropped', 'moved'] as const
export type BranchVariant = (typeof branchVariants)[number]

export type BranchingChain = Readonly<{
  head(): number
  /** Adds blocks, `isBusy` with trades in them. */
  grow(count: number, isBusy?: boolean): void
  /** Replaces the last blocks: their trades again in the same places, not at all, or all in the new last block. */
  replace(depth: number, variant: BranchVariant): void
  /** The logs of the blocks up to one, as the chain has them now. */
  logsUpTo(block: number): readonly RawLog[]
  upstream: Upstream
}>

const genesisSecond = 1_700_000_000
const blocksPerSecond = 4
const word = (value: bigint | number): string => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
const digest = (...parts: readonly unknown[]): Hex => `0x${createHash('sha256').update(parts.join()).digest('hex')}`
const addressOf = (...parts: readonly unknown[]): Hex => `0x${digest(...parts).slice(26)}`
const topicOf = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
const toHex = (value: number): Hex => `0x${value.toString(16)}`

export function createBranchingChain(seed: number, poolManager: Hex): BranchingChain {
  const random = createRandom(seed, 5)
  let blocks: readonly Block[] = []
  let made = 0

  const append = (deeds: readonly Deed[]) => {
    const number = blocks.length
    const parentHash = blocks.at(-1)?.hash ?? (`0x${'0'.repeat(64)}` as Hex)
    const second = genesisSecond + Math.floor(number / blocksPerSecond)
    blocks = [...blocks, { number, hash: digest('block', seed, made++), parentHash, second, deeds }]
  }
  const pools = () => blocks.flatMap(({ deeds }) => deeds.filter(({ isBirth }) => isBirth).map(({ pool }) => pool))
  append([])

  return {
    head: () => blocks.length - 1,
    grow(count, isBusy = true) {
      for (let left = count; left > 0; left--)
        append(isBusy ? tradesOf(random, pools(), () => digest(seed, made++)) : [])
    },
    replace(depth, variant) {
      const dead = blocks.slice(-depth)
      blocks = blocks.slice(0, -depth)
      const moved = dead.flatMap(({ deeds }) => deeds)
      for (const [index, { deeds }] of dead.entries()) {
        const isLast = index === dead.length - 1
        if (variant === 'same') append(deeds)
        else append(variant === 'moved' && isLast ? moved : [])
      }
    },
    logsUpTo: (most) => blocks.slice(0, most + 1).flatMap((block) => logsOf(block, poolManager)),
    upstream: async (method, params) => answerOf(blocks, { poolManager, method, params }),
  }
}

function tradesOf(random: Random, pools: readonly Hex[], nextHash: () => Hex): readonly Deed[] {
  const deeds: Deed[] = []
  const living = [...pools]
  for (let left = random.whole(0, 3); left > 0; left--) {
    const [first, ...rest] = living
    const isBirth = first === undefined || random.chance(0.1)
    const deed = isBirth ? birth(nextHash()) : swap(random.pick([first, ...rest]), nextHash())
    if (isBirth) living.push(deed.pool)
    deeds.push(deed)
  }
  return deeds
}

function birth(pool: Hex): Deed {
  const topics = [logTopics.v4Initialize, pool, topicOf('0x0'), topicOf(addressOf('token', pool))]
  return {
    pool,
    isBirth: true,
    topics,
    data: `0x${[3000, 60, 0, 2n ** 96n, 0].map(word).join('')}`,
    transactionHash: pool,
  }
}

function swap(pool: Hex, transactionHash: Hex): Deed {
  const data: Hex = `0x${[-(10n ** 16n), 10n ** 20n, 2n ** 96n, 10n ** 18n, 0, 3000].map(word).join('')}`
  const topics = [logTopics.v4Swap, pool, topicOf(addressOf('router'))]
  return { pool, isBirth: false, topics, data, transactionHash }
}

const logsOf = ({ number, hash, second, deeds }: Block, address: Hex): readonly RawLog[] =>
  deeds.map(({ topics, data, transactionHash }, index) => ({
    address,
    topics,
    data,
    transactionHash,
    blockNumber: toHex(number),
    blockHash: hash,
    transactionIndex: toHex(index),
    logIndex: toHex(index),
    // Every second block as on nodes that do not send the time.
    ...(number % 2 === 0 ? { blockTimestamp: toHex(second) } : {}),
  }))

type Question = Readonly<{ poolManager: Hex; method: string; params: readonly unknown[] }>

function answerOf(blocks: readonly Block[], { poolManager, method, params }: Question): unknown {
  if (method === 'eth_chainId') return '0x1237'
  if (method === 'eth_getBlockByNumber') {
    const block = params[0] === 'latest' ? blocks.at(-1) : blocks[Number(params[0])]
    if (!block) return null
    return { ...block, deeds: undefined, number: toHex(block.number), timestamp: toHex(block.second) }
  }
  const { fromBlock, toBlock, topics, address } = params[0] as { [key: string]: string } & { topics: [string[]] }
  if (Number(fromBlock) > blocks.length - 1) throw new RangeError('block range extends beyond current head block')
  if (!address?.includes(poolManager)) return []
  return blocks
    .slice(Number(fromBlock), Number(toBlock) + 1)
    .flatMap((block) => logsOf(block, poolManager))
    .filter((log) => topics[0].includes(log.topics[0] as string))
}
