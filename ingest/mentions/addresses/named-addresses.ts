/**
 * Collects the token addresses and pool addresses in a post. The most reliable part of the post is read
 * first.
 */
import type { AddressSource } from '../../../schemas/calls/facts.ts'
import type { PostContent } from '../../../schemas/chats/facts.ts'
import type { AddressForm } from './address-forms.ts'
import type { AddressKind } from './link-table.ts'
import { plainTextOf } from './plain-text.ts'
import { addressesOfCallback, addressesOfLink, type FoundAddress } from './read-link.ts'
import { addressesOfText } from './read-text.ts'

export type NamedAddress = Readonly<{
  address: string
  form: AddressForm
  /**
   * The kind of the address. If parts of the post give different kinds, the order is: token, either, market.
   */
  kind: AddressKind
  /** The networks in the links that name the address. */
  networks: ReadonlySet<string>
  /**
   * The networks on the card that a bot posts as an answer to this post. A card is a summary of a token. Set
   * only if the post itself names no network.
   */
  cardNetworks?: readonly string[]
  source: AddressSource
  /** How many times the post names the address. */
  count: number
}>

export type NamingContent = Pick<PostContent, 'text' | 'entities' | 'buttons'>

const surest: readonly AddressKind[] = ['token', 'either', 'market']

/**
 * The maximum number of addresses that are read from a post. A post with more addresses is not a
 * recommendation of a token.
 */
const addressesMax = 256

/**
 * Returns the addresses in a post, each one time, in the order in which they are found. The post's entities
 * (formatted ranges) are searched first, then its buttons, then its text.
 */
export function namedAddresses(post: NamingContent): readonly NamedAddress[] {
  const named = new Map<string, NamedAddress>()
  for (const { source, found } of places(post)) {
    const { address, form, kind, network } = found
    const known = named.get(address)
    if (known === undefined && named.size >= addressesMax) continue
    named.set(address, {
      address,
      form,
      kind: firstIn(surest, kind, known?.kind),
      networks: withName(network, known?.networks),
      source: known?.source ?? source,
      count: (known?.count ?? 0) + 1,
    })
  }
  return [...named.values()]
}

type Place = Readonly<{ source: AddressSource; found: FoundAddress }>

function places({ text, entities, buttons }: NamingContent): readonly Place[] {
  const marks = entities.filter(({ url }) => url === null)
  const ofText = addressesOfText(plainTextOf(text, marks))
  const ofEntities = [
    ...entities.flatMap(({ url }) => (url === null ? [] : addressesOfLink(url))),
    ...ofText.filter(({ isMarked }) => isMarked),
  ]
  const ofButtons = buttons.flatMap(({ url, data }) => [
    ...(url === null ? [] : addressesOfLink(url)),
    ...(data === null ? [] : addressesOfCallback(data)),
  ])
  const from = (source: AddressSource, list: readonly FoundAddress[]) => list.map((found): Place => ({ source, found }))
  return [
    ...from('entity', ofEntities),
    ...from('button', ofButtons),
    ...from(
      'text',
      ofText.filter(({ isMarked }) => !isMarked),
    ),
  ]
}

function firstIn<Name>(order: readonly Name[], one: Name, other: Name | undefined): Name {
  return other !== undefined && order.indexOf(other) < order.indexOf(one) ? other : one
}

const nothing: ReadonlySet<string> = new Set()

function withName(name: string | null, names = nothing): ReadonlySet<string> {
  return name === null || names.has(name) ? names : new Set([...names, name])
}
