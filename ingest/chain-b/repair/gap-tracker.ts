/**
 * Tracks the open gaps of curves. A gap is a stretch in which trades of a curve are missing from the recorded
 * facts. For each gap, the tracker knows which facts of its slots are recorded.
 */
import type { ChainBEvent, ChainBFact, CurveTraded, GapFound } from '../../../schemas/chain-b/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { BlockNumber, EpochMs } from '../../../schemas/units.ts'
import { factIdOf } from '../fact-order.ts'
import { isCurveAlive } from '../lives.ts'
import type { MintFact } from '../types.ts'
import { gapBefore, gapIdOf, idOfGap, idOfRepaired, type OpenGap, placeOf } from './gap.ts'
import type { Merged } from './merge-repaired.ts'
import type { Timeliness } from './missing.ts'

export type GapTracker = Readonly<{
  /** Processes the next recorded facts. The facts of each mint must be in chain order. */
  note(facts: readonly MintFact[]): void
  /** The open gaps, by id. */
  open: ReadonlyMap<string, OpenGap>
  /**
   * Returns how this fact of an open gap is recorded: on time, or as a late fact. Returns undefined if the
   * fact is not recorded.
   */
  timelinessOf(gap: OpenGap, factId: string): Timeliness | undefined
  /**
   * Returns the place of the mint's last trade, or of its launch. Returns undefined if `note` has received
   * neither.
   */
  lastOf(key: string): ChainPlace | undefined
  /**
   * Call this after missing facts were inserted into the recorded facts. This fills some gaps and changes
   * others.
   */
  restore(restored: Pick<Merged, 'restored' | 'filled' | 'changed'>): void
  /** Opens a gap after the last trade of a curve. Does nothing if the curve already has such a gap. */
  openLast(gap: OpenGap): void
  /** Forgets the mints whose curves are no longer followed at this block time. */
  forget(atMs: EpochMs): void
}>

/**
 * The last trade or launch of a mint. `place` is its place on the chain. `ids` has the mint's facts of that
 * slot and later slots, by id.
 */
type Recent = { place: ChainPlace; readonly ids: Map<string, Fact> }
type Fact = Readonly<{ slot: BlockNumber; timeliness: Timeliness }>

export function createGapTracker(): GapTracker {
  const recents = new Map<string, Recent>()
  const open = new Map<string, OpenGap>()
  const gapsOf = new Map<string, Set<string>>()
  const factsOf = new Map<string, Map<string, Fact>>()
  const announced = new Map<string, GapFound>()

  const openGap = (gap: OpenGap) => {
    const id = idOfGap(gap)
    if (open.has(id)) return
    open.set(id, gap)
    factsOf.set(id, new Map(recents.get(gap.key)?.ids))
    gapsOf.set(gap.key, (gapsOf.get(gap.key) ?? new Set()).add(id))
  }

  const close = (key: string, id: string) => {
    open.delete(id)
    factsOf.delete(id)
    const ids = gapsOf.get(key)
    ids?.delete(id)
    if (ids?.size === 0) gapsOf.delete(key)
  }

  const moveRecent = (key: string, { data }: ChainBEvent) => {
    const { place, ids = new Map<string, Fact>() } = recents.get(key) ?? {}
    // A fact that was inserted later may be older than the last trade.
    if (place && data.blockNumber < place.blockNumber) return
    for (const [id, { slot }] of ids) if (slot < data.blockNumber) ids.delete(id)
    // Moves the entry to the end of the map, because `forget` needs the oldest entries at the beginning.
    recents.delete(key)
    recents.set(key, { place: placeOf(data), ids })
  }

  const noteInGap = (gapId: string, id: string, fact: Fact) => {
    if (fact.slot <= (open.get(gapId)?.toSlot ?? 0)) factsOf.get(gapId)?.set(id, fact)
  }

  const noteEvent = (key: string, event: ChainBEvent) => {
    const { lateSlot, blockNumber } = event.data
    const fact: Fact = { slot: lateSlot ?? blockNumber, timeliness: lateSlot === null ? 'on-time' : 'late' }
    const id = factIdOf(event)
    for (const gapId of gapsOf.get(key) ?? []) noteInGap(gapId, id, fact)
    if (fact.timeliness === 'on-time' && isOfCurve(event)) moveRecent(key, event)
    const recent = recents.get(key)
    if (recent && fact.slot >= recent.place.blockNumber) recent.ids.set(id, fact)
  }

  const noteFact = (key: string, fact: ChainBFact) => {
    if (fact.type === 'GapFound') announced.set(key, fact.data)
    else if (fact.type === 'GapRepaired') close(key, idOfRepaired(key, fact.data))
    else if (fact.type !== 'CurveFound') {
      const found = announced.get(key)
      if (found && isRightBehind(found, fact)) {
        announced.delete(key)
        openGap(gapBefore(key, found, fact.data))
      }
      if (fact.type !== 'PoolTraded' || fact.data.isBeforeMigration) noteEvent(key, fact)
    }
  }

  return {
    open,
    note(facts) {
      for (const { key, fact } of facts) noteFact(key, fact)
    },
    restore({ restored, filled, changed }) {
      for (const { key, fact } of restored) noteFact(key, fact)
      const over = [...filled].flatMap((id) => open.get(id) ?? [])
      for (const gap of [...over, ...judgedWithout(open, restored)]) close(gap.key, idOfGap(gap))
      for (const gap of changed) if (open.has(idOfGap(gap))) open.set(idOfGap(gap), gap)
    },
    timelinessOf: (gap, factId) => factsOf.get(idOfGap(gap))?.get(factId)?.timeliness,
    lastOf: (key) => recents.get(key)?.place,
    openLast: openGap,
    forget(atMs) {
      for (const [key, { place }] of recents) {
        if (isCurveAlive(place.blockAtMs, atMs)) break
        recents.delete(key)
      }
    },
  }
}

/**
 * Returns the gaps that were computed from a curve's account when the restored trades were still missing. The
 * missing amounts of these gaps are no longer right, so the caller closes them. The next read of the account
 * shows which amounts are still missing.
 */
const judgedWithout = (open: GapTracker['open'], restored: readonly MintFact[]): readonly OpenGap[] =>
  restored.flatMap(({ key, fact: { data } }) => {
    const gap = open.get(gapIdOf(key, null))
    return gap && data.blockNumber >= gap.fromSlot && data.blockNumber <= gap.toSlot ? [gap] : []
  })

const isOfCurve = ({ type }: ChainBEvent): boolean => type === 'CurveTraded' || type === 'CurveLaunched'

type Trade = Readonly<{ type: 'CurveTraded'; data: CurveTraded }>

const isRightBehind = (found: GapFound, fact: ChainBEvent): fact is Trade =>
  fact.type === 'CurveTraded' && fact.data.txHash === found.txHash && fact.data.logIndex === found.logIndex
