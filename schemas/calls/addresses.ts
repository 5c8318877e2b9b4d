/** Called tokens in the address book. Topic `addresses`. */
import { type AvroValue, arrayOf, recordOf } from '../avro.ts'
import { epochMs } from '../flavors.ts'

/**
 * A called token. Ingest follows its markets for longer (see `following.ts`). The record’s key is `followed-<stage>/<token>`. Ingest writes
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

/** All keys of a chain’s followed tokens begin with this prefix. No other keys of the topic do. */
export const followedPrefix = (stageName: string): string => `followed-${stageName}/`
