/** The search in the documentation. The server searches, so it works without scripts. */
import { type Html, html, marked } from './html.ts'

/** Something that can be found. `text`: all words of it. */
export type Findable = Readonly<{ title: string; address: string; summary: string; text: string }>

const wordsMax = 8
const queryCharactersMax = 100
const foundMax = 30

/** Returns what has all words of the query, matches in titles first. Case does not matter. */
export function find(entries: readonly Findable[], query: string): readonly Findable[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const inTitle = (entry: Findable) => words.filter((word) => entry.title.toLowerCase().includes(word)).length
  return entries
    .filter((entry) => words.every((word) => entry.text.includes(word)))
    .map((entry) => ({ entry, titled: inTitle(entry) }))
    .sort((left, right) => right.titled - left.titled)
    .slice(0, foundMax)
    .map(({ entry }) => entry)
}

const wordsOf = (query: string): readonly string[] =>
  query.slice(0, queryCharactersMax).toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax)

export const searchForm = (query: string): Html =>
  html`<form action="/docs/search" role="search"><label>Search <input type="search" name="q" value="${query.slice(0, queryCharactersMax)}" maxlength="${queryCharactersMax}"></label> <button>Find</button></form>`

export const foundList = (found: readonly Findable[], query: string): Html =>
  found.length === 0
    ? html`<p>${query === '' ? 'Enter a word, such as the name of a field, a route or an error code.' : 'Nothing has all of these words. Use fewer words, or parts of words.'}</p>`
    : html`<ul>${found.map(({ title, address, summary }) => html`<li><a href="${address}">${marked(title)}</a><br><span class="soft">${marked(summary)}</span></li>\n`)}</ul>`
