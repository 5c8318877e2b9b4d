/** Remembers the recorded posts of one chat, so that no post is recorded twice. */
import { createHash } from 'node:crypto'
import type { ChatFact } from '../../schemas/chats/facts.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ChatChange, ReadPost } from './reader.ts'

/** A fact of a chat without its block. `chat-source.ts` adds the block. */
export type NewFact = ChatFact extends infer Fact
  ? Fact extends ChatFact
    ? Readonly<{ type: Fact['type']; data: Omit<Fact['data'], 'blockNumber' | 'blockHash' | 'blockAtMs'> }>
    : never
  : never

/**
 * The newest version of a recorded post. `hashes` are the hashes of all contents at `versionAtMs`, the newest
 * last. There may be several contents, because times are whole seconds and an edit may have the same time as
 * its post.
 */
type Known = Readonly<{ versionAtMs: EpochMs; hashes: readonly string[] }> | 'deleted'

export type KnownPosts = Readonly<{
  /** Returns the number of the newest recorded post. Returns null if there is none. */
  lastPost(): number | null
  /** Returns the lowest number of a remembered post. Returns null if no post is remembered. */
  firstPost(): number | null
  /** Adds a fact that is in the log. */
  add(fact: ChatFact): void
  /** Returns the fact to record for a change. Returns null if the change is already recorded. */
  take(chat: string, change: ChatChange, isLate: boolean): NewFact | null
}>

/**
 * Creates the memory of a chat's posts. `postsMax` limits the number of remembered posts. If a forgotten post
 * is read again, it is recorded again. Readers avoid this, because they start after the newest post.
 */
export function createKnownPosts(postsMax: number): KnownPosts {
  const posts = new Map<number, Known>()
  let lastPost: number | null = null
  const put = (post: number, known: Known) => {
    posts.set(post, known)
    lastPost = Math.max(lastPost ?? 0, post)
    for (const oldest of posts.keys()) {
      if (posts.size <= postsMax) break
      posts.delete(oldest)
    }
  }
  const putVersion = (post: ReadPost, versionAtMs: EpochMs) => {
    const known = posts.get(post.post)
    const isSame = known !== undefined && known !== 'deleted' && known.versionAtMs === versionAtMs
    put(post.post, { versionAtMs, hashes: [...(isSame ? known.hashes : []), hashOf(post)] })
  }
  const takeDeleted = (chat: string, deleted: readonly number[]): NewFact | null => {
    const gone = [...new Set(deleted)].filter((post) => posts.get(post) !== 'deleted')
    for (const post of gone) put(post, 'deleted')
    return gone.length === 0 ? null : { type: 'PostsDeleted', data: { chat, posts: gone } }
  }
  const takeContent = (change: Content, isLate: boolean): NewFact | null => {
    const { type, post, versionAtMs } = change
    const known = posts.get(post.post)
    if (known !== undefined && isRecorded(known, change)) {
      if (known !== 'deleted' && versionAtMs > known.versionAtMs) putVersion(post, versionAtMs)
      return null
    }
    // A post with a higher number was read earlier, so this post was missed and is late.
    const isMissed = known === undefined && type === 'posted' && post.post < (lastPost ?? 0)
    putVersion(post, versionAtMs)
    const data = { ...post, isLate: isLate || isMissed }
    if (known === undefined && type === 'posted') return { type: 'PostSeen', data }
    return { type: 'PostEdited', data: { editedAtMs: versionAtMs, ...data } }
  }

  return {
    lastPost: () => lastPost,
    firstPost: () => (posts.size === 0 ? null : Math.min(...posts.keys())),
    add({ type, data }) {
      if (type === 'PostsDeleted') for (const post of data.posts) put(post, 'deleted')
      else if (type === 'PostSeen') putVersion(data, data.postedAtMs)
      else if (type === 'PostEdited') putVersion(data, data.editedAtMs)
    },
    take: (chat, change, isLate) =>
      change.type === 'deleted' ? takeDeleted(chat, change.posts) : takeContent(change, isLate),
  }
}

type Content = Exclude<ChatChange, { type: 'deleted' }>

function isRecorded(known: Known, { post, versionAtMs }: Content): boolean {
  if (known === 'deleted' || versionAtMs < known.versionAtMs) return true
  const hash = hashOf(post)
  return versionAtMs === known.versionAtMs ? known.hashes.includes(hash) : known.hashes.at(-1) === hash
}

/**
 * Returns a hash of the parts of a post that can name a token. The texts of buttons are left out, because
 * they often show changing counts of votes and reactions.
 */
function hashOf({ text, entities, buttons }: Pick<ReadPost, 'text' | 'entities' | 'buttons'>): string {
  const links = buttons.map(({ url, data }) => [url, data])
  const marked = entities.map(({ offset, length, url }) => [offset, length, url])
  return createHash('sha1')
    .update(JSON.stringify([text, marked, links]))
    .digest('base64')
}
