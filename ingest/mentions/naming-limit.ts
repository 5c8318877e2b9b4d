/**
 * Limits the number of tokens that chat posts can put under observation. Posting an address is free, but the
 * service then observes the token for two days. A token that this service does not record is the most
 * expensive, because outside providers must give its prices.
 */

import type { Mentioned } from '../../schemas/calls/facts.ts'
import { namingLimits } from '../../schemas/calls/rules.ts'
import { hourMs } from '../../schemas/units.ts'

/**
 * The chat, the poster and the time of a post. `poster` is null for a card (a token summary by a bot). Cards
 * are limited only by chat, because bots answer everybody.
 */
type Place = Pick<Mentioned, 'chat' | 'postedAtMs'> & Readonly<{ poster: string | null }>

export type NamingLimit = Readonly<{
  /**
   * Whether the post may name the token, within the limits per hour of its chat and its poster. Always true
   * for a token that another post of the same chat and hour has named.
   */
  admits(place: Place, named: Readonly<{ token: string; isTracked: boolean }>): boolean
}>

type Kind = keyof typeof namingLimits
type Hour = Readonly<{ tokens: Set<string>; countOfPoster: Map<string, number> }>

/** The maximum number of hours for which named tokens are remembered. Posts are read up to half a day late. */
const hoursKept = 24

export function createNamingLimit(): NamingLimit {
  /** The tokens named in each hour, by hour and then by kind of token and chat. */
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
