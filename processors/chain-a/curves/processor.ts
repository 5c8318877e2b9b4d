import assert from 'node:assert/strict'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { Address, EpochMs } from '../../../schemas/units.ts'
import { waitEndOf } from '../pace.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { type Curve, type CurveFact, follow, foundCurve, launchCurveOf, launchedCurve } from './curve.ts'

type Closed = Readonly<{ curve: Address; closedAtMs: EpochMs }>

/** The curve of a token: the first curve of the token that was launched or found. */
type CurvesState = {
  curve: Curve | null
  /** Whether the curve must be published at the end of this block. */
  isUrgent: boolean
  /** Whether the curve has changed after it was last published. */
  isChanged: boolean
  /** The time of the last block whose change was published, in ms. */
  publishedAtMs: EpochMs
  idleDueAtMs: EpochMs
}

const noCurve = (): CurvesState => ({
  curve: null,
  isUrgent: false,
  isChanged: false,
  publishedAtMs: 0,
  idleDueAtMs: 0,
})

/**
 * Creates the processor that publishes the state of a token's bonding curve until the curve graduates or has
 * no facts for `lifeMs`. After a trade, the curve is published at the time that `waitEndOf` gives. After any
 * other fact, it is published at the end of the block.
 */
export const createCurves = (rules: ChainANumbers['curves']): ChainAProcessor<CurvesState> => ({
  name: 'curves',
  stateVersion: 3,
  initialState: noCurve,
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveGraduated'],
  onFact(state, fact, context) {
    assert(isOfCurve(fact), 'the fact is not a fact of a curve')
    if (state.curve === null) openCurve(state, fact, { rules, context })
    else if (state.curve.curve === fact.data.curve) follow(state.curve, fact, rules)
    if (state.curve?.curve !== fact.data.curve) return
    state.isChanged = true
    const dueAtMs = fact.type === 'CurveTraded' ? waitEndOf(state.publishedAtMs, fact.data.blockAtMs) : null
    if (dueAtMs === null) state.isUrgent = true
    else context.wakeAt(dueAtMs)
  },
  onBlockEnd(state, block, context) {
    const { curve, isUrgent } = state
    if (curve === null || !isUrgent) return
    publish(state, curve, context)
    if (curve.gradBlock !== null) closeCurve(state, { curve: curve.curve, closedAtMs: block.atMs }, context)
  },
  onWake(state, dueAtMs, context) {
    const { curve } = state
    if (curve === null) return
    if (state.isChanged && waitEndOf(state.publishedAtMs, curve.readAtMs) === dueAtMs) publish(state, curve, context)
    if (state.idleDueAtMs !== dueAtMs) return
    if (idleAtMs(curve, rules) > dueAtMs) waitIdle(state, idleAtMs(curve, rules), context)
    else closeCurve(state, { curve: curve.curve, closedAtMs: dueAtMs }, context)
  },
  isEmpty: (state) => state.curve === null,
})

export const curves = createCurves(chainANumbers.curves)

const isOfCurve = (fact: ChainAFact): fact is CurveFact => 'curve' in fact.data

type Opening = Readonly<{ rules: ChainANumbers['curves']; context: ChainAContext }>

function openCurve(state: CurvesState, { type, data }: CurveFact, { rules, context }: Opening): void {
  if (type !== 'CurveLaunched' && type !== 'CurveFound') return
  state.curve = type === 'CurveLaunched' ? launchedCurve(data) : foundCurve(data)
  waitIdle(state, idleAtMs(state.curve, rules), context)
}

const idleAtMs = ({ readAtMs }: Curve, { lifeMs }: Pick<ChainANumbers['curves'], 'lifeMs'>): EpochMs =>
  readAtMs + lifeMs

/**
 * Sets a timer that detects a curve without facts. There is one timer instead of one per fact. If a newer
 * fact has come when the timer fires, the timer is set again.
 */
function waitIdle(state: CurvesState, dueAtMs: EpochMs, context: ChainAContext): void {
  state.idleDueAtMs = dueAtMs
  context.wakeAt(dueAtMs)
}

function publish(state: CurvesState, curve: Curve, context: ChainAContext): void {
  state.isUrgent = false
  state.isChanged = false
  state.publishedAtMs = curve.readAtMs
  context.emit({ type: 'LaunchCurve', data: launchCurveOf(curve) })
}

function closeCurve(state: CurvesState, closed: Closed, context: ChainAContext): void {
  context.emit({ type: 'CurveClosed', data: closed })
  Object.assign(state, noCurve())
}
