/**
 * How often posts may name tokens that no stage tracks. It costs nothing to write down addresses, while each of them is watched
 * for two days and its price asked of others. What is traded on the chains cost somebody money, so it has no limit.
 */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { untrackedLimits } from '../../schemas/calls/rules.ts'

/** `poster` null: the limit of the chat alone counts, as for cards: bots answer for everybody. */
type Place = Pick<Mentioned, 'chat' | 'postedAtMs'> & Readonly<{ poster: string | null }>

export type UntrackedLimit = Readonly<{
  /** Whether the post may name the token. The same token again in the hour of a chat always may. */
  admits(place: Place, token: string): boolean
}>

type Hour = Readonly<{ tokens: Set<string>; countOfPoster: Map<string, number> }>

const hourMs = 3_600_000
/** Those that were begun last. Posts are read up to half a day late. */
const hoursKept = 24

export function createUntrackedLimit(): UntrackedLimit {
  /** By the hour, then by the chat. */
  const hours = new Map<number, Map<string, Hour>>()

  const hourOf = ({ chat, postedAtMs }: Place): Hour => {
    const number = Math.floor(postedAtMs / hourMs)
    const chats = hours.get(number) ?? new Map<string, Hour>()
    hours.set(number, chats)
    const [oldest] = hours.keys()
    if (hours.size > hoursKept && oldest !== undefined) hours.delete(oldest)
    const hour = chats.get(chat) ?? { tokens: new Set(), countOfPoster: new Map() }
    chats.set(chat, hour)
    return hour
  }

  return {
    admits(place, token) {
      const { tokens, countOfPoster } = hourOf(place)
      if (tokens.has(token)) return true
      if (tokens.size >= untrackedLimits.ofChat) return false
      if (place.poster !== null) {
        const count = countOfPoster.get(place.poster) ?? 0
        if (count >= untrackedLimits.ofPoster) return false
        countOfPoster.set(place.poster, count + 1)
      }
      tokens.add(token)
      return true
    },
  }
}
