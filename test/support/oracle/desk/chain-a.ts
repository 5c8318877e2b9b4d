/** The story of a token of chain A with one pool, from its facts and bursts. */

import assert from 'node:assert/strict'
import type { Burst } from '../../../../schemas/chain-a/derived.ts'
import { chainADesk } from '../../../../schemas/chain-a/desk.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Desk } from '../../../../schemas/desk/rules.ts'
import { storyOfPool } from '../followed-pool.ts'
import type { Learned, Numbers, Story } from './desk.ts'

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

export function storyOf(known: Known): Story {
  const { token, facts, bursts, posts, learnedOf, closedAtMs, endMs, desk = chainADesk, numbers } = known
  const [created] = facts.flatMap((fact) => (fact.type === 'PoolCreated' ? [fact.data] : []))
  assert(created?.sqrtPriceX96, `${token} has no priced pool`)
  return {
    ...{ desk, token, ...(numbers && { numbers }), source: 'pool', openedAtMs: created.blockAtMs },
    ...{ moves: storyOfPool(created, facts).moves, graduatedAtMs: null, closedAtMs, posts, endMs },
    bursts: bursts.map(({ atMs, tier, shape }) => ({ atMs, tier, shape, fill: null, learned: learnedOf(atMs) })),
  }
}
