/**
 * Limits how many tokens posts may name. Writing addresses is free, but each token is watched for two days. Tokens that
 * no stage tracks cost the most, because their prices come from other providers.
 */

import type { Mentioned } from '../../schemas/calls/facts.ts'
import { namingLimits } from '../../schemas/calls/rules.ts'
import { hourMs } from '../../schemas/units.ts'

/** `poster` is null if only the limit of the chat counts. That is so for cards, because bots answer everybody. */
type Place = Pick<Mentioned, 'chat' | 'postedAtMs'> & Readonly<{ poster: string | null }>

export type NamingLimit = Readonly<{
  /** Whether the post may name the token. A token that was already named in this chat and hour always may. */
  admits(place: Place, named: Readonly<{ token: string; isTracked: boolean }>): boolean
}>

type Kind = keyof typeof namingLimits
type Hour = Readonly<{ tokens: Set<string>; countOfPoster: Map<string, number> }>

/** How many of the newest hours are remembered. Posts are read up to half a day late. */
const hoursKept = 24

export function createNamingLimit(): NamingLimit {
  /** Keyed by hour, then by kind of token and chat. */
  const hours = new Map<number, Map<string, Hour>>()

  const hourOf = ({ chat, postedAtMs }: Place, kind: Kind): Hour => {
    const number = Math.floor(postedAtMs / hourMs)
    const chats = hours.get(number) ?? new Map<string, Hour>()
    hours.set(number, chats)
    const [oldest] = hours.keys()
    if (hours.size > hoursKept && oldest !== undefined) hours.delete(oldest)
    const hour = chats.get(`${kind} ${chat}`) ?? { tokens: new Set(), countOfPoster: new Map() }
    chats.set(`${kind} ${chat}`, hour)
    return hour
  }

  return {
    admits(place, { token, isTracked }) {
      const kind = isTracked ? 'tracked' : 'untracked'
      const { ofChat, ofPoster } = namingLimits[kind]
      const { tokens, countOfPoster } = hourOf(place, kind)
      if (tokens.has(token)) return true
      if (tokens.size >= ofChat) return false
      if (place.poster !== null) {
        const count = countOfPoster.get(place.poster) ?? 0
        if (count >= ofPoster) return false
        countOfPoster.set(place.poster, count + 1)
      }
      tokens.add(token)
      return true
    },
  }
}
