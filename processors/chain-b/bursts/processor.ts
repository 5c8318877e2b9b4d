import assert from 'node:assert/strict'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { keptOf, withItem } from '../../lean-list.ts'
import { measureBuys } from '../anatomy/anatomy.ts'
import type { Holding } from '../anatomy/holders.ts'
import { anatomyOf, holdersAskedOf, takeAnswer } from '../anatomy/question.ts'
import { completes, isLate, opens } from '../mints/mint.ts'
import { endOf, followWatch, openWatch, type Scoring, scoreWatch, scoringOf } from '../outcomes/outcome.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { type BurstLimits, burstLimitsOf } from './burst.ts'
import { type Candidate, candidateOf, isInReach, judgeSlot } from './candidate.ts'
import { buysOf, trimWindow } from './window.ts'

type BurstRules = Pick<ChainBNumbers, 'bursts' | 'anatomy' | 'outcomes'>

type BurstsState = { isOpen: boolean; candidate: Candidate | null }

/**
 * Creates the processor of bursts. It detects the bursts on a curve, requests a lookup of the token's
 * holders, and publishes `BurstAnatomy` and `BurstOutcome`. One processor does all of this, because several
 * processors would each have to read every trade.
 */
export function createBursts(rules: BurstRules): ChainBProcessor<BurstsState> {
  const limits = burstLimitsOf(rules.bursts)
  const scoring = scoringOf(rules.outcomes)
  const { anatomy } = rules
  return {
    name: 'bursts',
    stateVersion: 2,
    initialState: () => ({ isOpen: false, candidate: null }),
    reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated'],
    readsDerived: ['MintClosed'],
    onFact(state, fact) {
      if (opens(fact, state.isOpen)) Object.assign(state, { isOpen: true, candidate: candidateOf(fact) })
      else if (state.candidate !== null) follow(state.candidate, fact, limits)
    },
    onDerived(state, record) {
      assert(record.type === 'MintClosed')
      Object.assign(state, { isOpen: false, candidate: null })
    },
    onBlockEnd({ candidate }, slot, context) {
      if (candidate === null) return
      endSlot(candidate, slot, { limits, scoring, anatomy, context })
      if (candidate.slotTrades.length > 0) candidate.slotTrades = []
    },
    onWake({ candidate }, dueAtMs, context) {
      if (candidate === null) return
      for (const question of candidate.questions)
        if (question.asked.atMs + anatomy.delayMs === dueAtMs) question.holding = holdingOf(candidate)
      publishAnatomies(candidate, context)
      if (candidate.watch !== null && endOf(candidate.watch, scoring) === dueAtMs)
        publishOutcome(candidate, null, { scoring, context })
    },
    onAnswer({ candidate }, answer, context) {
      if (candidate === null || answer.type !== 'HoldersAnswered') return
      for (const question of candidate.questions) takeAnswer(question, answer.data)
      publishAnatomies(candidate, context)
    },
    trim({ candidate }, atMs) {
      if (candidate !== null && candidate.window !== null) candidate.window = trimWindow(candidate.window, atMs, limits)
    },
    isEmpty: (state) => !state.isOpen,
  }
}

export const bursts = createBursts(chainBNumbers)

type RuleContext = Readonly<{
  limits: BurstLimits
  scoring: Scoring
  anatomy: BurstRules['anatomy']
  context: ChainBContext
}>

function follow(candidate: Candidate, fact: ChainBFact, limits: BurstLimits): void {
  if (fact.type === 'CurveMigrated' && !isLate(fact.data)) candidate.pool = fact.data.pool
  if (candidate.isComplete) return
  if (completes(fact)) candidate.isComplete = true
  if (fact.type !== 'CurveTraded' || isLate(fact.data)) return
  if (candidate.watch !== null || isInReach(candidate, fact.data.blockAtMs, limits))
    candidate.slotTrades.push(fact.data)
}

function endSlot(candidate: Candidate, slot: Block, { limits, scoring, anatomy, context }: RuleContext): void {
  const { slotTrades, watch } = candidate
  if (watch !== null) for (const trade of slotTrades) followWatch(watch, trade, scoring)
  if (candidate.isComplete) {
    publishOutcome(candidate, slot.atMs, { scoring, context })
    candidate.window = null
    return
  }
  const burst = judgeSlot(candidate, slot, limits)
  const last = slotTrades.at(-1)
  if (burst === null || last === undefined) return
  assert(candidate.window !== null, 'a burst has trades in the window')
  candidate.watch = openWatch(burst.atMs, slotTrades, { last, scoring })
  const asked = holdersAskedOf(context.token, burst)
  candidate.questions = withItem(candidate.questions, {
    asked,
    buyers: measureBuys(buysOf(candidate.window), anatomy),
    answer: null,
    holding: null,
  })
  context.emit({ type: 'Burst', data: burst })
  context.emit({ type: 'HoldersAsked', data: asked })
  context.wakeAt(burst.atMs + anatomy.delayMs)
  context.wakeAt(endOf(candidate.watch, scoring))
}

const holdingOf = ({ supplyRaw, curve, pool }: Candidate): Holding => ({ supplyRaw, curve, pool })

/** Publishes the outcome of the burst whose price is followed. Does nothing if there is no such burst. */
function publishOutcome(
  candidate: Candidate,
  completedAtMs: EpochMs | null,
  { scoring, context }: Pick<RuleContext, 'scoring' | 'context'>,
): void {
  if (candidate.watch === null) return
  context.emit({ type: 'BurstOutcome', data: scoreWatch(candidate.watch, completedAtMs, scoring) })
  candidate.watch = null
}

function publishAnatomies(candidate: Candidate, context: ChainBContext): void {
  for (const question of candidate.questions) {
    const anatomy = anatomyOf(question)
    if (anatomy === null) continue
    candidate.questions = keptOf(candidate.questions, (its) => its !== question)
    context.emit({ type: 'BurstAnatomy', data: anatomy })
  }
}
