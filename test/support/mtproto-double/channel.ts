/**
 * Simulates a channel of the chat platform in memory, with the platform's methods. Each event has a number,
 * and a client requests all events after a given number.
 */
import type { Answer } from './server.ts'
import type { TlObject } from './tl.ts'

type Message = { id: number; text: string; date: number; editDate?: number; fromId?: TlObject }
type Event = Readonly<{ type: 'posted' | 'edited' | 'deleted'; id: number }>

export type ChannelDouble = ReturnType<typeof createChannelDouble>

export function createChannelDouble({ id, name }: Readonly<{ id: number; name: string | null }>) {
  const messages = new Map<number, Message>()
  const events: Event[] = []
  /** The number of the first event that clients can still request. */
  let keptFrom = 0
  let lastId = 0
  const chat: TlObject = {
    ...{ _: 'channel', id, accessHash: 99n, title: 'A channel', broadcast: true, date: 1 },
    ...(name !== null && { username: name }),
    photo: { _: 'chatPhotoEmpty' },
  }
  const users: readonly TlObject[] = [
    { _: 'user', id: 500, bot: true, botInfoVersion: 1, accessHash: 5n, username: 'card_bot', firstName: 'Cards' },
    { _: 'user', id: 501, accessHash: 5n, username: 'a_person', firstName: 'Person' },
  ]
  const toTl = ({ text, editDate, fromId, ...rest }: Message): TlObject => ({
    ...{ _: 'message', ...rest, message: text, peerId: { _: 'peerChannel', channelId: id } },
    ...(fromId === undefined ? { post: true } : { fromId }),
    ...(editDate !== undefined && { editDate }),
  })
  const happened = (event: Event): void => void events.push(event)
  const pts = () => events.length + 1

  const difference = (from: number, limit: number): TlObject => {
    if (from - 1 < keptFrom)
      return {
        ...{ _: 'updates.channelDifferenceTooLong', final: true, messages: [], chats: [chat], users },
        dialog: {
          ...{ _: 'dialog', peer: { _: 'peerChannel', channelId: id }, topMessage: lastId, pts: pts() },
          notifySettings: { _: 'peerNotifySettings' },
        },
      }
    const part = events.slice(from - 1, from - 1 + limit)
    const to = from + part.length
    const isFinal = to === pts()
    if (part.length === 0) return { _: 'updates.channelDifferenceEmpty', final: true, pts: to }
    const newMessages = part.flatMap((event) => {
      const message = messages.get(event.id)
      return event.type === 'posted' && message ? [toTl(message)] : []
    })
    const otherUpdates = part.flatMap((event, index): readonly TlObject[] => {
      const place = { pts: from + index + 1, ptsCount: 1 }
      const message = messages.get(event.id)
      if (event.type === 'deleted')
        return [{ _: 'updateDeleteChannelMessages', channelId: id, messages: [event.id], ...place }]
      return event.type === 'edited' && message
        ? [{ _: 'updateEditChannelMessage', message: toTl(message), ...place }]
        : []
    })
    return { _: 'updates.channelDifference', final: isFinal, pts: to, newMessages, otherUpdates, chats: [chat], users }
  }
  const history = (minId: number, offsetId: number, limit: number): TlObject => {
    const before = offsetId === 0 ? Number.POSITIVE_INFINITY : offsetId
    const found = [...messages.values()].filter((message) => message.id > minId && message.id < before).reverse()
    const shown = found.slice(0, limit).map(toTl)
    return {
      _: 'messages.channelMessages',
      pts: pts(),
      count: found.length,
      messages: shown,
      topics: [],
      chats: [chat],
      users,
    }
  }

  return {
    chat,
    post(text: string, date: number, fromId?: TlObject): number {
      lastId++
      messages.set(lastId, { id: lastId, text, date, ...(fromId && { fromId }) })
      happened({ type: 'posted', id: lastId })
      return lastId
    },
    edit(messageId: number, text: string, editDate: number): void {
      Object.assign(messages.get(messageId) ?? {}, { text, editDate })
      happened({ type: 'edited', id: messageId })
    },
    remove(messageId: number): void {
      messages.delete(messageId)
      happened({ type: 'deleted', id: messageId })
    },
    forgetUpdates(): void {
      keptFrom = events.length
    },
    /** Answers a call. Returns undefined if the call is not about this channel. */
    answer(call: TlObject): Answer {
      const channel = (call.channel ?? call.peer) as TlObject | undefined
      if (channel !== undefined && channel.channelId !== id) return undefined
      switch (call._) {
        case 'contacts.resolveUsername':
          return call.username === name
            ? { _: 'contacts.resolvedPeer', peer: { _: 'peerChannel', channelId: id }, chats: [chat], users: [] }
            : undefined
        case 'channels.getFullChannel':
          return {
            ...{ _: 'messages.chatFull', chats: [chat], users: [] },
            fullChat: {
              ...{ _: 'channelFull', id, pts: pts() },
              chatPhoto: { _: 'photoEmpty', id: 0n },
              notifySettings: { _: 'peerNotifySettings' },
            },
          }
        case 'updates.getChannelDifference':
          return difference(Number(call.pts), Number(call.limit))
        case 'messages.getHistory':
          return history(Number(call.minId), Number(call.offsetId), Number(call.limit))
        default:
          return undefined
      }
    },
  }
}
