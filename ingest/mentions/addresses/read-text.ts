/** Reads the addresses in the visible text of a post. */
import { type Address, addressIn, joinedAddress } from './address-forms.ts'
import type { PlainText } from './plain-text.ts'
import { addressesOfLink, type FoundAddress } from './read-link.ts'

export type TextAddress = FoundAddress & Readonly<{ isMarked: boolean }>

type Run = Readonly<{ text: string; start: number; end: number }>

/**
 * Returns the addresses in a text. An address in a link is found by the link shapes of the host. Any other
 * address is found by its form. The time is linear in the length of the text.
 */
export function addressesOfText({ text, isMarked }: PlainText): readonly TextAddress[] {
  const found: TextAddress[] = []
  const add = (addresses: readonly FoundAddress[], at: number) => {
    for (const address of addresses) found.push({ ...address, isMarked: isMarked(at) })
  }
  let before: Run | null = null
  for (const { isLink, ...run } of partsOf(text)) {
    if (isLink) add(addressesOfLink(run.text), run.start)
    const { address, isJoined }: OfRun = isLink ? { address: null, isJoined: true } : addressOf(run, before, text)
    if (address !== null) add([ofForm(address)], run.start)
    // Sets the run that may form an address together with the next run. A run belongs to at most one address,
    // and a link is never joined with a run.
    before = isJoined ? null : run
  }
  return found
}

type Part = Run & Readonly<{ isLink: boolean }>

/** Yields the links, and the runs of letters and digits outside of links, in the order of the text. */
function* partsOf(text: string): Generator<Part> {
  for (const { text: word, start } of matches(/\S+/g, text)) {
    const { prose, link } = apart(word)
    for (const run of matches(/[0-9A-Za-z]+/g, prose))
      yield { text: run.text, start: start + run.start, end: start + run.end, isLink: false }
    const linkStart = start + prose.length
    if (link !== '') yield { text: link, start: linkStart, end: linkStart + link.length, isLink: true }
  }
}

type OfRun = Readonly<{ address: Address | null; isJoined: boolean }>

function addressOf(run: Run, before: Run | null, text: string): OfRun {
  const whole = addressIn(run.text)
  if (whole !== null || before === null || !isOneBlank(text.slice(before.end, run.start)))
    return { address: whole, isJoined: false }
  const joined = joinedAddress(before.text, run.text)
  return { address: joined, isJoined: joined !== null }
}

const isOneBlank = (between: string): boolean => /^(?:\r\n|\s)$/.test(between)

const ofForm = (address: Address): FoundAddress => ({
  ...address,
  kind: address.form === 'pool-id' ? 'market' : 'token',
  network: null,
})

const scheme = /https?:\/\/|tg:\/\//i
/** Matches a host with the start of a path, because people write links without a scheme. */
const bareLink = /^[(["'<]?((?:www\.)?[a-z0-9.-]{1,80}\.[a-z]{2,10}\/.*)$/i

/**
 * Splits a word into the text before a link, and the link. Closing brackets and quotes after the link are
 * dropped.
 */
function apart(word: string): Readonly<{ prose: string; link: string }> {
  const at = scheme.exec(word)?.index ?? -1
  const bare = at < 0 ? bareLink.exec(word)?.[1] : undefined
  const begin = bare === undefined ? at : word.length - bare.length
  if (begin < 0) return { prose: word, link: '' }
  return { prose: word.slice(0, begin), link: word.slice(begin).split(/[)\]>"'|]/, 1)[0] ?? '' }
}

function* matches(expression: RegExp, text: string): Generator<Run> {
  for (const match of text.matchAll(expression))
    yield { text: match[0], start: match.index, end: match.index + match[0].length }
}
