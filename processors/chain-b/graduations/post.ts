/** Computes the returns of a token in the first minutes after a pool has replaced its curve. */

import { priceSol } from '../../../schemas/chain-b/curve.ts'
import type { GraduationPost } from '../../../schemas/chain-b/derived.ts'
import type { CurveMigrated, PoolTraded } from '../../../schemas/chain-b/facts.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'

type Return = 'ret1' | 'ret5' | 'ret15'

/** The time between the opening of the pool and each return, in ms. */
export const postMs: Readonly<Record<Return, number>> = { ret1: minuteMs, ret5: 5 * minuteMs, ret15: 15 * minuteMs }
const returns: readonly Return[] = ['ret1', 'ret5', 'ret15']

export type Post = {
  readonly anchorPx: number
  lastPx: number
  isPublished: boolean
  published: Omit<GraduationPost, 'gradAtMs'>
}

type PoolReserves = Pick<PoolTraded, 'poolQuoteRaw' | 'poolTokenRaw'>

const poolPrice = ({ poolQuoteRaw: quoteRaw, poolTokenRaw: tokenRaw }: PoolReserves): number =>
  priceSol({ quoteRaw, tokenRaw })

export function openPost(migrated: Pick<CurveMigrated, 'blockAtMs'> & PoolReserves): Post {
  const px = poolPrice(migrated)
  return {
    anchorPx: px,
    lastPx: px,
    isPublished: false,
    published: { anchorAtMs: migrated.blockAtMs, ret1: null, ret5: null, ret15: null },
  }
}

export function followPost(post: Post, trade: PoolReserves): void {
  post.lastPx = poolPrice(trade)
}

export const isPostWhole = ({ published }: Post): boolean => published.ret15 !== null

/** Adds the return that is due at `dueAtMs`. Returns false if none is due. */
export function addReturn(post: Post, dueAtMs: EpochMs): boolean {
  const due = returns.find((name) => post.published.anchorAtMs + postMs[name] === dueAtMs)
  if (due === undefined) return false
  post.published = { ...post.published, [due]: post.lastPx / post.anchorPx - 1 }
  return true
}
