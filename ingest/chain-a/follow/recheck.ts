/**
 * Reads recent blocks again, to find EVM logs that were missing in the node's first answer. By then, the node
 * has had time to index the blocks. The recheck misses three kinds of logs:
 * - a log that is missing in both answers
 * - a log in the first block that was ever read
 * - a log in a block that was older than the deepest reorg when it was first read
 *
 * Block blooms would not help. Logs of v3 pools are requested by topic alone. A bloom with half of its bits
 * set matches a topic by chance in one of eight blocks.
 */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import { factIdOf } from '../fact-order.ts'
import type { ChainHeader } from '../node/headers.ts'
import type { ChainARange } from '../types.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'
import { fetchRange, linkFrom } from './fetch-range.ts'
import { decodeRange } from './to-fact-range.ts'

export type Recheck = Readonly<{
  /** Call this after the range is in the log. */
  published(range: ChainARange): void
  /** Whether the next block to recheck has enough later blocks. */
  isDue(last: LastBlock): boolean
  /**
   * Reads at most `span` of the blocks that are due for a recheck. Returns the first block for which the node
   * has an unpublished fact, or null. A published fact may be missing in the new answer. It stays valid,
   * because the block's hash is the same.
   */
  findLate(look: Readonly<{ last: LastBlock; head: ChainHeader; span: number }>): Promise<number | null>
}>

/**
 * Creates the recheck. Reads from the log the ids of the facts that were published shortly before ingest
 * started.
 */
export async function createRecheck(dependencies: FollowDependencies, cursor: Block | null): Promise<Recheck> {
  const { recheckBlocks, node, contracts, signal, known } = dependencies
  const since = cursor ? await firstUnchecked(dependencies, cursor) : 0
  let nextBlock = cursor ? since : null
  const ids = cursor && recheckBlocks > 0 ? await known.factIdsFrom(since) : new Map<number, Set<string>>()

  const forgetFrom = (block: number) => {
    for (const number of ids.keys()) if (number >= block) ids.delete(number)
    nextBlock = Math.min(nextBlock ?? block, block)
  }

  return {
    published({ revertedFrom, fromBlock, head, facts, chainHeadNumber = head.number }) {
      if (recheckBlocks === 0) return
      if (revertedFrom !== undefined) forgetFrom(revertedFrom)
      // The recheck begins after the first range, because a reorg cannot return to a block before the log's
      // first tick.
      nextBlock ??= head.number + 1
      const isPast = chainHeadNumber - head.number > dependencies.reorgBlocksMax
      if (isPast && nextBlock === fromBlock) nextBlock = head.number + 1
      else for (const { fact } of facts) remember(ids, fact)
    },
    isDue: ({ number }) => recheckBlocks > 0 && nextBlock !== null && number - nextBlock + 1 >= 2 * recheckBlocks,
    async findLate({ head, span, last }) {
      const fromBlock = nextBlock ?? last.number
      const toBlock = Math.min(fromBlock + span - 1, last.number - recheckBlocks)
      const raw = await fetchRange(
        node,
        { fromBlock, toBlock, contracts, linkFrom: linkFrom(dependencies, head) },
        signal,
      )
      const { facts } = decodeRange(dependencies, [raw])
      const late = facts.find(({ fact }) => !ids.get(fact.data.blockNumber)?.has(factIdOf(fact)))
      if (late) return late.fact.data.blockNumber
      for (const number of ids.keys()) if (number <= toBlock) ids.delete(number)
      nextBlock = toBlock + 1
      return null
    },
  }
}

/**
 * Returns the first block that may not have been rechecked before the restart. Ingest reads a range only
 * while fewer than `2 * recheckBlocks` blocks wait for their recheck. So at most this many blocks were
 * waiting before the last range. Blocks before the log's first tick were never published, so they are not
 * rechecked.
 */
async function firstUnchecked({ known, recheckBlocks }: FollowDependencies, cursor: Block): Promise<number> {
  const [before] = await known.blocksFrom(cursor.number)
  if (!before || before.number >= cursor.number) return cursor.number + 1
  const first = before.number - 2 * recheckBlocks + 1
  const [oldest = cursor] = await known.blocksFrom(first)
  return Math.max(first, oldest.number + 1)
}

function remember(ids: Map<number, Set<string>>, fact: ChainAFact): void {
  const { blockNumber } = fact.data
  const known = ids.get(blockNumber)
  if (known) known.add(factIdOf(fact))
  else ids.set(blockNumber, new Set([factIdOf(fact)]))
}
