import type { TradeGap } from '../../../schemas/chain-b/derived.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import { isLate, opens } from '../mints/mint.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { addLate, type CurveGaps, findGap, noGapsSince, repairGap } from './gap.ts'

type GapsState = { gaps: CurveGaps | null }

/** Publishes which trades of a mint's curve are missing. What was repaired in time is no gap: the facts say so after a reorg. */
export const gaps: ChainBProcessor<GapsState> = {
  name: 'gaps',
  initialState: () => ({ gaps: null }),
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'GapFound', 'GapRepaired'],
  readsDerived: ['MintClosed'],
  onFact(state, fact, context) {
    if (opens(fact, state.gaps !== null)) state.gaps = noGapsSince(fact.data)
    else if (state.gaps === null) return
    else if (fact.type === 'CurveTraded') followTrade(state.gaps, fact.data)
    else if (fact.type === 'GapFound') publish(state.gaps, findGap(state.gaps, fact.data), context)
    else if (fact.type === 'GapRepaired') {
      const gap = repairGap(state.gaps, fact.data)
      if (gap !== null) publish(state.gaps, gap, context)
    }
  },
  onDerived(state) {
    state.gaps = null
  },
  isEmpty: (state) => state.gaps === null,
}

/** What a trade moves is told in SOL, or not at all. */
function publish({ isAgainstSol }: CurveGaps, gap: TradeGap, { emit }: ChainBContext): void {
  emit({ type: 'TradeGap', data: isAgainstSol ? gap : { ...gap, volumeRaw: null } })
}

function followTrade(gaps: CurveGaps, trade: CurveTraded): void {
  if (isLate(trade)) gaps.late = addLate(gaps, trade)
  else gaps.lastAtMs = trade.blockAtMs
}
