/** Recorded and quoted posts of call channels and scanner bots, with the expected results of a parser. */
import { readFileSync } from 'node:fs'
import type { PostContent } from '../../../schemas/chats/facts.ts'

const folder = new URL('../../fixtures/chat/', import.meta.url)
const readLines = <Row>(name: string): readonly Row[] =>
  readFileSync(new URL(name, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)

export type SampleCard = Readonly<{
  id: string
  bot: string
  text: string
  parsed: Readonly<Record<string, unknown>>
  links?: readonly string[]
  mint?: string
  /** The words of the text that have a link, with their links, in order. */
  linked?: readonly (readonly [string, string])[]
}>
export type SamplePost = Readonly<{ id: string; text: string; expect: readonly string[]; note: string }>

export const sampleCards = readLines<SampleCard>('cards.jsonl')
export const samplePosts = readLines<SamplePost>('posts.jsonl')

export function sampleCard(id: string): SampleCard {
  const card = sampleCards.find((sample) => sample.id === id)
  if (card === undefined) throw new RangeError(`no sample ${id}`)
  return card
}

/** Returns a card as a post, with links on its words. */
export function postOf({
  text,
  linked = [],
}: Pick<SampleCard, 'text' | 'linked'>): Pick<PostContent, 'text' | 'entities'> {
  let from = 0
  const entities = linked.map(([word, url]) => {
    const offset = text.indexOf(word, from)
    if (offset < 0) throw new RangeError(`no word ${word}`)
    from = offset + word.length
    return { offset, length: word.length, url }
  })
  return { text, entities }
}
