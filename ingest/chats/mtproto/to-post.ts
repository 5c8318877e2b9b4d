/**
 * Converts a Telegram message to a post. The names of people are never read. The names of bots are read,
 * because they show which bot made a card.
 */
import type { tl } from '@mtcute/node'
import type { EpochMs } from '../../../schemas/units.ts'
import type { ReadPost } from '../reader.ts'

export type ChatPlace = Readonly<{
  /** The id of the chat, in the form of `chatIdOf`. */
  chat: string
  /** The public name of the chat. Null if the chat is private. */
  chatName: string | null
}>

/**
 * Makes the id of a chat. Channels and groups share one number space, and users have another. The prefix separates
 * them.
 */
export const chatIdOf = (channelId: number): string => `-100${channelId}`

/** Returns the public name, or the first active name if there are several. */
export function publicNameOf({ username, usernames = [] }: tl.RawChannel | tl.RawUser): string | null {
  return username ?? usernames.find(({ active }) => active)?.username ?? null
}

/** Returns null if the message is a notice of the platform, for example that somebody has joined. */
export function toPost(
  message: tl.TypeMessage,
  { chat, chatName }: ChatPlace,
  users: readonly tl.TypeUser[],
): ReadPost | null {
  if (message._ !== 'message') return null
  const poster = message.post || message.fromId === undefined ? chat : idOfPeer(message.fromId)
  const text = message.message
  return {
    ...{ chat, chatName, post: message.id, poster },
    posterName: botNameOf(message.fromId, users),
    postedAtMs: message.date * 1000,
    text,
    entities: (message.entities ?? []).map((entity) => {
      const { offset, length } = entity
      return { offset, length, url: linkOf(entity, text) }
    }),
    buttons: buttonsOf(message.replyMarkup),
    replyTo: replyOf(message.replyTo),
    origin: originOf(message.fwdFrom),
  }
}

/** The time at which the message got its current content. */
export const versionAtMs = ({ date, editDate }: Pick<tl.RawMessage, 'date' | 'editDate'>): EpochMs =>
  (editDate ?? date) * 1000

function idOfPeer(peer: tl.TypePeer): string {
  if (peer._ === 'peerUser') return String(peer.userId)
  // An anonymous administrator's post has the group itself, or a channel, as its poster.
  return peer._ === 'peerChannel' ? chatIdOf(peer.channelId) : `-${peer.chatId}`
}

function botNameOf(from: tl.TypePeer | undefined, users: readonly tl.TypeUser[]): string | null {
  if (from?._ !== 'peerUser') return null
  const user = users.find(({ id }) => id === from.userId)
  return user?._ === 'user' && user.bot === true ? publicNameOf(user) : null
}

function linkOf(entity: tl.TypeMessageEntity, text: string): string | null {
  if (entity._ === 'messageEntityTextUrl') return entity.url
  return entity._ === 'messageEntityUrl' ? text.slice(entity.offset, entity.offset + entity.length) : null
}

function buttonsOf(markup: tl.TypeReplyMarkup | undefined): ReadPost['buttons'] {
  if (markup?._ !== 'replyInlineMarkup') return []
  return markup.rows.flatMap(({ buttons }) =>
    buttons.map((button) => ({
      text: button.text,
      url: 'url' in button ? button.url : null,
      data: button._ === 'keyboardButtonCallback' ? Buffer.from(button.data).toString() : null,
    })),
  )
}

/**
 * Returns the number of the post to which this post replies. In a forum, every post has a header with its
 * topic. A header with only a topic is no reply.
 */
function replyOf(header: tl.TypeMessageReplyHeader | undefined): number | null {
  if (header?._ !== 'messageReplyHeader' || header.replyToPeerId !== undefined) return null
  const isTopicOnly = header.forumTopic === true && header.replyToTopId === undefined
  return isTopicOnly ? null : (header.replyToMsgId ?? null)
}

/** Returns the origin of a forwarded post. The origin contains only the ids of chats, never of people. */
function originOf(header: tl.TypeMessageFwdHeader | undefined): ReadPost['origin'] {
  if (header === undefined) return null
  const chat = header.fromId?._ === 'peerChannel' ? chatIdOf(header.fromId.channelId) : null
  return { chat, postedAtMs: header.date * 1000 }
}
