/** Refuses wrong post times before they are written. Calls are scored by these times, and the log never changes. */
import { OperationError } from '../../infra/errors.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { instantText, isAheadOfClock } from '../believable-time.ts'
import type { ChatChange } from './reader.ts'

/**
 * The maximum believable jump in post numbers. The numbers are consecutive. A larger jump would mean more than a thousand deleted or missed
 * posts at once.
 */
const postJumpMax = 1_000

export const isFarAhead = (post: number, lastPost: number): boolean => post - lastPost > postJumpMax

/**
 * Fails with `provider_failed` if the time of a post, an edit or an original post is ahead of our clock. The
 * chat is then read again later. The error has only the number of the post, because the chat of the post may
 * be private.
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
