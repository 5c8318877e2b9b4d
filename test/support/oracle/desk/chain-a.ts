/** The story of a token of chain A with one pool, from its facts and bursts. */

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
  /** When the service knew what the block of the instant held. */
  learnedOf: (atMs: number) => Learned
  closedAtMs: number | null
  endMs: number
  /** Default: those of the service. */
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

/** All swaps must count: the oracle does not ask. */
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
    if (before === null || !(before.eth > 0)) continue
    left *= held(before.price) / before.eth
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
