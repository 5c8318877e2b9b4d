/**
 * A post may name an address and no network. Scanner bots answer within seconds, and their links name it. The post waits
 * longer than that anyway, because ingest may come to know the address.
 */
import type { NamedAddress } from './addresses/named-addresses.ts'
import { scannerNamed } from './cards/read-card.ts'
import type { ReadPost } from './read-post.ts'
import { networksNear } from './tokens.ts'

/** The posts, with the networks that this one tells of addresses that they name. Of the same chat alone. */
export function withToldNetworks(posts: readonly ReadPost[], by: ReadPost): ReadPost[] {
  const told = toldBy(by)
  return told.size === 0
    ? [...posts]
    : posts.map((post) =>
        post.content.chat === by.content.chat ? { ...post, named: withTold(post.named, told) } : post,
      )
}

/** By the address. Anybody may write what looks like a card, so only posts of known bots count. */
function toldBy({ content, named }: ReadPost): ReadonlyMap<string, readonly string[]> {
  if (scannerNamed(content.posterName) === null) return new Map()
  return new Map(
    named.flatMap((address) => {
      const networks = networksNear(address, named)
      return networks.length === 0 ? [] : [[address.address, networks] as const]
    }),
  )
}

function withTold(
  named: readonly NamedAddress[],
  told: ReadonlyMap<string, readonly string[]>,
): readonly NamedAddress[] {
  return named.map((address) => {
    const toldNetworks = told.get(address.address)
    const saysNothing = networksNear(address, named).length === 0
    return toldNetworks !== undefined && saysNothing ? { ...address, toldNetworks } : address
  })
}
