/**
 * Recent blocks are read a second time, when the node has had time to index them: a log that it had left out is found.
 *
 * Not found is a log that the node leaves out both times, or in a backfill deeper than a revert may go. The blooms of the
 * blocks could only hint at it, and only where headers are read anyway: logs of v3 pools are asked for by topic alone, and
 * where half of a bloom's bits are set it seems to hold any topic once in eight times, any topic of one contract once in 64.
 */
import { type BlockHeader, type FactRange, factIdOf } from '../../source.ts'
import type { ChainHeader } from '../node/headers.ts'
import { fetchRange, linkFrom } from './fetch-range.ts'
import type { Follower, LastBlock } from './follower.ts'
import { decodeRange } from './tell.ts'

export type Recheck = Readonly<{
  /** After the range is in the log. */
  told(range: FactRange): void
  /** Whether enough blocks were read behind those that wait. */
  isDue(last: LastBlock): boolean
  /**
   * Reads the next blocks that wait, at most `span`. The first one of which the node now has a fact that was not told, or
   * null. A fact that the node does not give this time proves nothing: its block has the hash that it was told with.
   */
  findLate(look: Readonly<{ last: LastBlock; head: ChainHeader; span: number }>): Promise<number | null>
}>

/** Knows from the log what was told shortly before the start. */
export async function createRecheck(follower: Follower, cursor: BlockHeader | null): Promise<Recheck> {
  const { recheckBlocks, node, contracts, signal, known } = follower
  const since = cursor ? await firstUnchecked(follower, cursor) : 0
  let nextBlock = cursor ? since : null
  const ids = cursor && recheckBlocks > 0 ? await known.factIdsFrom(since) : new Map<number, Set<string>>()

  const forgetFrom = (block: number) => {
    for (const number of ids.keys()) if (number >= block) ids.delete(number)
    nextBlock = Math.min(nextBlock ?? block, block)
  }

  return {
    told({ revertedFrom, fromBlock, head, facts, chainHeadNumber = head.number }) {
      if (recheckBlocks === 0) return
      if (revertedFrom !== undefined) forgetFrom(revertedFrom)
      // Before the first block stands nothing to go back to.
      nextBlock ??= head.number + 1
      const isPast = chainHeadNumber - head.number > follower.reorgBlocksMax
      if (isPast && nextBlock === fromBlock) nextBlock = head.number + 1
      else for (const { fact } of facts) remember(ids, fact.data)
    },
    isDue: ({ number }) => recheckBlocks > 0 && nextBlock !== null && number - nextBlock + 1 >= 2 * recheckBlocks,
    async findLate({ head, span, last }) {
      const fromBlock = nextBlock ?? last.number
      const toBlock = Math.min(fromBlock + span - 1, last.number - recheckBlocks)
      const raw = await fetchRange(node, { fromBlock, toBlock, contracts, linkFrom: linkFrom(follower, head) }, signal)
      const { facts } = decodeRange(follower, [raw])
      const late = facts.find(({ fact: { data } }) => !ids.get(data.blockNumber)?.has(factIdOf(data)))
      if (late) return late.fact.data.blockNumber
      for (const number of ids.keys()) if (number <= toBlock) ids.delete(number)
      nextBlock = toBlock + 1
      return null
    },
  }
}

/**
 * A range is read only when fewer than two windows wait: behind the last one, that many may still wait. Blocks before the
 * log's first one were never told, which does not make them late.
 */
async function firstUnchecked({ known, recheckBlocks }: Follower, cursor: BlockHeader): Promise<number> {
  const [before] = await known.blocksFrom(cursor.number)
  if (!before || before.number >= cursor.number) return cursor.number + 1
  const first = before.number - 2 * recheckBlocks + 1
  const [oldest = cursor] = await known.blocksFrom(first)
  return Math.max(first, oldest.number + 1)
}

function remember(ids: Map<number, Set<string>>, fact: Parameters<typeof factIdOf>[0] & { blockNumber: number }): void {
  const known = ids.get(fact.blockNumber)
  if (known) known.add(factIdOf(fact))
  else ids.set(fact.blockNumber, new Set([factIdOf(fact)]))
}
