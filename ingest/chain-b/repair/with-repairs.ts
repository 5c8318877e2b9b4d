import { runTogether } from '../../../infra/run-together.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import { type Block, reorgBlocksMaxDefault } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { ReserveMemory } from '../follow/reserve-memory.ts'
import type { ChainBReader } from '../node/reader.ts'
import type { ReserveChain } from '../reserves/reserve-chain.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../types.ts'
import { gapIdOf, type OpenGap } from './gap.ts'
import { createGapTracker, type GapTracker } from './gap-tracker.ts'
import { type Repaired, withLateFacts } from './late-facts.ts'
import { createQuietCurves } from './quiet-curves.ts'
import { type CurveOf, createCurveOf, createEventReader } from './read-events.ts'
import { createRepairs, type RepairLimits } from './repairs.ts'
import { createRestating, type Restated, type RestateLimits, type Restating } from './restating.ts'
import { readRecentFacts, restoreChain } from './restore.ts'

export type RepairingOptions = Readonly<{
  node: Pick<ChainBReader, 'transactionsOf' | 'accounts' | 'block'>
  /**
   * The reserves of the curves after the newest range of slots. The source uses the same object. At the start
   * and after a reorg, it is filled from recorded facts.
   */
  reserves: Pick<ReserveMemory, 'chain' | 'beginAnew'>
  nowMs: () => EpochMs
  logger: Logger
  limits?: Partial<RepairLimits>
  restating?: Partial<RestateLimits>
  delay?: Delay
}>

const restateLimits: RestateLimits = { everyMs: 10_000, slotsMax: reorgBlocksMaxDefault, factCountMax: 50_000 }

/**
 * Wraps a source so that the gaps in its facts are repaired. The missing facts are read in the background,
 * and no range of slots waits for them. If all facts of a gap are found and not too old, the affected slots
 * are restated (recorded again) with them. Otherwise a later range contains them as late facts.
 *
 * A gap opens with its GapFound fact. It closes when a restatement has filled it, or when its GapRepaired
 * fact is recorded. After a restart or a reorg, the open gaps are read from the recorded facts.
 */
export const withRepairs = (source: ChainBSource, options: RepairingOptions): ChainBSource => ({
  kind: source.kind,
  async *ranges(cursor, known, signal) {
    const { nowMs, logger } = options
    const curveOf = createCurveOf(known.book)
    const restating = createRestating({ known, nowMs, logger, limits: { ...restateLimits, ...options.restating } })
    const restore = async (head: Block | null) => {
      const start = head && { head, facts: await readRecentFacts(known, head) }
      return startRepairing(start, { ...options, curveOf, restating }, signal)
    }
    // Forgets the reserves, because an earlier run may have read slots that were never recorded.
    options.reserves.beginAnew()
    let repairing = await restore(cursor)
    try {
      for await (const range of source.ranges(cursor, known, signal)) {
        repairing.throwIfFailed()
        if (range.revertedFrom === undefined) {
          const joined = repairing.join(range)
          yield joined
          repairing.note(joined)
          const restated = await repairing.restate(range.head)
          if (!restated) continue
          yield restated.range
          repairing.restored(restated)
        } else {
          yield range
          restating.reorged(range.revertedFrom, range.head)
          await repairing.stop()
          repairing = await restore(range.head)
        }
      }
    } finally {
      await repairing.stop()
    }
  },
})

type Start = Readonly<{ head: Block; facts: readonly MintFact[] }>

type Repairing = RepairingOptions & Readonly<{ curveOf: CurveOf; restating: Restating }>

function startRepairing(start: Start | null, options: Repairing, signal: AbortSignal) {
  const { node, reserves, curveOf, restating } = options
  const gapTracker = createGapTracker()
  const quiet = createQuietCurves({ ...options, accounts: node.accounts, gapTracker })
  const readEvents = createEventReader(node, curveOf)
  const repairs = createRepairs(gapTracker, { ...options, readEvents, readBlock: node.block })
  const stop = new AbortController()
  const working = AbortSignal.any([signal, stop.signal])
  const note = ({ facts, head }: Pick<ChainBRange, 'facts' | 'head'>) => {
    moveChain(closedIn(facts, gapTracker), reserves.chain())
    gapTracker.note(facts)
    quiet.note(facts, head)
    for (const gap of quiet.gaps()) gapTracker.openLast(gap)
    gapTracker.forget(head.atMs)
    repairs.update()
  }
  if (start) {
    restoreChain(start.facts, reserves.chain())
    note(start)
  }
  let failure: unknown = null
  const work = runTogether([quiet.run(working), repairs.run(working)], stop).catch((error: unknown) => {
    failure = error
  })
  return {
    note,
    join({ head, ...range }: ChainBRange): ChainBRange {
      const isLate = (repaired: Repaired) => !restating.takes(repaired, head)
      return withLateFacts({ ...range, head }, repairs.dueIn(head.number, isLate))
    },
    /**
     * Returns a range that records all facts again up to this slot, with the missing ones. Returns null if no
     * restatement is due.
     */
    async restate(head: Block): Promise<Restated | null> {
      if (!restating.isDue()) return null
      const due = repairs.dueIn(head.number, (repaired) => restating.takes(repaired, head))
      return due.length === 0 ? null : await restating.restate(due, head)
    },
    restored({ merged, range }: Restated): void {
      const gaps = [...merged.filled].flatMap((id) => gapTracker.open.get(id) ?? [])
      moveChain(
        gaps.filter(({ isFollowed }) => !isFollowed),
        reserves.chain(),
      )
      gapTracker.restore(merged)
      quiet.note(merged.restored, range.head)
      repairs.update()
    },
    throwIfFailed() {
      if (failure !== null) throw failure
    },
    async stop() {
      stop.abort()
      await work
    },
  }
}

/**
 * Returns the gaps that these facts repair completely. Contains only gaps after which no trade of the curve
 * is recorded.
 */
const closedIn = (facts: readonly MintFact[], gapTracker: GapTracker): readonly OpenGap[] =>
  facts.flatMap(({ key, fact }) => {
    if (fact.type !== 'GapRepaired' || fact.data.gapTxHash !== null || !fact.data.isWhole) return []
    return gapTracker.open.get(gapIdOf(key, null)) ?? []
  })

/**
 * Sets the reserves of each curve to the reserves after the curve's gap, because the missing trades are now
 * recorded. Skips a curve whose reserves have changed since the gap was found.
 */
function moveChain(gaps: readonly OpenGap[], chain: ReserveChain): void {
  for (const { key, from, to, toSlot } of gaps) {
    const last = chain.lastOf(key)
    if (last?.quoteRaw === from.quoteRaw && last.tokenRaw === from.tokenRaw) chain.begin(key, to, toSlot)
  }
}
