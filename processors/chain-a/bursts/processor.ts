import assert from 'node:assert/strict'
import type { Burst, Tier } from '../../../schemas/chain-a/derived.ts'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import { tierTraits } from '../../../schemas/chain-a/tier-traits.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { SqrtPriceX96 } from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import { revisionOf } from '../buyers/buyers.ts'
import { isCounted, itemOf, type PoolIdentity, poolIdentityOf } from '../pools/pool.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { type BurstLimits, burstLimitsOf, type Fired, nothingFired, recordFired, tiersAt } from './burst.ts'
import { classifyShape, measureSizes } from './sizes.ts'
import { addToWindow, buysOf, emptyWindow, type SwapWindow, slideTo, trimWindow } from './window.ts'

type BurstRules = ChainANumbers['bursts']

type Candidate = {
  identity: PoolIdentity
  /** Null: no swap is in the window. */
  window: SwapWindow | null
  fired: Fired
  /** The price after the last swap that was added to the window. */
  sqrtPriceX96: SqrtPriceX96
  isTouched: boolean
}

/** A candidate whose window may have swaps. */
type Active = Candidate & Readonly<{ window: SwapWindow }>

/** `candidates` is replaced and never extended with `push`, which would reserve memory for more pools. */
type BurstsState = {
  candidates: readonly Candidate[]
  /** Pools of which the current block has a swap that was added to the window. */
  touched: Active[]
}

/**
 * Creates the processor that detects bursts. At the end of every block, it checks the pools with a new swap
 * in their window.
 */
export function createBursts(rules: BurstRules): ChainAProcessor<BurstsState> {
  const limits = burstLimitsOf(rules)
  return {
    name: 'bursts',
    stateVersion: 2,
    initialState: () => ({ candidates: noItems, touched: [] }),
    reads: ['PoolCreated', 'Swap'],
    readsDerived: ['PoolClosed'],
    onFact(state, fact) {
      if (fact.type === 'Swap') return takeSwap(state, fact.data, limits)
      assert(fact.type === 'PoolCreated')
      if (!itemOf(state.candidates, fact.data.pool))
        state.candidates = withItem(state.candidates, newCandidate(poolIdentityOf(fact.data)))
    },
    onDerived(state, record) {
      assert(record.type === 'PoolClosed')
      state.candidates = keptOf(state.candidates, ({ identity }) => identity.pool !== record.data.pool)
    },
    onBlockEnd(state, block, context) {
      for (const candidate of state.touched) {
        candidate.isTouched = false
        judge(candidate, block, { rules, limits, context })
      }
      state.touched.length = 0
    },
    trim(state, atMs) {
      for (const candidate of state.candidates)
        if (candidate.window !== null) candidate.window = trimWindow(candidate.window, atMs, limits)
    },
    isEmpty: (state) => state.candidates.length === 0,
  }
}

export const bursts = createBursts(chainANumbers.bursts)

const newCandidate = (identity: PoolIdentity): Candidate => ({
  identity,
  window: null,
  fired: nothingFired(),
  sqrtPriceX96: 0n,
  isTouched: false,
})

function takeSwap(state: BurstsState, swap: Swap, { oldMsMax }: BurstLimits): void {
  const candidate = itemOf(state.candidates, swap.pool)
  if (!candidate || !isCounted(swap, candidate.identity)) return
  // No bursts are detected in a pool older than `oldMsMax`.
  if (swap.blockAtMs - candidate.identity.createdAtMs > oldMsMax) return
  candidate.window ??= emptyWindow()
  addToWindow(candidate.window, swap)
  candidate.sqrtPriceX96 = swap.sqrtPriceX96
  if (candidate.isTouched) return
  candidate.isTouched = true
  state.touched.push(candidate as Active)
}

type Judging = Readonly<{ rules: BurstRules; limits: BurstLimits; context: ChainAContext }>

function judge(candidate: Active, block: Block, { rules, limits, context }: Judging): void {
  const { window, fired, identity } = candidate
  slideTo(window, block.atMs, limits)
  for (const tier of tiersAt(candidate, { atMs: block.atMs, ageMs: block.atMs - identity.createdAtMs }, limits)) {
    recordFired(fired, tier, block.atMs)
    context.emit({ type: 'Burst', data: burstOf(candidate, { tier, block }, rules) })
    if (tierTraits[tier].senders !== 'none')
      askSenders(window, { pool: identity.pool, tier, atMs: block.atMs }, context)
  }
}

type Signal = Readonly<{ tier: Tier; block: Block }>

function burstOf(candidate: Active, { tier, block }: Signal, rules: BurstRules): Burst {
  const { identity, window } = candidate
  const sizes = measureSizes(buysOf(window).sizesWei)
  return {
    pool: identity.pool,
    tier,
    atMs: block.atMs,
    dex: identity.dex,
    blockNumber: block.number,
    blockHash: block.hash,
    shape: classifyShape(identity.dex, sizes, rules),
    inflowWei: window.netWei,
    buys: window.buys,
    sells: window.sells,
    windowSec: rules.windowMs / 1000,
    poolCreatedAtMs: identity.createdAtMs,
    sameSizeMax: sizes.sameSizeMax,
    top3Share: sizes.top3Share,
    sizeCv: sizes.sizeCv,
    px: priceFromSqrt(candidate.sqrtPriceX96, identity.ethIsCurrency0),
  }
}

function askSenders(window: SwapWindow, key: Pick<Burst, 'pool' | 'tier' | 'atMs'>, context: ChainAContext): void {
  const questionId = `${key.pool}:${key.tier}:${key.atMs}`
  const { txHashes } = buysOf(window)
  context.emit({ type: 'SendersAsked', data: { questionId, revision: revisionOf(txHashes), ...key, txHashes } })
}
