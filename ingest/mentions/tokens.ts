/**
 * Finds the tokens that a post names by their own address or by the address of a market. Each chain has an
 * address book, the list of its known tokens and markets.
 */
import type { AddressSource } from '../../schemas/calls/facts.ts'
import type { AddressForm } from './addresses/address-forms.ts'
import type { NamedAddress } from './addresses/named-addresses.ts'

/**
 * The tokens that are in a chain's address book (the list of its known tokens and markets) now. Addresses
 * have the form of the keys in the log.
 */
export type KnownTokens = Readonly<{
  /** Returns the token of a pool or curve. Null if the address book lacks the market. */
  tokenOfMarket(address: string): string | null
  isToken(address: string): boolean
}>

/**
 * A chain whose tokens posts may name. `networks` are this service's names of the chain's network, as
 * `read-link.ts` lists them.
 */
export type TokenChain = Readonly<{
  /** The name of the chain's stage. */
  name: string
  forms: readonly AddressForm[]
  networks: readonly string[]
  known: KnownTokens
}>

export type NamedToken = Readonly<{
  /** The name of the stage of the token's chain. */
  chain: string
  token: string
  isTracked: boolean
  source: AddressSource
  /** The addresses in the post that name the token: its own address, and the addresses of its markets. */
  addresses: readonly string[]
  count: number
}>

/**
 * Returns the tokens that a post names. The token that the post names most often is first. Among equals, tokens that
 * the service records are first, and then the order in the post applies.
 * - The address of an unknown market gives no token.
 * - An address that may be a market or a token counts as a token only if no other address of its form is certainly
 *   a token.
 * - An address is excluded if its link gives a network that this service does not record. An unknown address is
 *   also excluded if a card in answer to the post gives such a network.
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

/**
 * Whether each address that may be on one of the chains is in an address book. While an address is missing,
 * ingest may still add it.
 */
export const areAllKnown = (named: readonly NamedAddress[], chains: readonly TokenChain[]): boolean =>
  named.every((address) => {
    const candidates = chainsOf(address, named, chains)
    return candidates.length === 0 || candidates.some((chain) => knownIn(chain, address) !== null)
  })

/**
 * Returns the addresses whose chain follows only from their form, each with this chain. No address book
 * contains them, and the post gives no network for them.
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

/** Whether the post gives networks, and this service records none of them. */
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
  const [first] = candidates.filter((chain) => fitsCard(chain, address))
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

/**
 * Whether the chain is on a network that the card in answer to the post gives. True if no card gives a
 * network. Use this only for addresses that no address book contains, because an address book is more
 * reliable than a card.
 */
const fitsCard = ({ networks }: TokenChain, { cardNetworks }: NamedAddress): boolean =>
  cardNetworks === undefined || networks.some((name) => cardNetworks.includes(name))

/**
 * Returns the networks that the post gives for the address, in its own links or else in links of similar
 * addresses.
 */
export const networksNear = (address: NamedAddress, named: readonly NamedAddress[]): readonly string[] =>
  address.networks.size > 0 ? [...address.networks] : networksOf(address, named)

/** Returns the networks that the post's links give for all addresses of this form. */
const networksOf = ({ form }: NamedAddress, named: readonly NamedAddress[]): readonly string[] =>
  named.flatMap((other) => (other.form === form ? [...other.networks] : []))

const knownIn = ({ known }: TokenChain, { address }: NamedAddress): string | null =>
  known.tokenOfMarket(address) ?? (known.isToken(address) ? address : null)
