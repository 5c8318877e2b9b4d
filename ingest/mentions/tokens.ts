/** Resolves the addresses of a post to tokens, with the books of the chains. */
import type { AddressSource } from '../../schemas/calls/facts.ts'
import type { AddressForm } from './addresses/address-forms.ts'
import type { NamedAddress } from './addresses/named-addresses.ts'

/** The tokens that ingest of a chain knows now. Addresses are in the form of the fact keys. */
export type KnownTokens = Readonly<{
  /** The token of a pool or curve. Null if it is unknown. */
  tokenOfMarket(address: string): string | null
  isToken(address: string): boolean
}>

/** A chain whose tokens posts may name. `networks`: our names of it, see `networks.ts`. */
export type TokenChain = Readonly<{
  /** The name of its stage. */
  name: string
  forms: readonly AddressForm[]
  networks: readonly string[]
  known: KnownTokens
}>

export type NamedToken = Readonly<{
  /** The name of the stage of its chain. */
  chain: string
  token: string
  isTracked: boolean
  source: AddressSource
  /** The addresses of the post that name it: its own, and those of its markets. */
  addresses: readonly string[]
  count: number
}>

/**
 * The most frequent tokens first, then the tracked ones, then in the order of the post. The address of an unknown
 * market names nothing. An address that may be a market or a token counts as a token only if the post has no surer
 * address of its form. A link that names a foreign network excludes its addresses, and so does a card that answers the
 * post.
 */
export function namedTokens(named: readonly NamedAddress[], chains: readonly TokenChain[]): readonly NamedToken[] {
  const tokens = new Map<string, NamedToken>()
  for (const address of named) {
    const found = tokenOf(address, named, chains)
    if (found === null) continue
    const key = `${found.chain} ${found.token}`
    const known = tokens.get(key)
    tokens.set(key, {
      ...found,
      isTracked: found.isTracked || (known?.isTracked ?? false),
      source: known?.source ?? address.source,
      addresses: [...(known?.addresses ?? []), address.address],
      count: (known?.count ?? 0) + address.count,
    })
  }
  return [...tokens.values()].sort(
    (one, other) => other.count - one.count || Number(other.isTracked) - Number(one.isTracked),
  )
}

/** False while the books may still learn one of the addresses. */
export const areAllKnown = (named: readonly NamedAddress[], chains: readonly TokenChain[]): boolean =>
  named.every((address) => {
    const candidates = chainsOf(address, named, chains)
    return candidates.length === 0 || candidates.some((chain) => knownIn(chain, address) !== null)
  })

/**
 * The addresses that only their form identifies, with their chains: neither a book nor a network in the post confirms
 * them.
 */
export const namedByForm = (
  named: readonly NamedAddress[],
  chains: readonly TokenChain[],
): readonly Readonly<{ chain: string; address: string }>[] =>
  named.flatMap((address) => {
    const found = tokenOf(address, named, chains)
    const isByForm = found !== null && !found.isTracked && networksNear(address, named).length === 0
    return isByForm ? [{ chain: found.chain, address: found.token }] : []
  })

/** Whether a card is about a token of another network. */
export const isElsewhere = (named: readonly NamedAddress[], chains: readonly TokenChain[]): boolean =>
  named.some(({ networks }) => networks.size > 0) &&
  !chains.some((chain) => chain.networks.some((name) => named.some(({ networks }) => networks.has(name))))

type Found = Readonly<{ chain: string; token: string; isTracked: boolean }>

function tokenOf(address: NamedAddress, named: readonly NamedAddress[], chains: readonly TokenChain[]): Found | null {
  const candidates = chainsOf(address, named, chains)
  for (const chain of candidates) {
    const token = knownIn(chain, address)
    if (token !== null) return { chain: chain.name, token, isTracked: true }
  }
  const [first] = candidates.filter((chain) => isAsTold(chain, address))
  if (first === undefined || address.kind === 'market') return null
  if (address.kind === 'either' && named.some(({ form, kind }) => form === address.form && kind === 'token'))
    return null
  return { chain: first.name, token: address.address, isTracked: false }
}

function chainsOf(
  address: NamedAddress,
  named: readonly NamedAddress[],
  chains: readonly TokenChain[],
): readonly TokenChain[] {
  const fitting = chains.filter(({ forms }) => forms.includes(address.form))
  const networks = networksNear(address, named)
  return networks.length === 0
    ? fitting
    : fitting.filter((chain) => chain.networks.some((name) => networks.includes(name)))
}

/** For unknown addresses only, because the knowledge of ingest outweighs a card. */
const isAsTold = ({ networks }: TokenChain, { toldNetworks }: NamedAddress): boolean =>
  toldNetworks === undefined || networks.some((name) => toldNetworks.includes(name))

/** The networks that the post names near the address. Empty if it names none. */
export const networksNear = (address: NamedAddress, named: readonly NamedAddress[]): readonly string[] =>
  address.networks.size > 0 ? [...address.networks] : networksOf(address, named)

/**
 * The networks that the post's links give for other addresses of this form, in case the address's own place names none.
 */
const networksOf = ({ form }: NamedAddress, named: readonly NamedAddress[]): readonly string[] =>
  named.flatMap((other) => (other.form === form ? [...other.networks] : []))

const knownIn = ({ known }: TokenChain, { address }: NamedAddress): string | null =>
  known.tokenOfMarket(address) ?? (known.isToken(address) ? address : null)
