/** Simulated public chats whose posts name tokens, and their preview pages. */
import { createRandom } from '../../../../ingest/simulated/random.ts'
import { addressOf } from '../../../ingest/chain-a/branching-words.ts'
import { type PagePost, pageOf } from '../../../ingest/chats/preview/page.ts'
import type { Answer, Question } from './liar.ts'

export const channels = [
  'calls_1',
  'calls_2',
  'calls_3',
  'calls_4',
  'calls_5',
  'calls_6',
  'calls_7',
  'calls_8',
] as const
const perPage = 20
const everyMs = 1_500
/**
 * The number of tokens that posts name. It is small, because the service ignores a poster who names too many
 * new tokens.
 */
const tokenCount = 10
const quiet = { status: 302, text: '', headers: { location: '/elsewhere' } }

export type Chatter = Readonly<{
  /** Adds a post when it is time. */
  step: () => void
  /** The preview page of a chat. */
  page: (question: Question) => Promise<Answer>
}>

export function createChatter(seed: number): Chatter {
  const random = createRandom(seed, 93)
  const posts = new Map<string, PagePost[]>(channels.map((name) => [name, []]))
  let saidAtMs = 0
  let said = 0
  const say = (name: string) => {
    const list = posts.get(name) ?? []
    const id = (list.at(-1)?.id ?? 0) + random.whole(1, 3)
    const token = addressOf('a called token', seed, said++ % tokenCount)
    const body = random.pick([`${token} to the moon`, `<b>new</b><br><code>${token}</code>`, 'good morning'])
    list.push({ id, body, atSec: Math.floor(Date.now() / 1000) })
  }
  for (const name of channels) say(name)
  return {
    step() {
      if (Date.now() - saidAtMs < everyMs) return
      saidAtMs = Date.now()
      say(random.pick(channels))
    },
    async page({ path }) {
      const { pathname, searchParams } = new URL(path, 'http://chat')
      const name = pathname.replace('/s/', '')
      const list = posts.get(name)
      if (list === undefined) return quiet
      const before = Number(searchParams.get('before') ?? Number.POSITIVE_INFINITY)
      const shown = list.filter(({ id }) => id < before).slice(-perPage)
      return { status: 200, text: pageOf(name, shown), type: 'text/html; charset=utf-8' }
    },
  }
}
