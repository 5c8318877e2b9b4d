import type { Burst } from '../../../schemas/chain-a/derived.ts'
import type { PoolCreated } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { burstLpOf, freezeLp, lpDelayMs, ownersAskedOf, type SignalLp, takeOwners } from './burst-lp.ts'
import { isCheck, nextCheckOf } from './checks.ts'
import { classify, noLiquidity, type Ownership, sharesOf, sumLiquidity, takeChange, takeTransfer } from './ownership.ts'

type LiquidPool = {
  readonly pool: Hex
  readonly createdAtMs: number
  readonly creator: Hex | null
  readonly ownership: Ownership
  /** The current block created the pool, or changed its liquidity or an owner. */
  isTouched: boolean
}

type LiquidityState = {
  /** Only v4 pools. */
  pools: Map<string, LiquidPool>
  /** Bursts whose liquidity is not published yet, or whose question is not answered yet. */
  signals: SignalLp[]
}

/** Follows who holds the liquidity of v4 pools. Publishes a profile of each, and the holders at the signal of main and lite bursts. */
export const liquidity: ChainAProcessor<LiquidityState> = {
  name: 'liquidity',
  stateVersion: 3,
  initialState: () => ({ pools: new Map(), signals: [] }),
  reads: ['PoolCreated', 'LiquidityChanged', 'PositionTransferred'],
  readsDerived: ['Burst', 'PoolClosed'],
  onFact(state, fact, context) {
    if (fact.type === 'PoolCreated') return openPool(state, fact.data, context)
    if (fact.type !== 'LiquidityChanged' && fact.type !== 'PositionTransferred') return
    const pool = state.pools.get(fact.data.pool)
    if (!pool) return
    if (fact.type === 'PositionTransferred') takeTransfer(pool.ownership, fact.data)
    else if (!takeChange(pool.ownership, fact.data)) return
    pool.isTouched = true
  },
  /** Bursts are judged at the end of their block, so the state is that of the end of the signal block. */
  onDerived(state, record, context) {
    if (record.type === 'Burst') freezeSignal(state, record.data, context)
    if (record.type === 'PoolClosed') closePool(state, record.data.pool)
  },
  onBlockEnd(state, block, context) {
    for (const pool of state.pools.values()) {
      if (!pool.isTouched) continue
      pool.isTouched = false
      emitProfile(pool, block.atMs, context)
    }
  },
  onWake(state, dueAtMs, context) {
    for (const pool of state.pools.values()) {
      if (!isCheck(pool.createdAtMs, dueAtMs)) continue
      emitProfile(pool, dueAtMs, context)
      wakeForCheck(pool, dueAtMs, context)
    }
    for (const signal of state.signals) if (signal.burst.atMs + lpDelayMs === dueAtMs) show(signal, context)
    state.signals = state.signals.filter(isOpen)
  },
  onAnswer(state, { type, data: answer }, context) {
    if (type !== 'OwnersAnswered') return
    const signal = state.signals.find(({ questionId }) => questionId === answer.questionId)
    if (!signal || signal.isAnswered || signal.revision !== answer.revision) return
    if (takeOwners(signal, answer) && signal.isShown) show(signal, context)
    state.signals = state.signals.filter(isOpen)
  },
  isEmpty: (state) => state.pools.size === 0,
}

function openPool(state: LiquidityState, fact: PoolCreated, context: ChainAContext): void {
  if (fact.dex !== 'v4' || state.pools.has(fact.pool)) return
  const { pool, blockAtMs: createdAtMs, txSender: creator } = fact
  const opened = { pool, createdAtMs, creator, ownership: noLiquidity(creator), isTouched: true }
  state.pools.set(pool, opened)
  wakeForCheck(opened, createdAtMs, context)
}

function closePool(state: LiquidityState, pool: string): void {
  state.pools.delete(pool)
  state.signals = state.signals.filter(({ burst }) => burst.pool !== pool)
}

function wakeForCheck({ createdAtMs }: LiquidPool, afterMs: number, context: ChainAContext): void {
  const dueAtMs = nextCheckOf(createdAtMs, afterMs)
  if (dueAtMs !== null) context.wakeAt(dueAtMs)
}

function emitProfile(its: LiquidPool, checkedAtMs: number, context: ChainAContext): void {
  const { pool, createdAtMs, creator, ownership } = its
  const sums = sumLiquidity(ownership)
  context.emit({
    type: 'PoolProfile',
    data: {
      pool,
      createdAtMs,
      checkedAtMs,
      blockNumber: context.touchedBlock,
      creator,
      class: classify(sums),
      ...sharesOf(sums),
      firstAddAtMs: ownership.firstAddAtMs,
      lpAdds: ownership.lpAdds,
    },
  })
}

function freezeSignal(state: LiquidityState, burst: Burst, context: ChainAContext): void {
  const pool = state.pools.get(burst.pool)
  if (!pool || (burst.tier !== 'main' && burst.tier !== 'lite')) return
  const signal = freezeLp(burst, pool.ownership)
  state.signals.push(signal)
  context.wakeAt(burst.atMs + lpDelayMs)
  if (!signal.isAnswered) context.emit({ type: 'OwnersAsked', data: ownersAskedOf(burst, signal) })
}

function show(signal: SignalLp, context: ChainAContext): void {
  signal.isShown = true
  context.emit({ type: 'BurstLp', data: burstLpOf(signal) })
}

const isOpen = ({ isShown, isAnswered }: SignalLp): boolean => !(isShown && isAnswered)
