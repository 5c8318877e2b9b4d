/** A simulated chain with a node. It has a block every 250 ms, random transactions, and reorgs. */
import assert from 'node:assert/strict'
import type { RawLog } from '../../../ingest/chain-a/decode/log-words.ts'
import type { ChainAContracts } from '../../../ingest/chain-a/presets.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { Upstream } from '../../support/sockets/fault-proxy.ts'
import { curveAnswer, curveOf, reserveWeiOf } from './branching-curves.ts'
import { deedsOf } from './branching-deeds.ts'
import { addressOf, type Curve, type Deed, digest, type Emitters, type Market } from './branching-words.ts'

type Block = Readonly<{ number: number; hash: Hex; parentHash: Hex; second: number; deeds: readonly Deed[] }>

export const branchVariants = ['same', 'dropped', 'moved'] as const
export type BranchVariant = (typeof branchVariants)[number]

export type BranchingChain = Readonly<{
  emitters: Emitters
  head(): number
  /** Adds blocks. With `isBusy`, these blocks have transactions. */
  grow(count: number, isBusy?: boolean): void
  /**
   * Replaces the last `depth` blocks. Depending on the variant, their transactions return in the same places,
   * do not return, or are all in the new last block.
   */
  replace(depth: number, variant: BranchVariant): void
  /** Returns the logs of the blocks up to `block` on the current branch. */
  logsUpTo(block: number): readonly RawLog[]
  /** A curve that was launched before the first block, and that has trades in the chain. */
  oldCurve: Curve
  reserveWeiAt(curve: Hex, block: number): bigint
  upstream: Upstream
}>

const genesisSecond = 1_700_000_000
export const blocksPerSecond = 4
const toHex = (value: number): Hex => `0x${value.toString(16)}`

/** `startSec` is the time of the first block. */
export function createBranchingChain(
  seed: number,
  contracts: ChainAContracts,
  startSec = genesisSecond,
): BranchingChain {
  const emitters = emittersOf(contracts)
  const random = createRandom(seed, 5)
  const oldCurve = curveOf(digest('old curve', seed))
  let blocks: readonly Block[] = []
  let made = 0

  const append = (deeds: readonly Deed[]) => {
    const number = blocks.length
    const parentHash = blocks.at(-1)?.hash ?? (`0x${'0'.repeat(64)}` as Hex)
    const second = startSec + Math.floor(number / blocksPerSecond)
    blocks = [...blocks, { number, hash: digest('block', seed, made++), parentHash, second, deeds }]
  }
  /** The position numbers are consecutive on each branch, so two branches give the same number to different pools. */
  const marketNow = (): Market => {
    const born = blocks.flatMap(({ deeds }) => deeds.flatMap((deed) => deed.born ?? []))
    return {
      emitters,
      pools: born.flatMap((each) => (each.kind === 'pool' ? [each.pool] : [])),
      positions: born.flatMap((each) => (each.kind === 'position' ? [each] : [])),
      curves: [oldCurve, ...born.flatMap((each) => (each.kind === 'curve' ? [each] : []))],
      nextHash: () => digest(seed, made++),
    }
  }
  append([])

  return {
    emitters,
    head: () => blocks.length - 1,
    grow(count, isBusy = true) {
      for (let left = count; left > 0; left--) append(isBusy ? deedsOf(random, marketNow()) : [])
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
    logsUpTo: (most) => blocks.slice(0, most + 1).flatMap(logsOf),
    oldCurve,
    reserveWeiAt: (curve, most) => reserveWeiOf(blocks.slice(0, most + 1).flatMap(logsOf), curve),
    upstream: async (method, params) => answerOf({ blocks, emitters, oldCurve }, { method, params }),
  }
}

function emittersOf({ poolManager, positionManager, ponsFactory }: ChainAContracts): Emitters {
  assert.ok(ponsFactory, 'a chain with curves')
  return { poolManager, positionManager, ponsFactory }
}

function logsOf({ number, hash, second, deeds }: Block): readonly RawLog[] {
  const placed = deeds.flatMap((deed, txIndex) => deed.logs.map((log) => ({ ...log, txIndex, txHash: deed.hash })))
  return placed.map(({ address, topics, data, txIndex, txHash }, index) => ({
    address,
    topics,
    data,
    transactionHash: txHash,
    blockNumber: toHex(number),
    blockHash: hash,
    transactionIndex: toHex(txIndex),
    logIndex: toHex(index),
    // Some nodes do not send the time. So only blocks with an even number have it here.
    ...(number % 2 === 0 ? { blockTimestamp: toHex(second) } : {}),
  }))
}

export const branchingAtMsOf = ({ blockNumber }: RawLog): number =>
  (genesisSecond + Math.floor(Number(blockNumber) / blocksPerSecond)) * 1000

/** Returns the sender of a transaction of the simulated chain. */
export const branchingSenderOf = (txHash: Hex): Hex => addressOf('sender', txHash)

type Chain = Readonly<{ blocks: readonly Block[]; emitters: Emitters; oldCurve: Curve }>
type Question = Readonly<{ method: string; params: readonly unknown[] }>

function answerOf(chain: Chain, { method, params }: Question): unknown {
  const { blocks } = chain
  switch (method) {
    case 'eth_chainId':
      return '0x1237'
    case 'eth_getBlockByNumber': {
      const block = params[0] === 'latest' ? blocks.at(-1) : blocks[Number(params[0])]
      return block ? { ...block, deeds: undefined, number: toHex(block.number), timestamp: toHex(block.second) } : null
    }
    case 'eth_getTransactionByHash': {
      const [hash] = params as [Hex]
      const isKnown = blocks.some(({ deeds }) => deeds.some((deed) => deed.hash === hash))
      return isKnown ? { hash, from: branchingSenderOf(hash) } : null
    }
    case 'eth_call':
      return called(chain, params as Parameters<typeof called>[1])
    default:
      return logsFor(blocks, params[0] as Parameters<typeof logsFor>[1])
  }
}

type LogFilter = Readonly<{ fromBlock: string; toBlock: string; topics: [string[]]; address?: string[] }>

function logsFor(blocks: readonly Block[], { fromBlock, toBlock, topics, address }: LogFilter): readonly RawLog[] {
  if (Number(fromBlock) > blocks.length - 1) throw new RangeError('block range extends beyond current head block')
  return blocks
    .slice(Number(fromBlock), Number(toBlock) + 1)
    .flatMap(logsOf)
    .filter((log) => (address?.includes(log.address) ?? true) && topics[0].includes(log.topics[0] as string))
}

type Call = Readonly<{ to: Hex; data: Hex }>

function called(
  { blocks, emitters, oldCurve }: Chain,
  [call, place]: readonly [Call, 'latest' | Readonly<{ blockHash: Hex }>],
): Hex {
  const at = place === 'latest' ? blocks.length - 1 : blocks.findIndex(({ hash }) => hash === place.blockHash)
  if (at < 0) throw new RangeError('header not found')
  const logs = blocks.slice(0, at + 1).flatMap(logsOf)
  return curveAnswer(call, { logs, oldCurve, factory: emitters.ponsFactory })
}
