import assert from 'node:assert/strict'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { completes, isLate, mintOpenedOf, type Opening, opens } from './mint.ts'

type Mint = {
  readonly openedAtMs: EpochMs
  /** The block time of the newest fact about the token, without late facts. */
  newestAtMs: EpochMs
  completedAtMs: EpochMs | null
  /**
   * The time of the timer that ends the tracking of the token. If a newer fact of an incomplete curve has
   * come by then, the timer is set again.
   */
  closeDueAtMs: EpochMs
}

type MintsState = { mint: Mint | null }

/**
 * Creates the processor that begins and ends the tracking of a token. After a `MintClosed` record, later
 * processors delete what they stored about the token.
 */
export const createMints = (rules: ChainBNumbers['mints']): ChainBProcessor<MintsState> => ({
  name: 'mints',
  initialState: () => ({ mint: null }),
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded'],
  onFact(state, fact, context) {
    if (opens(fact, state.mint !== null)) openMint(state, fact, { rules, context })
    else if (state.mint !== null && follow(state.mint, fact)) {
      state.mint.closeDueAtMs = fact.data.blockAtMs + rules.graduatedLifeMs
      context.wakeAt(state.mint.closeDueAtMs)
    }
  },
  onWake(state, dueAtMs, context) {
    const { mint } = state
    if (mint?.closeDueAtMs !== dueAtMs) return
    if (mint.completedAtMs === null && mint.newestAtMs + rules.curveLifeMs > dueAtMs)
      return waitIdle(mint, { rules, context })
    state.mint = null
    context.emit({ type: 'MintClosed', data: { openedAtMs: mint.openedAtMs, closedAtMs: dueAtMs } })
  },
  isEmpty: (state) => state.mint === null,
})

export const mints = createMints(chainBNumbers.mints)

type RuleContext = Readonly<{ rules: ChainBNumbers['mints']; context: ChainBContext }>

function openMint(state: MintsState, opening: Opening, ruleContext: RuleContext): void {
  const { blockAtMs } = opening.data
  state.mint = { openedAtMs: blockAtMs, newestAtMs: blockAtMs, completedAtMs: null, closeDueAtMs: 0 }
  ruleContext.context.emit({ type: 'MintOpened', data: mintOpenedOf(opening) })
  waitIdle(state.mint, ruleContext)
}

/** Takes in a fact. Returns whether it completes the curve. */
function follow(mint: Mint, fact: ChainBFact): boolean {
  assert('lateAtMs' in fact.data, 'a CurveFound came after its mint was opened')
  if (isLate(fact.data)) return false
  mint.newestAtMs = fact.data.blockAtMs
  if (mint.completedAtMs !== null || !completes(fact)) return false
  mint.completedAtMs = fact.data.blockAtMs
  return true
}

/**
 * Sets a timer that detects a token without facts. There is one timer instead of one per fact. If a newer
 * fact has come when the timer fires, the timer is set again.
 */
function waitIdle(mint: Mint, { rules, context }: RuleContext): void {
  mint.closeDueAtMs = mint.newestAtMs + rules.curveLifeMs
  context.wakeAt(mint.closeDueAtMs)
}
