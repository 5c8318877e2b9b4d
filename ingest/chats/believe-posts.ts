/**
 * Refuses wrong post times before the posts are recorded. The performance of recommended tokens is measured
 * from these times, and recorded facts never change.
 */
import { OperationError } from '../../infra/errors.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { instantText, isAheadOfClock } from '../believable-time.ts'
import type { ChatChange } from './reader.ts'

/**
 * The maximum believable jump between two post numbers. A chat numbers its posts consecutively. A larger jump
 * would mean that more than a thousand posts were deleted or missed at once.
 */
const postJumpMax = 1_000

export const isFarAhead = (post: number, lastPost: number): boolean => post - lastPost > postJumpMax

/**
 * Fails with `provider_failed` if the time of a post, an edit or a forwarded original is ahead of our clock.
 * Ingest then reads the chat again later. The error contains only the number of the post, because the chat
 * may be private.
 */
export function believePosts(changes: readonly ChatChange[], nowMs: EpochMs): void {
  for (const change of changes) {
    if (change.type === 'deleted') continue
    const { versionAtMs, post } = change
    const atMs = Math.max(post.postedAtMs, versionAtMs, post.origin?.postedAtMs ?? 0)
    if (!isAheadOfClock({ atMs }, nowMs)) continue
    throw new OperationError(
      'provider_failed',
      `post ${post.post} has the time ${instantText(atMs)}, but the clock of this machine says ${instantText(nowMs)}. ` +
        'The platform or this clock is wrong',
    )
  }
}
