/**
 * Finds the networks of addresses in a post with the help of cards. A card is a token summary that a scanner
 * bot posts as an answer. A post may name an address without its network, but the links on the card name the
 * network. Only cards that arrive while the post waits for its token to be recorded are used. No post waits
 * for a card.
 */
import type { NamedAddress } from './addresses/named-addresses.ts'
import { scannerNamed } from './cards/read-card.ts'
import type { ReadPost } from './read-post.ts'
import { networksNear } from './tokens.ts'

/**
 * Adds networks to the addresses of the posts in `posts`. The post `by` names these networks. Only equal
 * addresses in posts of the same chat get the networks.
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
 * Returns the networks that a post gives, by address. Empty if no known scanner bot posted it, because
 * anybody can imitate a card.
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
