/** Reorgs of the simulated chain, as a pure function of the seed. A reorg replaces the last slots. */
import assert from 'node:assert/strict'
import { afterTrade, costOfTokens } from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { createRandom } from '../../simulated/random.ts'
import type { MintFact } from '../types.ts'
import { accountOf, transactionHash } from './identities.ts'
import { branchHashAt, slotAtMs, slotHashAt } from './slots.ts'

/** Plans one reorg of 1 to `depthMax` slots in every `everySlots` slots. `depthMax` must be lower than `everySlots`. */
export type ReorgPlan = Readonly<{ seed: number; everySlots: number; depthMax: number }>

/**
 * A reorg that replaces the slots `[fromSlot, atSlot]`. `same`: their facts stay in their slots. `moved`: all their facts move to `atSlot`.
 * `dropped`: the old branch ends with an extra trade, which the new branch lacks. No other fact depends on the extra trade, so the amounts
 * are right on both branches.
 */
export type Reorg = Readonly<{ fromSlot: BlockNumber; atSlot: BlockNumber; variant: 'same' | 'dropped' | 'moved' }>

/** The first reorg at or after a slot. */
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
 * Returns the trade that the reorg will drop. It is an extra trade on the curve with the latest trade. Empty
 * if there is no such curve.
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

/** Returns the facts of the new branch. `facts` are the facts of the replaced slots, without the dropped trade. */
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
