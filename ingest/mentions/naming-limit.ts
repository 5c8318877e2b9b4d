/**
 * Limits how many tokens posts may name. A post with an address costs the poster nothing, but each named
 * token is observed for two days. Tokens that no stage tracks cost the most, because their prices come from
 * outside providers.
 */

import type { Mentioned } from '../../schemas/calls/facts.ts'
import { namingLimits } from '../../schemas/calls/rules.ts'
import { hourMs } from '../../schemas/units.ts'

/** The place of a post. `poster` is null for cards. For cards only the limit of the chat applies, because bots answer everybody. */
type Place = Pick<Mentioned, 'chat' | 'postedAtMs'> & Readonly<{ poster: string | null }>

export type NamingLimit = Readonly<{
  /** Whether the post may name the token. Always true for a token that was already named in the same chat and hour. */
  admits(place: Place, named: Readonly<{ token: string; isTracked: boolean }>): boolean
}>

type Kind = keyof typeof namingLimits
type Hour = Readonly<{ tokens: Set<string>; countOfPoster: Map<string, number> }>

/** The maximum number of hours that are remembered. Posts are read up to half a day late. */
const hoursKept = 24

export function createNamingLimit(): NamingLimit {
  /** The named tokens by hour, then by kind of token and chat. */
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
