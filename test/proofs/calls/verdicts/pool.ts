/** The trades, pulls and bursts of a pool of chain A, from its facts. */
import type { ChainARecord, PoolCreated } from '../../../../schemas/chain-a/facts.ts'
import type { OracleBurst } from '../../../support/oracle/bursts.ts'
import { burstsOfStory, type PoolStory, storyOfPool } from '../../../support/oracle/followed-pool.ts'
import { dayMs, type VerdictRules } from './rules.ts'

export type TokenPool = PoolStory & Readonly<{ bursts: readonly OracleBurst[] }>

/** `facts` are those of the token, in order. */
export function poolOf(created: PoolCreated, facts: readonly ChainARecord[]): TokenPool {
  const story = storyOfPool(created, facts)
  return { ...story, bursts: burstsOfStory(story) }
}

const scoredAfterMs = 30 * 60_000

/** Returns true if the liquidity was pulled within `rules.rugWindowMs` after a burst of the last day. */
export const isRuggedAt = ({ bursts, pulls }: TokenPool, blockAtMs: number, rules: VerdictRules): boolean =>
  bursts
    .filter(({ at }) => at > blockAtMs - dayMs && at + scoredAfterMs < blockAtMs)
    .some(({ at, block }) => {
      const later = pulls.filter((pull) => pull.block > block && pull.atMs <= at + rules.rugWindowMs)
      let left = 1
      return later.some(({ ratio }) => {
        left *= ratio
        return left <= rules.rugLeft + 1e-12
      })
    })
