/**
 * The tokens of a chain that chats have recommended, from the address book. Ingest follows the pools and
 * curves of these tokens for longer.
 */
import type { SchemaCodec } from '../infra/codec/schema-codec.ts'
import { type FollowedToken, followedPrefix } from '../schemas/calls/addresses.ts'
import type { Followings } from '../schemas/calls/following.ts'
import type { StageRecord } from '../schemas/stage.ts'

export type FollowedTokens = Readonly<{
  /**
   * Returns the time spans in which a token is followed. `token` is the key of the token's facts. Returns an
   * empty list if no chat has recommended the token.
   */
  of(token: string): Followings
}>

export type FollowedTokenIndex = FollowedTokens &
  Readonly<{
    prefix: string
    /**
     * Processes a record of the topic `addresses`: adds or removes the token of the record. Skips records
     * that are not about recommended tokens.
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
