/** Serves public preview pages of chats with false parts, to attack the reader of these pages. */
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { chatsStage } from '../../../../schemas/chats/stage.ts'
import { readRecords } from '../../../ingest/read-records.ts'
import { channels, createChatter } from './chatter.ts'
import { compareFacts, type ReadFacts, type ToldFacts, textOf } from './compare-facts.ts'
import { rpcAnswer } from './json-rpc.ts'
import { type Answer, type Question, startLiar } from './liar.ts'
import { createLivingChain } from './living-chain.ts'
import type { Lying } from './tell.ts'
import { waitUntil } from './wait-until.ts'
import type { Services, World } from './world.ts'

/**
 * The time after the lies until the tokens that posts name are in the log, in milliseconds. The service reads
 * a page every 15 s, or a minute after a refusal.
 */
const settleMs = 100_000

export async function openChatPage(seed: number): Promise<World> {
  const canonical = createLivingChain(seed)
  const chatter = createChatter(seed)
  const node = await startLiar({ seed, honest: rpcAnswer(canonical.answer), lie: (_, answer) => answer })
  const liar = await startLiar({ seed, honest: chatter.page, lie: lieInPage })
  const pages = await startLiar({ seed, honest: chatter.page, lie: lieInPage })
  return {
    liar,
    environmentOf: (side) => ({
      ...canonical.environment,
      CHAIN_A_RPC_URL: node.url,
      CHAT_CHANNELS: channels.map((name) => `@${name}`).join(),
      CHAT_PREVIEW_URL: side === 'lied to' ? liar.url : pages.url,
    }),
    step() {
      canonical.step()
      chatter.step()
    },
    settle: (services) => settleChats(services, canonical.step),
    compare: async (folders) => {
      const posts = await compareFacts('posts', folders, readPosts)
      const mentions = await compareFacts('mentions', folders, readMentions)
      return {
        compared: `${posts.compared} and ${mentions.compared}`,
        differences: [...posts.differences, ...mentions.differences],
      }
    },
    leftOut: [
      'the text of a post',
      'a number that a post may have',
      'the time of the oldest post of a page, before it was posted',
      'a Retry-After of minutes, which is obeyed up to ten',
    ],
    stop: async () => {
      for (const server of [node, liar, pages]) await server.stop()
    },
  }
}

/** Waits without new posts. */
async function settleChats(_: Services, step: () => void): Promise<readonly string[]> {
  const endAtMs = Date.now() + settleMs
  await waitUntil(async () => {
    step()
    return Date.now() > endAtMs
  }, settleMs)
  return []
}

const times = ['1970-01-01T00:00:00+00:00', '2100-01-01T00:00:00+00:00', '', 'soon', '+275760-09-13T00:00:00Z'] as const
const numbers = ['0', '-1', 'x', '', '999999999999999', '2147483648', '1.5', '1e9', '4/4'] as const
const message = '<div class="tgme_widget_message_wrap'

/** The lies do not change the texts of posts, because a reader cannot check them. */
function lieInPage(_: Question, answer: Answer, { random, count }: Lying): Answer {
  const [head = '', ...posts] = answer.text.split(message)
  const at = random.whole(0, posts.length - 1)
  const page = (list: readonly string[]) => [head, ...list].join(message)
  const changed = (change: (post: string) => string) => page(posts.with(at, change(posts[at] ?? '')))
  const lies: Readonly<Record<string, () => string>> = {
    'a missing post': () => page(posts.toSpliced(at, 1)),
    'a repeated post': () => page(posts.toSpliced(at, 0, posts[at] ?? '')),
    'reordered posts': () => page(posts.toReversed()),
    'fewer posts': () => page(posts.slice(0, at)),
    'no posts': () => page([]),
    'a wrong time': () => changed((post) => post.replace(/datetime="[^"]*"/, `datetime="${random.pick(times)}"`)),
    'a missing time': () => changed((post) => post.replace(/<time.*?<\/time>/, '')),
    'a wrong number': () => changed((post) => post.replace(/(data-post="\w+\/)\d+/, `$1${random.pick(numbers)}`)),
    'a missing number': () => changed((post) => post.replace(/data-post="[^"]*"/, '')),
    'another chat': () => changed((post) => post.replace(/data-post="\w+/, 'data-post="others')),
    'deep tags': () => page([...posts, '<div>'.repeat(20_000)]),
    'unclosed tags': () => page([...posts, '"><b><i><a href="<!--'.repeat(1_000)]),
    'a page for visitors': () =>
      '<!DOCTYPE html><html><body><div class="tgme_page">You can contact</div></body></html>',
    'a long attribute': () => changed((post) => post.replace('data-view="x"', `data-view="${'x'.repeat(1_000_000)}"`)),
  }
  const names = Object.keys(lies)
  const name = names[random.whole(0, names.length - 1)] ?? ''
  if (posts.length === 0 || lies[name] === undefined) return answer
  count(name)
  return { ...answer, text: lies[name]() }
}

/** Reads the last version of each post. Leaves out posts before the time from which all chats have posts. */
const readPosts: ReadFacts = async ({ log, registry }) => {
  const { facts: codec } = await createIngestCodecs(chatsStage, registry)
  const posts = new Map<string, Said>()
  for (const { record } of await readRecords(log, 'chat-posts', codec)) {
    if (record?.type !== 'PostSeen' && record?.type !== 'PostEdited') continue
    const { chat, post, postedAtMs, text, entities, buttons, replyTo } = record.data
    const told = { chat, post, postedAtMs, text, entities, buttons, replyTo }
    posts.set(`${chat}/${post}`, { chat, block: postedAtMs, text: textOf(told) })
  }
  return spanOf([...posts.values()])
}

export const readMentions: ReadFacts = async ({ log, registry }) => {
  const { facts: codec } = await createIngestCodecs(chainAStage, registry)
  const mentions = (await readRecords(log, 'chain-a-facts', codec)).flatMap(({ key, record }) => {
    if (record?.type !== 'Mentioned') return []
    const { chat, post, kind, postedAtMs, isEditedIn, source, tokenCount } = record.data
    return [
      { chat, block: postedAtMs, text: textOf({ key, chat, post, kind, postedAtMs, isEditedIn, source, tokenCount }) },
    ]
  })
  return spanOf(mentions)
}

/** `block` is the time of the post. */
type Said = Readonly<{ chat: string; block: number; text: string }>

/**
 * The first read of a chat gives only its newest posts, so each chat begins at another time. The comparison
 * begins where all chats have posts.
 */
function spanOf(facts: readonly Said[]): ToldFacts {
  const firsts = channels.map((name) =>
    Math.min(...facts.flatMap(({ chat, block }) => (chat === `@${name}` ? [block] : []))),
  )
  return { facts, firstBlock: Math.max(...firsts.filter(Number.isFinite)), lastBlock: Number.MAX_SAFE_INTEGER }
}
