/** Sends the requests to the platform about one channel or group, and converts the answers. */
import { type BaseTelegramClient, Long, type tl } from '@mtcute/node'
import type { DurationMs } from '../../../schemas/units.ts'
import type { ChatChange, ChatNews } from '../reader.ts'
import { type ChatPlace, chatIdOf, publicNameOf, toPost, versionAtMs } from './to-post.ts'

/** Sends a request to the platform. Fails with an `RpcError`, which may be a timeout. */
export type Call = BaseTelegramClient['call']

export type Channel = Readonly<{ place: ChatPlace; input: tl.RawInputChannel }>

export type Difference = Readonly<{
  news: ChatNews
  /** The place of the channel, with its name from the newest answer that shows the channel. */
  place: ChatPlace
  /** The position in the channel's changes (the platform's `pts`) from which the next call must read. */
  pts: number
  /** False if more changes are ready to be read now. */
  isFinal: boolean
  /** The wait that the platform requests before the next call. Null if the platform requests no wait. */
  waitMs: DurationMs | null
}>

const changesPerCall = 100

/**
 * Reads all changes in the channel since the position `pts`. If the platform no longer has these changes,
 * reads the existing posts after `lastPost`.
 */
export async function readDifference(
  call: Call,
  { place, input: channel }: Channel,
  { pts, lastPost }: Readonly<{ pts: number; lastPost: number | null }>,
): Promise<Difference> {
  const filter = { _: 'channelMessagesFilterEmpty' } as const
  const answer = await call({ _: 'updates.getChannelDifference', channel, filter, pts, limit: changesPerCall })
  const waitMs = answer.timeout === undefined ? null : answer.timeout * 1000
  const newsOf = (changes: readonly ChatChange[]): ChatNews => ({ chat: place.chat, changes, isTooLong: false })
  if (answer._ === 'updates.channelDifferenceEmpty')
    return { news: newsOf([]), place, pts: answer.pts, isFinal: answer.final ?? true, waitMs }
  const shown = placeIn(answer.chats, place)
  if (answer._ === 'updates.channelDifference') {
    const news = newsOf(changesOf(answer, shown))
    return { news, place: shown, pts: answer.pts, isFinal: answer.final ?? false, waitMs }
  }
  const behind = answer.dialog._ === 'dialog' ? answer.dialog.pts : undefined
  return { ...(await readAgain(call, { place: shown, input: channel }, { pts: behind, lastPost })), waitMs }
}

/**
 * Returns the place with the public name that an answer shows for this channel. The owner can make a public channel
 * private at any time, and its posts must then have no name. If the answer does not show the channel, the name stays.
 */
function placeIn(chats: readonly tl.TypeChat[], place: ChatPlace): ChatPlace {
  const shown = chats.find((chat) => chat._ === 'channel' && chatIdOf(chat.id) === place.chat)
  return shown?._ === 'channel' ? { ...place, chatName: publicNameOf(shown) } : place
}

/**
 * Gives up the old position and continues from the current one. Reads the existing posts after the newest
 * recorded post.
 */
export async function readAgain(
  call: Call,
  channel: Channel,
  { pts, lastPost }: Readonly<{ pts?: number | undefined; lastPost: number | null }>,
): Promise<Difference> {
  // Reads the position before the posts. A post that arrives between the two reads is read two times, but
  // recorded only one time.
  const from = pts ?? (await readPts(call, channel))
  const { changes, place } =
    lastPost === null ? { changes: [], place: channel.place } : await readHistory(call, channel, lastPost)
  return { news: { chat: place.chat, changes, isTooLong: true }, place, pts: from, isFinal: true, waitMs: null }
}

/** Returns the current position of the channel (the platform's `pts`). */
export async function readPts(call: Call, { input: channel }: Pick<Channel, 'input'>): Promise<number> {
  const { fullChat } = await call({ _: 'channels.getFullChannel', channel })
  return fullChat._ === 'channelFull' ? fullChat.pts : 0
}

/**
 * Returns the new posts first, then the edits and deletions in their order. A new post in the answer already
 * has its newest content, so it is right to put the posts first.
 */
export function changesOf(
  { newMessages, otherUpdates, users }: Pick<tl.updates.RawChannelDifference, 'newMessages' | 'otherUpdates' | 'users'>,
  place: ChatPlace,
): readonly ChatChange[] {
  const posted = newMessages.flatMap((message) => contentOf('posted', message, { place, users }))
  const others = otherUpdates
    .filter((update) => update._ === 'updateEditChannelMessage' || update._ === 'updateDeleteChannelMessages')
    .sort((left, right) => left.pts - right.pts)
    .flatMap((update): readonly ChatChange[] =>
      update._ === 'updateEditChannelMessage'
        ? contentOf('edited', update.message, { place, users })
        : [{ type: 'deleted', posts: update.messages }],
    )
  return [...posted.sort(byPost), ...others]
}

type Content = Exclude<ChatChange, { type: 'deleted' }>

const byPost = (left: Content, right: Content): number => left.post.post - right.post.post

function contentOf(
  type: Content['type'],
  message: tl.TypeMessage,
  { place, users }: Readonly<{ place: ChatPlace; users: readonly tl.TypeUser[] }>,
): readonly Content[] {
  const post = toPost(message, place, users)
  return post === null || message._ !== 'message' ? [] : [{ type, versionAtMs: versionAtMs(message), post }]
}

const postsPerPage = 100
const pagesMax = 10

/**
 * Returns the posts after the post number `minId`, oldest first. If there are more than a thousand, returns
 * only the newest thousand.
 */
async function readHistory(
  call: Call,
  { place: known, input }: Channel,
  minId: number,
): Promise<Readonly<{ changes: readonly ChatChange[]; place: ChatPlace }>> {
  const found: Content[] = []
  let place = known
  let offsetId = 0
  for (let page = 0; page < pagesMax; page++) {
    const answer = await call({
      _: 'messages.getHistory',
      peer: { _: 'inputPeerChannel', channelId: input.channelId, accessHash: input.accessHash },
      ...{ offsetId, offsetDate: 0, addOffset: 0, limit: postsPerPage, maxId: 0, minId, hash: Long.ZERO },
    })
    if (answer._ === 'messages.messagesNotModified' || answer.messages.length === 0) break
    place = placeIn(answer.chats, place)
    for (const message of answer.messages) found.push(...contentOf('posted', message, { place, users: answer.users }))
    offsetId = Math.min(...answer.messages.map(({ id }) => id))
    if (answer.messages.length < postsPerPage) break
  }
  return { changes: found.sort(byPost), place }
}

/** Thrown if no channel or group has the configured name, or if the account is not a member. */
export class NoSuchChat extends Error {}

/** Finds a configured chat: by its public name, or by an id in the account's own list of chats. */
export async function findChannel(call: Call, configured: string): Promise<Channel> {
  const chats = configured.startsWith('@')
    ? (await call({ _: 'contacts.resolveUsername', username: configured.slice(1) })).chats
    : await listedChats(call)
  const isWanted = ({ id }: tl.TypeChat) =>
    configured.startsWith('@') || configured === chatIdOf(id) || configured === String(id)
  const chat = chats.find((candidate): candidate is tl.RawChannel => candidate._ === 'channel' && isWanted(candidate))
  if (chat?.accessHash === undefined) throw new NoSuchChat()
  return {
    place: { chat: chatIdOf(chat.id), chatName: publicNameOf(chat) },
    input: { _: 'inputChannel', channelId: chat.id, accessHash: chat.accessHash },
  }
}

const dialogPagesMax = 20

async function listedChats(call: Call): Promise<readonly tl.TypeChat[]> {
  const chats: tl.TypeChat[] = []
  let offset: Readonly<{ offsetDate: number; offsetId: number; offsetPeer: tl.TypeInputPeer }> = {
    ...{ offsetDate: 0, offsetId: 0, offsetPeer: { _: 'inputPeerEmpty' } },
  }
  for (let page = 0; page < dialogPagesMax; page++) {
    const answer = await call({ _: 'messages.getDialogs', ...offset, limit: postsPerPage, hash: Long.ZERO })
    if (answer._ === 'messages.dialogsNotModified') break
    chats.push(...answer.chats)
    const last = answer.messages.at(-1)
    if (answer._ === 'messages.dialogs' || last === undefined || last._ === 'messageEmpty') break
    // The date alone selects the next page, so the platform accepts an empty peer.
    offset = { offsetDate: last.date, offsetId: last.id, offsetPeer: { _: 'inputPeerEmpty' } }
  }
  return chats
}
