/**
 * Converts a Telegram message to a post. The names of people are never read. The names of bots are read,
 * because a bot's name shows which kind of automatic message a post is.
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
 * Makes the id of a chat from the number of a channel or group. A user may have the same number, so the
 * prefix tells the two apart.
 */
export const chatIdOf = (channelId: number): string => `-100${channelId}`

/** Returns the public name of a channel or bot. If there are several names, returns the first active one. */
export function publicNameOf({ username, usernames = [] }: tl.RawChannel | tl.RawUser): string | null {
  return username ?? usernames.find(({ active }) => active)?.username ?? null
}

/**
 * Converts a message. Returns null if the message is a notice of the platform, for example that somebody has
 * joined.
 */
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

/** Returns the time at which the message got its current content, in milliseconds. */
export const versionAtMs = ({ date, editDate }: Pick<tl.RawMessage, 'date' | 'editDate'>): EpochMs =>
  (editDate ?? date) * 1000

function idOfPeer(peer: tl.TypePeer): string {
  if (peer._ === 'peerUser') return String(peer.userId)
  // If an administrator posts anonymously, the poster is the group itself or a channel.
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
 * Returns the number of the post to which this post replies. In a forum, every post has a reply header that
 * names its topic. If the header names only the topic, the post is not a reply.
 */
function replyOf(header: tl.TypeMessageReplyHeader | undefined): number | null {
  if (header?._ !== 'messageReplyHeader' || header.replyToPeerId !== undefined) return null
  const isTopicOnly = header.forumTopic === true && header.replyToTopId === undefined
  return isTopicOnly ? null : (header.replyToMsgId ?? null)
}

/**
 * Returns where a forwarded post was first posted. The result contains only the ids of chats, never of
 * people.
 */
function originOf(header: tl.TypeMessageFwdHeader | undefined): ReadPost['origin'] {
  if (header === undefined) return null
  const chat = header.fromId?._ === 'peerChannel' ? chatIdOf(header.fromId.channelId) : null
  return { chat, postedAtMs: header.date * 1000 }
}
