/** The records of tokens that chat posts name (called tokens). Topic `addresses`. */
import { type AvroValue, arrayOf, recordOf } from '../avro.ts'
import { epochMs } from '../flavors.ts'

/**
 * A called token. Ingest follows its markets for a longer time than those of other tokens (see
 * `following.ts`). The key of the record is `followed-<stage>/<token>`. Ingest writes this record before it
 * writes the mention of the token.
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

/**
 * Returns the prefix of the keys of a chain's called tokens. No other keys of the topic begin with this
 * prefix.
 */
export const followedPrefix = (stageName: string): string => `followed-${stageName}/`
