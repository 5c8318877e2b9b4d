/**
 * Removes pools from the list of the largest holders on a card. Some cards list the pool of the token first,
 * although it is no holder.
 */
import type { PostContent } from '../../../schemas/chats/facts.ts'
import type { NamedAddress } from '../addresses/named-addresses.ts'
import { addressesOfLink } from '../addresses/read-link.ts'
import { isWellKnown } from '../addresses/well-known.ts'

type Linked = Pick<PostContent, 'text' | 'entities'>

/**
 * Whether this visible text of a link is a percentage. On a card, such a link leads to the account of a
 * holder.
 */
const isShare = (shown: string): boolean => /^\s{0,4}\d{1,3}(?:\.\d{1,4})?\s?%?\s{0,4}$/.test(shown)
// These characters are in a string, so that the bundler escapes them (see `readers.ts`).
const separators = '|⋅・·•'
const separator = new RegExp(String.raw`^\s{0,2}[${separators}]`, 'u')
/** The minimum length of a run of letters and digits that may be an address. */
const runLengthMin = 32

/**
 * Returns the text of a card without the percentages of pools in its list of holders. `named` are the addresses
 * in the post. Each holder is a percentage with a link to an account. The account is a pool if the post names its
 * address elsewhere, or if the address is well known. The address that the post names most often is the token. It
 * stays in the list, because a token may hold a part of its own supply.
 */
export function withoutPoolHolders({ text, entities }: Linked, named: readonly NamedAddress[]): string {
  const markets = marketsOf(entities, named)
  const isPool = (url: string): boolean =>
    addressesOfLink(url).length === 0 &&
    runsOf(url).some((run) => markets.has(run.toLowerCase()) || isWellKnown(run) || isWellKnown(run.toLowerCase()))
  const pieces: string[] = []
  let from = 0
  for (const { offset, length, url } of [...entities].sort((one, other) => one.offset - other.offset)) {
    const end = offset + length
    if (url === null || offset < from || !isShare(text.slice(offset, end)) || !isPool(url)) continue
    pieces.push(text.slice(from, offset))
    from = end + (separator.exec(text.slice(end, end + 4))?.[0].length ?? 0)
  }
  return from === 0 ? text : [...pieces, text.slice(from)].join('')
}

/**
 * Returns the addresses of the post that may be pools, in lower case. Links of one host do not preserve the
 * case.
 */
function marketsOf(entities: PostContent['entities'], named: readonly NamedAddress[]): ReadonlySet<string> {
  const most = Math.max(0, ...named.map(({ count }) => count))
  const token = named.find(({ count }) => count === most)?.address.toLowerCase()
  const ofCharts = entities.flatMap(({ url }) =>
    url !== null && /^https?:\/\/dexscreener\.com\//i.test(url) ? runsOf(url) : [],
  )
  const all = [...named.map(({ address }) => address), ...ofCharts].map((address) => address.toLowerCase())
  return new Set(all.filter((address) => address !== token))
}

const runsOf = (url: string): readonly string[] =>
  url.split(/[^0-9A-Za-z]+/).filter(({ length }) => length >= runLengthMin)
