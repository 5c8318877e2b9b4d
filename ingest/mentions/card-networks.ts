/**
 * Takes the networks of a post's addresses from the cards that answer the post. A post may name an address
 * without its network. Scanner bots answer within seconds, and the links on their cards name the network. A
 * post never waits for its cards. However, a post often waits until the address book has the token. Cards
 * that come in this time are used.
 */
import type { NamedAddress } from './addresses/named-addresses.ts'
import { scannerNamed } from './cards/read-card.ts'
import type { ReadPost } from './read-post.ts'
import { networksNear } from './tokens.ts'

/**
 * Adds networks to the addresses in `posts`. The post `by` gives the networks of its addresses. Only the same
 * addresses in posts of the same chat get these networks.
 */
export function withCardNetworks(posts: readonly ReadPost[], by: ReadPost): ReadPost[] {
  const byAddress = networksByAddress(by)
  return byAddress.size === 0
    ? [...posts]
    : posts.map((post) =>
        post.content.chat === by.content.chat ? { ...post, named: withNetworks(post.named, byAddress) } : post,
      )
}

/**
 * Returns the networks that a post gives, by address. Anybody may imitate a card, so only posts of known bots count.
 */
function networksByAddress({ content, named }: ReadPost): ReadonlyMap<string, readonly string[]> {
  if (scannerNamed(content.posterName) === null) return new Map()
  return new Map(
    named.flatMap((address) => {
      const networks = networksNear(address, named)
      return networks.length === 0 ? [] : [[address.address, networks] as const]
    }),
  )
}

function withNetworks(
  named: readonly NamedAddress[],
  byAddress: ReadonlyMap<string, readonly string[]>,
): readonly NamedAddress[] {
  return named.map((address) => {
    const cardNetworks = byAddress.get(address.address)
    const saysNothing = networksNear(address, named).length === 0
    return cardNetworks !== undefined && saysNothing ? { ...address, cardNetworks } : address
  })
}
