import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import type { ChainAFact } from '../../schemas/chain-a/facts.ts'
import { slotEndOf } from '../minutes/minute.ts'
import type { Processor, ProcessorContext } from '../processor.ts'
import { type Curve, type CurveFact, follow, foundCurve, launchCurveOf, launchedCurve } from './curve.ts'

/** A token has one curve: the first that is launched or found. */
type CurvesState = {
  curve: Curve | null
  /** Not published yet: since the block in hand, since some trade. */
  isUrgent: boolean
  isChanged: boolean
  /** The slot end that trades are to be published at, or one that has passed. */
  slotDueAtMs: number
  idleDueAtMs: number
}

const noCurve = (): CurvesState => ({
  curve: null,
  isUrgent: false,
  isChanged: false,
  slotDueAtMs: 0,
  idleDueAtMs: 0,
})

/** Follows a token's bonding curve until its liquidity is in a pool: what else happens than trades is published at once. */
export const curves: Processor<CurvesState> = {
  name: 'curves',
  initialState: noCurve,
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveGraduated'],
  onFact(state, fact, context) {
    if (!isOfCurve(fact)) return
    if (state.curve === null) openCurve(state, fact, context)
    else if (state.curve.terms.curve === fact.data.curve) {
      follow(state.curve, fact)
      state.isChanged = true
      if (fact.type === 'CurveTraded') publishAt(state, fact.data.blockAtMs, context)
      else state.isUrgent = true
    }
  },
  onBlockEnd(state, block, context) {
    if (!state.isUrgent) return
    publish(state, context)
    if (state.curve !== null && state.curve.gradBlock !== null) closeCurve(state, block.atMs, context)
  },
  onWake(state, dueAtMs, context) {
    if (state.curve === null) return
    if (state.isChanged && state.slotDueAtMs === dueAtMs) publish(state, context)
    if (state.idleDueAtMs !== dueAtMs) return
    if (state.curve.readAtMs + curveLifeMs <= dueAtMs) closeCurve(state, dueAtMs, context)
    else waitIdle(state, state.curve, context)
  },
  isEmpty: (state) => state.curve === null,
}

const isOfCurve = (fact: ChainAFact): fact is CurveFact => 'curve' in fact.data

function openCurve(state: CurvesState, { type, data }: CurveFact, context: ProcessorContext): void {
  if (type !== 'CurveLaunched' && type !== 'CurveFound') return
  state.curve = type === 'CurveLaunched' ? launchedCurve(data) : foundCurve(data)
  state.isUrgent = true
  waitIdle(state, state.curve, context)
}

/** One wake for all trades: it looks how long ago the last one was, and waits again. */
function waitIdle(state: CurvesState, { readAtMs }: Curve, context: ProcessorContext): void {
  state.idleDueAtMs = readAtMs + curveLifeMs
  context.wakeAt(state.idleDueAtMs)
}

function publishAt(state: CurvesState, atMs: number, context: ProcessorContext): void {
  const dueAtMs = slotEndOf(atMs)
  if (state.slotDueAtMs === dueAtMs) return
  state.slotDueAtMs = dueAtMs
  context.wakeAt(dueAtMs)
}

function publish(state: CurvesState, context: ProcessorContext): void {
  state.isUrgent = false
  state.isChanged = false
  if (state.curve !== null) context.emit({ type: 'LaunchCurve', data: launchCurveOf(state.curve) })
}

function closeCurve(state: CurvesState, closedAtMs: number, context: ProcessorContext): void {
  if (state.curve !== null) context.emit({ type: 'CurveClosed', data: { curve: state.curve.terms.curve, closedAtMs } })
  Object.assign(state, noCurve())
}
