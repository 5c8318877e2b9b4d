import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { waitEndOf } from '../pace.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { type Curve, type CurveFact, follow, foundCurve, launchCurveOf, launchedCurve } from './curve.ts'

/** A token has one curve: the first that is launched or found. */
type CurvesState = {
  curve: Curve | null
  /** Publish at the end of this block. */
  isUrgent: boolean
  /** Changed since it was last published. */
  isChanged: boolean
  /** Time of the newest block whose change was published. */
  publishedAtMs: number
  idleDueAtMs: number
}

const noCurve = (): CurvesState => ({
  curve: null,
  isUrgent: false,
  isChanged: false,
  publishedAtMs: 0,
  idleDueAtMs: 0,
})

/** Follows a token's bonding curve until it graduates. Trades are published as minutes are, other facts at the end of their block. */
export const curves: ChainAProcessor<CurvesState> = {
  name: 'curves',
  stateVersion: 3,
  initialState: noCurve,
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveGraduated'],
  onFact(state, fact, context) {
    if (!isOfCurve(fact)) return
    if (state.curve === null) openCurve(state, fact, context)
    else if (state.curve.curve === fact.data.curve) follow(state.curve, fact)
    if (state.curve?.curve !== fact.data.curve) return
    state.isChanged = true
    const dueAtMs = fact.type === 'CurveTraded' ? waitEndOf(state.publishedAtMs, fact.data.blockAtMs) : null
    if (dueAtMs === null) state.isUrgent = true
    else context.wakeAt(dueAtMs)
  },
  onBlockEnd(state, block, context) {
    if (!state.isUrgent) return
    publish(state, context)
    if (state.curve !== null && state.curve.gradBlock !== null) closeCurve(state, block.atMs, context)
  },
  onWake(state, dueAtMs, context) {
    if (state.curve === null) return
    if (state.isChanged && waitEndOf(state.publishedAtMs, state.curve.readAtMs) === dueAtMs) publish(state, context)
    if (state.idleDueAtMs !== dueAtMs) return
    if (state.curve.readAtMs + curveLifeMs <= dueAtMs) closeCurve(state, dueAtMs, context)
    else waitIdle(state, state.curve, context)
  },
  isEmpty: (state) => state.curve === null,
}

const isOfCurve = (fact: ChainAFact): fact is CurveFact => 'curve' in fact.data

function openCurve(state: CurvesState, { type, data }: CurveFact, context: ChainAContext): void {
  if (type !== 'CurveLaunched' && type !== 'CurveFound') return
  state.curve = type === 'CurveLaunched' ? launchedCurve(data) : foundCurve(data)
  waitIdle(state, state.curve, context)
}

/** One timer for all trades. When it fires, it checks the time of the last fact and is set again. */
function waitIdle(state: CurvesState, { readAtMs }: Curve, context: ChainAContext): void {
  state.idleDueAtMs = readAtMs + curveLifeMs
  context.wakeAt(state.idleDueAtMs)
}

function publish(state: CurvesState, context: ChainAContext): void {
  state.isUrgent = false
  state.isChanged = false
  state.publishedAtMs = state.curve?.readAtMs ?? 0
  if (state.curve !== null) context.emit({ type: 'LaunchCurve', data: launchCurveOf(state.curve) })
}

function closeCurve(state: CurvesState, closedAtMs: number, context: ChainAContext): void {
  if (state.curve !== null) context.emit({ type: 'CurveClosed', data: { curve: state.curve.curve, closedAtMs } })
  Object.assign(state, noCurve())
}
