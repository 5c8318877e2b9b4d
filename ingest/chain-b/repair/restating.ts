/**
 * Repairs gaps by restatement: as after a reorg, ingest records all facts again from the first slot in which
 * a fact is missing.
 */
import type { Logger } from '../../../infra/telemetry.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber, DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { ChainBRange, KnownChainB } from '../types.ts'
import type { Repaired } from './late-facts.ts'
import { inChainOrder, type Merged, mergeRepaired, type Stretch } from './merge-repaired.ts'
import { createRestatedRun } from './restated-run.ts'

export type RestateLimits = Readonly<{
  /** The minimum time between two restatements, in milliseconds. */
  everyMs: DurationMs
  /** The maximum number of slots that one restatement may record again. */
  slotsMax: number
  /** The maximum number of recorded facts that one restatement may record again. */
  factCountMax: number
}>

export type RestatingOptions = Readonly<{
  known: Pick<KnownChainB, 'blocksFrom' | 'factsFrom'>
  limits: RestateLimits
  nowMs: () => EpochMs
  logger: Logger
}>

export type Restating = Readonly<{
  /**
   * Whether the repair waits for a restatement. Otherwise its facts are recorded as late facts in a later
   * slot.
   */
  takes(repaired: Repaired, head: Block): boolean
  /** Whether enough time has passed since the last restatement. */
  isDue(): boolean
  /**
   * Returns a range that records all facts again up to `head`, with the missing ones. Returns null if none of
   * the repairs can be restated.
   */
  restate(repairs: readonly Repaired[], head: Block): Promise<Restated | null>
  /** Notes that a reorg replaced the slots from `fromSlot` on. `head` is the last slot that is recorded now. */
  reorged(fromSlot: BlockNumber, head: Block): void
}>

export type Restated = Readonly<{ range: ChainBRange; merged: Merged }>

export function createRestating({ known, limits, nowMs, logger }: RestatingOptions): Restating {
  const { everyMs, slotsMax, factCountMax } = limits
  const run = createRestatedRun(slotsMax)
  /** The repairs that cannot be restated. Their facts are recorded as late facts in a later slot. */
  const late = new WeakSet<Repaired>()
  // The first restatement waits for `everyMs` too, because ingest may have restated right before a restart.
  let restatedAtMs = nowMs()

  const makeLate = (repairs: readonly Repaired[], reason: string) => {
    if (repairs.length === 0) return
    for (const repaired of repairs) late.add(repaired)
    logger.warn({ gaps: repairs.length, reason }, 'gaps of curves are repaired with late facts, without a restatement')
  }

  /**
   * Reads the recorded facts since the first missing fact. Some repairs cannot be restated (`makeLate`):
   * those whose first missing fact is older than all recorded slots, and those that would record more than
   * `factCountMax` facts again.
   */
  const readStretch = async (repairs: readonly Repaired[]) => {
    const from = firstSlotOfAll(repairs)
    const closed = await known.blocksFrom(from)
    const facts = [...(await known.factsFrom(from, () => true))].sort(inChainOrder)
    const oldest = closed[0]?.number ?? Number.POSITIVE_INFINITY
    const tooManyUpTo = facts.at(-factCountMax - 1)?.fact.data.blockNumber ?? Number.NEGATIVE_INFINITY
    const [early, later] = split(repairs, (repaired) => firstSlotOf(repaired) <= oldest)
    const [large, left] = split(later, (repaired) => firstSlotOf(repaired) <= tooManyUpTo)
    makeLate(early, 'the log begins after the first missing trade')
    makeLate(large, `more than ${factCountMax} facts would be published again`)
    return { left, closed, facts }
  }

  return {
    takes: (repaired, head) =>
      repaired.failure === null &&
      !late.has(repaired) &&
      repaired.found.flat().every(({ type }) => type !== 'CurveMigrated' && type !== 'CurveLaunched') &&
      run.allows(firstSlotOf(repaired), head),
    isDue: () => Math.abs(nowMs() - restatedAtMs) >= everyMs,
    async restate(repairs, head) {
      restatedAtMs = nowMs()
      const { left, closed, facts } = await readStretch(repairs)
      const hashes = new Map(facts.map(({ fact: { data } }) => [data.blockNumber, data.blockHash]))
      const fitting = left.filter((repaired) => isOnBranch(repaired, hashes))
      if (fitting.length === 0) return null
      const revertedFrom = firstSlotOfAll(fitting)
      const merged = mergeRepaired(stretchFrom(revertedFrom, { facts, closed }), fitting)
      run.note(revertedFrom, head)
      const { length: factCount } = merged.facts
      logger.info(
        { revertedFrom, head, gaps: fitting.length, factCount },
        'gaps of curves are repaired by a restatement',
      )
      const range = { revertedFrom, fromBlock: revertedFrom, head, facts: merged.facts, newAddresses: [] }
      return { range, merged }
    },
    reorged: (fromSlot, head) => run.note(fromSlot, head),
  }
}

/** Returns the first slot in which a fact of this repair is missing. */
const firstSlotOf = ({ found }: Repaired): BlockNumber =>
  found.flat().reduce((first, { data }) => Math.min(first, data.blockNumber), Number.POSITIVE_INFINITY)

const firstSlotOfAll = (repairs: readonly Repaired[]): number => Math.min(...repairs.map(firstSlotOf))

const stretchFrom = (slot: BlockNumber, { facts, closed }: Stretch): Stretch => ({
  closed,
  facts: facts.filter(({ fact }) => fact.data.blockNumber >= slot),
})

/**
 * Whether the blocks of the found facts are the blocks that are recorded. If not, a reorg has replaced them,
 * and the source will report that reorg.
 */
const isOnBranch = ({ blocks }: Repaired, hashes: ReadonlyMap<number, string>): boolean =>
  [...blocks].every(([slot, { hash }]) => (hashes.get(slot) ?? hash) === hash)

function split(repairs: readonly Repaired[], isFirst: (repaired: Repaired) => boolean) {
  return [repairs.filter(isFirst), repairs.filter((repaired) => !isFirst(repaired))] as const
}
