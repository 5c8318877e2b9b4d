/**
 * How many tokens posts may name. It costs nothing to write down addresses, while each of them is watched for two days. Those
 * that no stage tracks cost the most: their prices are asked of others.
 */

import type { Mentioned } from '../../schemas/calls/facts.ts'
import { namingLimits } from '../../schemas/calls/rules.ts'
import { hourMs } from '../../schemas/units.ts'

/** `poster` null: the limit of the chat alone counts, as for cards: bots answer for everybody. */
type Place = Pick<Mentioned, 'chat' | 'postedAtMs'> & Readonly<{ poster: string | null }>

export type NamingLimit = Readonly<{
  /** Whether the post may name the token. The same token again in the hour of a chat always may. */
  admits(place: Place, named: Readonly<{ token: string; isTracked: boolean }>): boolean
}>

type Kind = keyof typeof namingLimits
type Hour = Readonly<{ tokens: Set<string>; countOfPoster: Map<string, number> }>

/** How many hours are remembered, the newest: posts are read up to half a day late. */
const hoursKept = 24

export function createNamingLimit(): NamingLimit {
  /** By the hour, then by the kind of tokens and the chat. */
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
