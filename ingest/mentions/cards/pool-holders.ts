/** Removes pools from the list of holders on a card. Some layouts list the pool first, although it is no holder. */
import type { PostContent } from '../../../schemas/chats/facts.ts'
import type { NamedAddress } from '../addresses/named-addresses.ts'
import { addressesOfLink } from '../addresses/read-link.ts'
import { isWellKnown } from '../addresses/well-known.ts'

type Linked = Pick<PostContent, 'text' | 'entities'>

/** Whether the visible text of a link is the share of a holder. */
const isShare = (shown: string): boolean => /^\s{0,4}\d{1,3}(?:\.\d{1,4})?\s?%?\s{0,4}$/.test(shown)
const separator = /^\s{0,2}[|⋅・·•]/u
/** The minimum length of a run that may be an address. Every address in a link is at least this long. */
const runLengthMin = 32

/**
 * Returns the text of the post without the holders that are pools. `named` are the addresses that the post names. Each holder has a link to
 * an account. The account is a pool if another link of the post names it as a market, or if its address is well known. The address that the
 * post names most often is the token. The token may hold its own supply, so it is never a pool.
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

/** Returns the markets in lower case, because links of one host do not preserve the case of an address. */
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
