/** Calls are scored by the times of posts, and a wrong one would stay in the log for good. So it is refused before it is written. */
import { OperationError } from '../../infra/errors.ts'
import { instantText, isAheadOfClock } from '../believable-time.ts'
import type { ChatChange } from './reader.ts'

/** Posts are numbered in turn, and so many of them are deleted or missed at once only seldom. */
const postJumpMax = 1_000

export const isFarAhead = (post: number, lastPost: number): boolean => post - lastPost > postJumpMax

/**
 * Fails with `provider_failed` at a post, an edit or an origin that is ahead of our clock, so that the chat is read again later.
 * The post is told of by its number alone, as its chat may be private.
 */
export function believePosts(changes: readonly ChatChange[], nowMs: number): void {
  for (const change of changes) {
    if (change.type === 'deleted') continue
    const { versionAtMs, post } = change
    const atMs = Math.max(post.postedAtMs, versionAtMs, post.origin?.postedAtMs ?? 0)
    if (!isAheadOfClock({ atMs }, nowMs)) continue
    throw new OperationError(
      'provider_failed',
      `post ${post.post} is of ${instantText(atMs)}, and it is ${instantText(nowMs)} by the clock of this machine: the platform is wrong, ` +
        'or this clock is',
    )
  }
}
