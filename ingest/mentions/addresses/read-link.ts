/**
 * Reads the token addresses and pool addresses in links. `link-table.ts` lists where the links of each host
 * contain an address.
 */
import { type Address, addressIn } from './address-forms.ts'
import {
  type AddressKind,
  botsOfPairs,
  chatHosts,
  type LinkShape,
  otherSections,
  otherStarts,
  shapesOf,
  startParameters,
} from './link-table.ts'

/** The names that links use for each network. The keys are this service's names of the networks. */
const namesOf: Readonly<Record<string, readonly string[]>> = {
  solana: ['solana', 'sol', '1399811149'],
  robinhood: ['robinhood', '4663'],
  ethereum: ['ethereum', 'eth', '1'],
  base: ['base', '8453'],
  bsc: ['bsc', 'bnb', '56'],
  arbitrum: ['arbitrum', 'arb', '42161'],
  unichain: ['unichain', '130'],
}

const networks: ReadonlyMap<string, string> = new Map(
  Object.entries(namesOf).flatMap(([network, names]) => names.map((name) => [name, network])),
)

/** Returns this service's name of a network. Null if the name is not listed. */
const networkNamed = (name: string): string | null => networks.get(name.toLowerCase()) ?? null

/**
 * An address, with the kind and the network from its link or text. `network` is null if the link or text
 * gives no network.
 */
export type FoundAddress = Address & Readonly<{ kind: AddressKind; network: string | null }>

const lengthMax = 2_048

/**
 * Returns the addresses in a link. Empty if the link contains no address of a token or market. A pool id is
 * always a market.
 */
export function addressesOfLink(link: string): readonly FoundAddress[] {
  const url = parsed(link)
  if (url === null) return []
  if (url.protocol === 'tg:') return ofBot(url.searchParams.get('domain') ?? '', url)
  const host = url.hostname.toLowerCase().replace(/^www\./, '')
  if (chatHosts.has(host)) return ofBot(segmentsOf(url)[0] ?? '', url)
  for (const shape of shapesOf(host)) {
    const found = ofShape(shape, url)
    if (found.length > 0) return found
  }
  return []
}

function parsed(link: string): URL | null {
  if (link.length > lengthMax) return null
  const absolute = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(link) ? link : `https://${link}`
  return URL.canParse(absolute) ? new URL(absolute) : null
}

const segmentsOf = (url: URL): string[] => url.pathname.split('/').filter((segment) => segment !== '')

function ofShape({ path, query, networkIn, kind }: LinkShape, url: URL): readonly FoundAddress[] {
  const segments = segmentsOf(url)
  if (isOtherSection(path, segments)) return []
  const named = networkIn === undefined ? null : url.searchParams.get(networkIn)
  let network = named === null ? null : networkOf(named)
  let holder = query === undefined ? '' : (url.searchParams.get(query) ?? '')
  for (const [index, expected] of path.entries()) {
    const segment = segments[index]
    if (segment === undefined) return []
    if (expected === '<network>') network = networkOf(segment)
    else if (expected === '<address>') holder = segment
    else if (expected !== '*' && expected !== segment.toLowerCase()) return []
  }
  return addressesIn(holder).map((address) => withKind(address, kind, network))
}

const isOtherSection = (path: LinkShape['path'], segments: readonly string[]): boolean =>
  path.some((expected, index) => expected === '<network>' && otherSections.has(segments[index]?.toLowerCase() ?? ''))

/**
 * Returns this service's name of a network. An unlisted name is returned in lower case, because it shows that
 * the address is on a chain that this service does not record.
 */
const networkOf = (name: string): string => networkNamed(name) ?? name.toLowerCase()

function ofBot(bot: string, url: URL): readonly FoundAddress[] {
  const payload = startParameters.map((name) => url.searchParams.get(name)).find((value) => value !== null) ?? ''
  const parts = payload.split(/[-_]/)
  if (otherStarts.includes(parts[0]?.toLowerCase() ?? '')) return []
  const network = parts.map(networkNamed).find((name) => name !== null) ?? null
  const mayBePair = parts.length === 1 && botsOfPairs.includes(bot.toLowerCase())
  return addressesIn(payload).map((address) =>
    withKind(address, mayBePair && address.form === 'evm' ? 'either' : 'token', network),
  )
}

/**
 * Returns the token addresses in the data that a button sends to its bot. The data consist of words, numbers
 * and addresses.
 */
export function addressesOfCallback(data: string): readonly FoundAddress[] {
  const isOther = otherStarts.includes(/^[a-z]*/i.exec(data)?.[0].toLowerCase() ?? '')
  return isOther ? [] : addressesIn(data.slice(0, lengthMax)).map((address) => withKind(address, 'token', null))
}

/** Returns the addresses in a text. The text is split at all characters other than letters and digits. */
const addressesIn = (text: string): Address[] =>
  text.split(/[^0-9A-Za-z]+/).flatMap((run) => {
    const found = addressIn(run)
    return found === null ? [] : [found]
  })

const withKind = (address: Address, kind: AddressKind, network: string | null): FoundAddress => ({
  ...address,
  kind: address.form === 'pool-id' ? 'market' : kind,
  network,
})
