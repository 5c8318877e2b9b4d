import type { TradeGap } from '../../../schemas/chain-b/derived.ts'
import type { ChainBFact, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import { isLate, opens } from '../mints/mint.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { addLate, type CurveGaps, closeLastGap, findGap, findLastGap, noGapsSince, repairGap } from './gap.ts'

type GapsState = { gaps: CurveGaps | null }

/**
 * The processor that publishes the gaps in the recorded trades of a curve. If ingest repairs a gap quickly,
 * it replaces facts as after a reorg. The row of the gap is then withdrawn.
 */
export const gaps: ChainBProcessor<GapsState> = {
  name: 'gaps',
  initialState: () => ({ gaps: null }),
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveMigrated', 'GapFound', 'GapRepaired'],
  readsDerived: ['MintClosed'],
  onFact(state, fact, context) {
    if (opens(fact, state.gaps !== null)) state.gaps = noGapsSince(fact.data)
    else if (state.gaps === null) return
    else {
      const gap = gapAt(state.gaps, fact)
      if (gap !== null) publish(state.gaps, gap, context)
    }
  },
  onDerived(state) {
    state.gaps = null
  },
  isEmpty: (state) => state.gaps === null,
}

/** Returns the gap that the fact opens or changes. Null: the fact changes no gap. */
function gapAt(gaps: CurveGaps, fact: ChainBFact): TradeGap | null {
  if (fact.type === 'CurveTraded') return followTrade(gaps, fact.data)
  if (fact.type === 'GapFound') return findGap(gaps, fact.data)
  if (fact.type === 'GapRepaired') return repairGap(gaps, fact.data)
  return fact.type === 'CurveMigrated' && !isLate(fact.data) ? findLastGap(gaps, fact.data) : null
}

/** Publishes a gap. The volume is left out if the curve is not traded against SOL. */
function publish({ isAgainstSol }: CurveGaps, gap: TradeGap, { emit }: ChainBContext): void {
  emit({ type: 'TradeGap', data: isAgainstSol ? gap : { ...gap, volumeRaw: null } })
}

function followTrade(gaps: CurveGaps, trade: CurveTraded): TradeGap | null {
  const isLast = trade.realTokenRaw === 0n
  if (isLast) gaps.isForSale = false
  if (!isLate(trade)) {
    gaps.lastAtMs = trade.blockAtMs
    return null
  }
  gaps.late = addLate(gaps, trade)
  return isLast ? closeLastGap(gaps) : null
}
