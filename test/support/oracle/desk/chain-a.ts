/**
 * Builds the trade history of a chain A pool for the desk (simulated trading), from the pool's facts and
 * bursts.
 */

import assert from 'node:assert/strict'
import type { Burst } from '../../../../schemas/chain-a/derived.ts'
import { chainADesk } from '../../../../schemas/chain-a/desk.ts'
import type { ChainAFact, LiquidityChanged } from '../../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../../schemas/chain-a/pool-price.ts'
import type { Desk } from '../../../../schemas/desk/rules.ts'
import { ethHeld } from '../pool-rows.ts'
import type { Learned, Numbers, Story, Told } from './desk.ts'

type Known = Readonly<{
  token: string
  facts: readonly ChainAFact[]
  bursts: readonly Burst[]
  posts: Story['posts']
  /** Returns when the service knew the block with time `atMs`, and the newest block time then. */
  learnedOf: (atMs: number) => Learned
  closedAtMs: number | null
  endMs: number
  /** The rules of the desk. By default, they are those of the service. */
  desk?: Desk
  numbers?: Numbers
}>

function transactionsOf(facts: readonly ChainAFact[]): readonly (readonly ChainAFact[])[] {
  const transactions: ChainAFact[][] = []
  for (const fact of facts)
    if (transactions.at(-1)?.[0]?.data.txHash === fact.data.txHash) transactions.at(-1)?.push(fact)
    else transactions.push([fact])
  return transactions
}

function isNothing(changes: readonly LiquidityChanged[]): boolean {
  const ranges = new Map<string, bigint>()
  for (const { tickLower, tickUpper, liquidityDelta } of changes) {
    const range = `${tickLower}:${tickUpper}`
    ranges.set(range, (ranges.get(range) ?? 0n) + liquidityDelta)
  }
  return [...ranges.values()].every((liquidity) => liquidity === 0n)
}

/**
 * Returns the share of liquidity that is left. A pool without positions has the share 0. When such a pool
 * gets liquidity again, the share begins at 1.
 */
function leftAfter(
  left: number,
  { before, after, isEmptied }: Readonly<{ before: number; after: number; isEmptied: boolean }>,
): number {
  if (isEmptied) return 0
  if (before > 0) return left * (after / before)
  return left === 0 ? 1 : left
}

/**
 * Builds the history. Every swap in `facts` counts as a change of the price, so the caller must leave out
 * swaps that do not count.
 */
export function storyOf(known: Known): Story {
  const { token, facts, bursts, posts, learnedOf, closedAtMs, endMs, desk = chainADesk, numbers } = known
  const [created] = facts.flatMap((fact) => (fact.type === 'PoolCreated' ? [fact.data] : []))
  assert(created?.sqrtPriceX96, `${token} has no priced pool`)
  const { ethIsCurrency0, blockAtMs: openedAtMs } = created
  const moves: Told[] = []
  const changes: LiquidityChanged[] = []
  let sqrt = created.sqrtPriceX96
  let left = 1
  const tell = (atMs: number) => moves.push({ atMs, px: priceFromSqrt(sqrt, ethIsCurrency0), left })
  const held = (price: bigint) =>
    ethHeld(
      changes.map(({ tickLower: lower, tickUpper: upper, liquidityDelta: delta }) => ({ lower, upper, delta })),
      Number(price) / 2 ** 96,
      ethIsCurrency0,
    )
  tell(openedAtMs)
  for (const transaction of transactionsOf(facts)) {
    let before: Readonly<{ eth: number; price: bigint }> | null = null
    for (const fact of transaction) {
      if (fact.type === 'Swap') {
        sqrt = fact.data.sqrtPriceX96
        tell(fact.data.blockAtMs)
      }
      if (fact.type !== 'LiquidityChanged' || fact.data.liquidityDelta === 0n) continue
      before ??= { eth: held(sqrt), price: sqrt }
      changes.push(fact.data)
    }
    if (before === null) continue
    left = leftAfter(left, { before: before.eth, after: held(before.price), isEmptied: isNothing(changes) })
    tell(transaction[0]?.data.blockAtMs ?? 0)
  }
  return {
    ...{
      desk,
      token,
      ...(numbers && { numbers }),
      source: 'pool',
      openedAtMs,
      moves,
      graduatedAtMs: null,
      closedAtMs,
      posts,
      endMs,
    },
    bursts: bursts.map(({ atMs, tier, shape }) => ({ atMs, tier, shape, fill: null, learned: learnedOf(atMs) })),
  }
}
