import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import { measureBuys } from '../anatomy/anatomy.ts'
import type { Holding } from '../anatomy/holders.ts'
import { anatomyDelayMs, anatomyOf, holdersAskedOf, takeAnswer } from '../anatomy/question.ts'
import { completes, isLate, opens } from '../mints/mint.ts'
import { endOf, followWatch, openWatch, scoreWatch } from '../outcomes/outcome.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { type BurstLimits, burstLimits } from './burst.ts'
import { type Candidate, candidateOf, isInReach, judgeSlot } from './candidate.ts'
import { buysOf, emptyWindow } from './window.ts'

type BurstsState = { isOpen: boolean; candidate: Candidate | null }

/**
 * Fires the bursts of a curve, asks who holds the mint, and publishes anatomy and outcome. It is one processor because these
 * are of the trades that the window holds: each for itself would read every trade again.
 */
export const createBursts = (limits: BurstLimits): ChainBProcessor<BurstsState> => ({
  name: 'bursts',
  initialState: () => ({ isOpen: false, candidate: null }),
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated'],
  readsDerived: ['MintClosed'],
  onFact(state, fact) {
    if (opens(fact, state.isOpen)) Object.assign(state, { isOpen: true, candidate: candidateOf(fact) })
    else if (state.candidate !== null) follow(state.candidate, fact, limits)
  },
  onDerived(state, record) {
    if (record.type === 'MintClosed') Object.assign(state, { isOpen: false, candidate: null })
  },
  onBlockEnd({ candidate }, slot, context) {
    if (candidate === null) return
    endSlot(candidate, slot, { limits, context })
    if (candidate.slotTrades.length > 0) candidate.slotTrades = []
  },
  onWake({ candidate }, dueAtMs, context) {
    if (candidate === null) return
    for (const question of candidate.questions)
      if (question.asked.atMs + anatomyDelayMs === dueAtMs) question.holding = holdingOf(candidate)
    publishAnatomies(candidate, context)
    if (candidate.watch !== null && endOf(candidate.watch) === dueAtMs) publishOutcome(candidate, null, context)
  },
  onAnswer({ candidate }, answer, context) {
    if (candidate === null || answer.type !== 'HoldersAnswered') return
    for (const question of candidate.questions) takeAnswer(question, answer.data)
    publishAnatomies(candidate, context)
  },
  isEmpty: (state) => !state.isOpen,
})

export const bursts = createBursts(burstLimits)

function follow(candidate: Candidate, fact: ChainBFact, limits: BurstLimits): void {
  if (fact.type === 'CurveMigrated' && !isLate(fact.data)) candidate.pool = fact.data.pool
  if (candidate.isComplete) return
  if (completes(fact)) candidate.isComplete = true
  if (fact.type !== 'CurveTraded' || isLate(fact.data)) return
  if (candidate.watch !== null || isInReach(candidate, fact.data.blockAtMs, limits))
    candidate.slotTrades.push(fact.data)
}

function endSlot(
  candidate: Candidate,
  slot: Block,
  { limits, context }: Readonly<{ limits: BurstLimits; context: ChainBContext }>,
): void {
  const { slotTrades, watch } = candidate
  if (watch !== null) for (const trade of slotTrades) followWatch(watch, trade)
  if (candidate.isComplete) {
    publishOutcome(candidate, slot.atMs, context)
    candidate.window = emptyWindow()
    return
  }
  const burst = judgeSlot(candidate, slot, limits)
  const last = slotTrades.at(-1)
  if (burst === null || last === undefined) return
  candidate.watch = openWatch(burst.atMs, slotTrades, last)
  const asked = holdersAskedOf(context.token, burst)
  candidate.questions.push({ asked, buyers: measureBuys(buysOf(candidate.window)), answer: null, holding: null })
  context.emit({ type: 'Burst', data: burst })
  context.emit({ type: 'HoldersAsked', data: asked })
  context.wakeAt(burst.atMs + anatomyDelayMs)
  context.wakeAt(endOf(candidate.watch))
}

const holdingOf = ({ supplyRaw, curve, pool }: Candidate): Holding => ({ supplyRaw, curve, pool })

/** Does nothing if no burst is unscored. */
function publishOutcome(candidate: Candidate, completedAtMs: number | null, context: ChainBContext): void {
  if (candidate.watch === null) return
  context.emit({ type: 'BurstOutcome', data: scoreWatch(candidate.watch, completedAtMs) })
  candidate.watch = null
}

function publishAnatomies(candidate: Candidate, context: ChainBContext): void {
  for (const question of candidate.questions) {
    const anatomy = anatomyOf(question)
    if (anatomy === null) continue
    candidate.questions = candidate.questions.filter((its) => its !== question)
    context.emit({ type: 'BurstAnatomy', data: anatomy })
  }
}
