import assert from 'node:assert/strict'
import type { Burst } from '../../../schemas/chain-a/derived.ts'
import type { PoolCreated } from '../../../schemas/chain-a/facts.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { tierTraits } from '../../../schemas/chain-a/tier-traits.ts'
import type { EpochMs, PoolId } from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { burstLpOf, freezeLp, ownersAskedOf, type SignalLp, takeOwners } from './burst-lp.ts'
import { isCheck, nextCheckOf } from './checks.ts'
import { classify, noLiquidity, type Ownership, sharesOf, sumLiquidity, takeChange, takeTransfer } from './ownership.ts'

type LiquidityRules = ChainANumbers['liquidity']

type LiquidPool = {
  readonly pool: PoolId
  readonly createdAtMs: EpochMs
  readonly ownership: Ownership
  /**
   * Whether the current block created the pool, changed its liquidity, or changed an owner of its positions.
   */
  isTouched: boolean
}

type LiquidityState = {
  /** The v4 pools of the token. The list is replaced and never extended with `push`, which would reserve memory for more pools. */
  pools: readonly LiquidPool[]
  /** The bursts whose liquidity is not published yet, or whose lookup of owners has no result yet. */
  signals: readonly SignalLp[]
}

/**
 * Creates the processor that follows who owns the liquidity of v4 pools. It publishes a profile of each pool.
 * At each burst of the tier `main` or `lite`, it publishes the shares of the owners.
 */
export const createLiquidity = (rules: LiquidityRules): ChainAProcessor<LiquidityState> => ({
  name: 'liquidity',
  stateVersion: 6,
  initialState: () => ({ pools: noItems, signals: noItems }),
  reads: ['PoolCreated', 'LiquidityChanged', 'PositionTransferred'],
  readsDerived: ['Burst', 'PoolClosed'],
  onFact(state, fact, context) {
    if (fact.type === 'PoolCreated') return openPool(state, fact.data, { rules, context })
    assert(fact.type === 'LiquidityChanged' || fact.type === 'PositionTransferred')
    const pool = poolOf(state, fact.data.pool)
    if (!pool) return
    if (fact.type === 'PositionTransferred') takeTransfer(pool.ownership, fact.data)
    else if (!takeChange(pool.ownership, fact.data)) return
    pool.isTouched = true
  },
  /**
   * A `Burst` record comes at the end of its block. So the liquidity is copied as it is at the end of that
   * block.
   */
  onDerived(state, record, context) {
    if (record.type === 'Burst') freezeSignal(state, record.data, { rules, context })
    if (record.type === 'PoolClosed') closePool(state, record.data.pool)
  },
  onBlockEnd(state, block, context) {
    for (const pool of state.pools) {
      if (!pool.isTouched) continue
      pool.isTouched = false
      emitProfile(pool, block.atMs, { rules, context })
    }
  },
  // A profile of each young pool is emitted every ten minutes, with or without facts.
  isOftenWoken: true,
  onWake(state, dueAtMs, context) {
    for (const pool of state.pools) {
      if (!isCheck(pool.createdAtMs, dueAtMs, rules)) continue
      emitProfile(pool, dueAtMs, { rules, context })
      wakeForCheck(pool, dueAtMs, { rules, context })
    }
    for (const signal of state.signals)
      if (signal.burst.atMs + rules.delayMs === dueAtMs) show(signal, { rules, context })
    state.signals = keptOf(state.signals, isOpen)
  },
  onAnswer(state, { type, data: answer }, context) {
    if (type !== 'OwnersAnswered') return
    const signal = state.signals.find(({ questionId }) => questionId === answer.questionId)
    if (!signal || signal.isAnswered || signal.revision !== answer.revision) return
    if (takeOwners(signal, answer) && signal.isShown) show(signal, { rules, context })
    state.signals = keptOf(state.signals, isOpen)
  },
  isEmpty: (state) => state.pools.length === 0,
})

export const liquidity = createLiquidity(chainANumbers.liquidity)

/** The rules, and the context of the current call. */
type RuleContext = Readonly<{ rules: LiquidityRules; context: ChainAContext }>

function poolOf({ pools }: LiquidityState, pool: string): LiquidPool | undefined {
  for (const known of pools) if (known.pool === pool) return known
  return undefined
}

function openPool(state: LiquidityState, fact: PoolCreated, ruleContext: RuleContext): void {
  if (fact.dex !== 'v4' || poolOf(state, fact.pool)) return
  const { pool, blockAtMs: createdAtMs, txSender: creator } = fact
  const opened = { pool, createdAtMs, ownership: noLiquidity(creator), isTouched: true }
  state.pools = withItem(state.pools, opened)
  wakeForCheck(opened, createdAtMs, ruleContext)
}

function closePool(state: LiquidityState, pool: string): void {
  state.pools = keptOf(state.pools, (known) => known.pool !== pool)
  state.signals = keptOf(state.signals, ({ burst }) => burst.pool !== pool)
}

function wakeForCheck({ createdAtMs }: LiquidPool, afterMs: EpochMs, { rules, context }: RuleContext): void {
  const dueAtMs = nextCheckOf(createdAtMs, afterMs, rules)
  if (dueAtMs !== null) context.wakeAt(dueAtMs)
}

function emitProfile(its: LiquidPool, checkedAtMs: EpochMs, { rules, context }: RuleContext): void {
  const { pool, createdAtMs, ownership } = its
  const sums = sumLiquidity(ownership)
  context.emit({
    type: 'PoolProfile',
    data: {
      pool,
      createdAtMs,
      checkedAtMs,
      blockNumber: context.touchedBlock,
      creator: ownership.creator,
      class: classify(sums, rules),
      ...sharesOf(sums),
      firstAddAtMs: ownership.firstAddAtMs,
      lpAdds: ownership.lpAdds,
    },
  })
}

function freezeSignal(state: LiquidityState, burst: Burst, { rules, context }: RuleContext): void {
  const pool = poolOf(state, burst.pool)
  if (!pool || !tierTraits[burst.tier].hasLiquidity) return
  const signal = freezeLp(burst, pool.ownership, rules.askedPositionsMax)
  state.signals = withItem(state.signals, signal)
  context.wakeAt(burst.atMs + rules.delayMs)
  if (!signal.isAnswered) context.emit({ type: 'OwnersAsked', data: ownersAskedOf(burst, signal) })
}

function show(signal: SignalLp, { rules, context }: RuleContext): void {
  signal.isShown = true
  context.emit({ type: 'BurstLp', data: burstLpOf(signal, rules) })
}

const isOpen = ({ isShown, isAnswered }: SignalLp): boolean => !(isShown && isAnswered)
