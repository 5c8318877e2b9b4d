/** Makes the simulated chats and callers. A caller is a person who recommends tokens in a chat. */
import { createRandom } from '../../simulated/random.ts'

/**
 * How a caller behaves. `honest`: recommends tokens whose price it expects to rise. `shill`: buys a token
 * before it recommends the token. `deleter`: deletes recommendations that lost after an hour.
 */
type Manner = 'honest' | 'shill' | 'deleter'

export type Caller = Readonly<{
  poster: string
  chat: Chat
  manner: Manner
  /**
   * The probability that a call (recommendation) of this caller wins, because the token's price rises enough.
   */
  skill: number
}>

export type Chat = Readonly<{ id: string; name: string | null; isChannel: boolean }>

export type Cast = Readonly<{ chats: readonly Chat[]; callers: readonly [Caller, ...Caller[]] }>

/**
 * Makes the chats and callers. Six of ten chats are channels with one caller each. The other callers share
 * the remaining chats, which are groups.
 */
export function createCast({ seed, callers: count }: Readonly<{ seed: number; callers: number }>): Cast {
  const chatCount = Math.max(5, Math.ceil(count / 4))
  const chats = Array.from({ length: chatCount }, (_, index): Chat => {
    const random = createRandom(seed, index, 61)
    const name = random.chance(0.7) ? `simulated_${index % 10 < 6 ? 'channel' : 'group'}_${index}` : null
    return { id: `-100${1_000_000_000 + index}`, name, isChannel: index % 10 < 6 }
  })
  const channels = chats.filter(({ isChannel }) => isChannel)
  const groups = chats.filter(({ isChannel }) => !isChannel)
  const callerAt = (index: number): Caller => {
    const random = createRandom(seed, index, 62)
    const channel = channels[index]
    const chat = channel ?? groups[(index - channels.length) % groups.length] ?? (chats[0] as Chat)
    const poster = chat.isChannel ? chat.id : String(700_000 + index)
    return { poster, chat, manner: mannerOf(random.unit()), skill: 0.1 + 0.6 * random.unit() ** 2 }
  }
  return { chats, callers: [callerAt(0), ...Array.from({ length: count - 1 }, (_, index) => callerAt(index + 1))] }
}

function mannerOf(chance: number): Manner {
  if (chance < 0.7) return 'honest'
  return chance < 0.85 ? 'shill' : 'deleter'
}
