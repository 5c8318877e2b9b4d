/**
 * The tokens of a chain that chats have called, from the address book. Their markets are followed for longer.
 */
import type { SchemaCodec } from '../infra/codec/schema-codec.ts'
import { type FollowedToken, followedPrefix } from '../schemas/calls/addresses.ts'
import type { Followings } from '../schemas/calls/following.ts'
import type { StageRecord } from '../schemas/stage.ts'

export type FollowedTokens = Readonly<{
  /**
   * Returns the spans in which a token is followed. `token` is the key of its facts. Empty if the token was not called.
   */
  of(token: string): Followings
}>

export type FollowedTokenIndex = FollowedTokens &
  Readonly<{
    prefix: string
    /**
     * Reads a record of the topic `addresses`. Adds or removes the token of the record. Records that are not
     * about called tokens are skipped.
     */
    note(key: string, value: Buffer | null): void
    entries(): Iterable<readonly [token: string, followings: Followings]>
  }>

const none: Followings = []

export const nobodyCalled: FollowedTokens = { of: () => none }

export function createFollowedTokens(stageName: string, codec: SchemaCodec<StageRecord>): FollowedTokenIndex {
  const prefix = followedPrefix(stageName)
  const tokens = new Map<string, Followings>()
  return {
    prefix,
    of: (token) => tokens.get(token) ?? none,
    note(key, value) {
      if (!key.startsWith(prefix)) return
      if (value === null) tokens.delete(key.slice(prefix.length))
      else {
        const { token, followings } = codec.decode(value).data as FollowedToken
        tokens.set(token, followings)
      }
    },
    entries: () => tokens.entries(),
  }
}
