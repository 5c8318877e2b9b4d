/**
 * Plans the reorgs of the simulated chain, as a pure function of the seed. A reorg replaces the newest slots.
 */
import assert from 'node:assert/strict'
import { afterTrade, costOfTokens } from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { createRandom } from '../../simulated/random.ts'
import type { MintFact } from '../types.ts'
import { accountOf, transactionHash } from './identities.ts'
import { branchHashAt, slotAtMs, slotHashAt } from './slots.ts'

/**
 * The simulated chain has one reorg in every `everySlots` slots. The reorg replaces 1 to `depthMax` slots.
 * `depthMax` must be lower than `everySlots`.
 */
export type ReorgPlan = Readonly<{ seed: number; everySlots: number; depthMax: number }>

/**
 * A reorg that replaces the slots `[fromSlot, atSlot]`. `variant` says what happens to the facts of these
 * slots.
 * - `same`: the facts stay in their slots.
 * - `moved`: all facts move to `atSlot`.
 * - `dropped`: the old slots end with an extra trade, which the new slots lack. No other fact depends on the
 *   extra trade, so the amounts are right both before and after the reorg.
 */
export type Reorg = Readonly<{ fromSlot: BlockNumber; atSlot: BlockNumber; variant: 'same' | 'dropped' | 'moved' }>

/** Returns the first reorg whose `atSlot` is this slot or later. */
export function reorgFrom({ seed, everySlots, depthMax }: ReorgPlan, slot: BlockNumber): Reorg {
  assert.ok(Number.isInteger(everySlots), 'everySlots must be a whole number')
  assert.ok(depthMax >= 1 && depthMax < everySlots, 'a slot must be replaced at most one time')
  const index = Math.ceil(slot / everySlots)
  const random = createRandom(seed, index, 27)
  const atSlot = index * everySlots
  const fromSlot = atSlot - random.whole(1, depthMax) + 1
  return { atSlot, fromSlot, variant: random.pick(['same', 'dropped', 'moved']) }
}

const droppedTokens = 1_000_000_000n

/**
 * Returns the trade that the reorg will drop. It is an extra trade on the curve that was traded last. Returns
 * an empty list if no curve was traded, or if the curve has too few tokens left.
 */
export function droppedBy(chainSeed: number, { atSlot }: Reorg, facts: readonly MintFact[]): readonly MintFact[] {
  const last = facts.findLast(({ fact }) => fact.type === 'CurveTraded')
  if (last?.fact.type !== 'CurveTraded' || last.fact.data.realTokenRaw <= droppedTokens) return []
  const inSlot = facts.at(-1)?.fact.data
  const txIndex = inSlot?.blockNumber === atSlot ? inSlot.txIndex + 1 : 1
  return [
    {
      key: last.key,
      fact: { type: 'CurveTraded', data: droppedTrade(chainSeed, { atSlot, txIndex }, last.fact.data) },
    },
  ]
}

function droppedTrade(
  chainSeed: number,
  { atSlot, txIndex }: Readonly<{ atSlot: BlockNumber; txIndex: number }>,
  before: CurveTraded,
): CurveTraded {
  const virtual = { quoteRaw: before.virtualQuoteRaw, tokenRaw: before.virtualTokenRaw }
  const amounts = { tokenRaw: droppedTokens, quoteRaw: costOfTokens(virtual, droppedTokens) }
  const after = afterTrade(virtual, amounts)
  return {
    ...before,
    ...amounts,
    ...{ trader: accountOf(chainSeed, 'dropped'), feeRaw: 0n, creatorFeeRaw: 0n, rewardsRaw: 0n },
    ...{ virtualQuoteRaw: after.quoteRaw, virtualTokenRaw: after.tokenRaw },
    ...{ realQuoteRaw: before.realQuoteRaw + amounts.quoteRaw, realTokenRaw: before.realTokenRaw - droppedTokens },
    ...{ blockNumber: atSlot, blockAtMs: slotAtMs(atSlot), blockHash: slotHashAt(chainSeed, atSlot) },
    ...{ txIndex, logIndex: 0, txHash: transactionHash(chainSeed, -1, atSlot) },
  }
}

/**
 * Returns the facts of the slots that a reorg puts in place of others. `facts` are the facts of the replaced
 * slots, without the dropped trade.
 */
export function replacedFacts(
  chainSeed: number,
  { variant, atSlot }: Reorg,
  facts: readonly MintFact[],
): readonly MintFact[] {
  if (variant !== 'moved')
    return facts.map((keyed) => placed(keyed, { blockHash: branchHashAt(chainSeed, keyed.fact.data.blockNumber) }))
  const slot = { blockNumber: atSlot, blockAtMs: slotAtMs(atSlot), blockHash: branchHashAt(chainSeed, atSlot) }
  let txIndex = 0
  return facts.map((keyed, index) => {
    if (facts[index - 1]?.fact.data.txHash !== keyed.fact.data.txHash) txIndex++
    return placed(keyed, { ...slot, txIndex })
  })
}

// A fact at another place has the same type. TypeScript cannot infer this for a union type.
const placed = ({ key, fact: { type, data } }: MintFact, place: Partial<ChainBFact['data']>): MintFact => ({
  key,
  fact: { type, data: { ...data, ...place } } as ChainBFact,
})
