/**
 * Keeps the table of followed tokens: the tokens that were recommended (called) in chats. It is stored in the
 * topic `addresses`. The ingest of each chain reads it and records the markets of these tokens for longer.
 */

import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { NewRecord } from '../../infra/log/log.ts'
import { type Followings, isFollowedAt, withCall } from '../../schemas/calls/following.ts'
import { followedTokensMax } from '../../schemas/calls/retention.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import { createFollowedTokens, type FollowedTokenIndex } from '../followed-tokens.ts'
import type { TokenFact } from './read-post.ts'

export type CalledTokens = Readonly<{
  /** Takes in a record of the topic `addresses`, which stores the followed tokens. */
  note(key: string, value: Buffer | null): void
  /**
   * Returns the facts with `isFollowed` corrected. It becomes false in a call beyond the maximum number of
   * followed tokens, and in a call of an address without a contract. Such a call does not lengthen the time
   * for which markets are followed.
   */
  bounded(facts: readonly TokenFact[]): readonly TokenFact[]
  /**
   * Returns the records that mark the tokens of these facts as followed. The records must be appended before
   * the facts. Otherwise a reader of the facts could rely on a market that ingest no longer records.
   */
  followed(facts: readonly TokenFact[]): readonly NewRecord[]
  /**
   * Returns records that remove from the topic the tokens whose following ended more than 7 days before
   * `nowMs`.
   */
  expired(nowMs: EpochMs): readonly NewRecord[]
}>

const [topic, partition] = ['addresses', 0] as const
/**
 * The time for which a token stays in the topic after its following has ended, in milliseconds. After a stop,
 * the ingest of a chain reads old blocks and needs the calls of that time. The log keeps no fact for longer
 * than this.
 */
const keptMs = 7 * dayMs

/** `tokensMax` is the maximum number of followed tokens of one chain at one time. */
type CalledOptions = Readonly<{ codec: SchemaCodec<StageRecord>; tokensMax?: number | undefined }>

/** Creates the table of followed tokens for the chains with these stage names. */
export function createCalledTokens(
  chains: readonly string[],
  { codec, tokensMax = followedTokensMax }: CalledOptions,
): CalledTokens {
  const indexes = new Map(chains.map((name) => [name, createFollowedTokens(name, codec)]))
  return {
    note(key, value) {
      for (const index of indexes.values()) index.note(key, value)
    },
    bounded: (facts) =>
      [...indexes].reduce((all, [chain, index]) => boundedBy(all, { chain, index, tokensMax }), facts),
    followed: (facts) =>
      [...indexes].flatMap(([chain, index]) =>
        [...calledIn(facts, chain, index)].flatMap(([token, followings]) =>
          followings === index.of(token) ? [] : [recordOf(index, token, followings)],
        ),
      ),
    expired: (nowMs) =>
      [...indexes.values()].flatMap((index) =>
        [...index.entries()].flatMap(([token, followings]) =>
          followings.every(({ untilMs }) => untilMs + keptMs < nowMs)
            ? [{ topic, partition, key: index.prefix + token, value: null }]
            : [],
        ),
      ),
  }

  function recordOf(index: FollowedTokenIndex, token: string, followings: Followings): NewRecord {
    const value = codec.encode('FollowedToken', { token, followings })
    return { topic, partition, key: index.prefix + token, value }
  }
}

type Bound = Readonly<{ chain: string; index: FollowedTokenIndex; tokensMax: number }>

function boundedBy(facts: readonly TokenFact[], { chain, index, tokensMax }: Bound): readonly TokenFact[] {
  let followed: Set<string> | null = null
  return facts.map((its) => {
    const { named, fact } = its
    if (named.chain !== chain || fact.type !== 'Mentioned' || fact.data.kind !== 'call') return its
    followed ??= followedAt(index, fact.data.answeredAtMs)
    const isBeyond = !followed.has(named.token) && followed.size >= tokensMax
    if (isBeyond || fact.data.hasCode === false)
      return { named, fact: { type: 'Mentioned', data: { ...fact.data, isFollowed: false } } }
    followed.add(named.token)
    return its
  })
}

const followedAt = (index: FollowedTokenIndex, atMs: EpochMs): Set<string> =>
  new Set([...index.entries()].flatMap(([token, followings]) => (isFollowedAt(followings, atMs) ? [token] : [])))

/**
 * For each token of this chain that the facts call, returns the time spans in which the token is followed.
 * The spans include those that the facts begin.
 */
function calledIn(
  facts: readonly TokenFact[],
  chain: string,
  index: FollowedTokenIndex,
): ReadonlyMap<string, Followings> {
  const called = new Map<string, Followings>()
  for (const { named, fact } of facts) {
    if (named.chain !== chain || fact.type !== 'Mentioned' || fact.data.kind !== 'call') continue
    called.set(named.token, withCall(called.get(named.token) ?? index.of(named.token), fact.data))
  }
  return called
}
