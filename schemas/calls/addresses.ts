/** Called tokens in the address book. Topic `addresses`. */
import { type AvroValue, arrayOf, recordOf } from '../avro.ts'
import { epochMs } from '../flavors.ts'

/**
 * A called token, whose markets are followed for longer (see `following.ts`). Its key is `followed-<stage>/<token>`. Ingest writes
 * this record before the mention.
 */
const followedToken = recordOf('FollowedToken', [
  { name: 'token', type: 'string', doc: 'the key of its facts' },
  {
    name: 'followings',
    type: arrayOf(
      recordOf('FollowedSpan', [
        { name: 'sinceMs', type: epochMs, doc: 'when the first of its calls became known' },
        { name: 'untilMs', type: epochMs },
      ]),
    ),
    doc: 'the oldest first, with a break between two of them',
  },
])

export const callAddressSchemas = { FollowedToken: followedToken } as const

export type FollowedToken = AvroValue<typeof followedToken>

/** The prefix of a chain’s followed tokens on the topic. No other keys begin with it. */
export const followedPrefix = (stageName: string): string => `followed-${stageName}/`
