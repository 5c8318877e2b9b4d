import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { Address } from '../../../schemas/units.ts'
import { decodeEvent } from './decode-event.ts'
import type { DecodedEvent, EventPlace, KnownPool, RawEvent } from './decoded-event.ts'

export type KeyedEvent = Readonly<{ key: string; fact: ChainBEvent }>

export type TransactionContext = Readonly<{
  /**
   * The place of the transaction on the chain. The decoder adds the `logIndex`, which is the position of an
   * event among the events of the transaction.
   */
  place: Omit<EventPlace, 'logIndex'>
  poolOf(pool: Address): KnownPool | undefined
}>

export type DecodedTransaction = Readonly<{
  facts: readonly KeyedEvent[]
  /** Events of our programs that could not be decoded. */
  refusals: readonly Readonly<{ logIndex: number; reason: string }>[]
}>

/**
 * Decodes the events of a transaction to facts, in order. If the transaction opens a pool, its later trades
 * in that pool become facts too.
 */
export function decodeTransaction(events: readonly RawEvent[], context: TransactionContext): DecodedTransaction {
  const facts: KeyedEvent[] = []
  const refusals: { logIndex: number; reason: string }[] = []
  const opened = new Map<Address, KnownPool>()
  const created = new Map<Address, Created>()
  const poolOf = (pool: Address) => opened.get(pool) ?? context.poolOf(pool)
  for (const [logIndex, event] of events.entries()) {
    const decoded = decodeEvent(event, { place: { ...context.place, logIndex }, poolOf })
    if (decoded.kind === 'refused') refusals.push({ logIndex, reason: decoded.reason })
    if (decoded.kind === 'pool-created') created.set(decoded.pool, decoded)
    if (decoded.kind !== 'fact') continue
    const keyed = { key: decoded.key, fact: withOpening(decoded.fact, created) }
    facts.push(keyed)
    const { type, data } = keyed.fact
    if (type === 'CurveMigrated') opened.set(data.pool, { key: keyed.key, quoteMint: data.quoteMint })
  }
  return { facts, refusals }
}

type Created = Extract<DecodedEvent, { kind: 'pool-created' }>

/**
 * Sets the opening reserves of a pool into which a curve migrated. The reserves come from the event of the
 * pool's creation. The migration event has only the amounts that the curve pays into the pool, but earlier
 * buys may have paid in more.
 */
function withOpening(fact: ChainBEvent, created: ReadonlyMap<Address, Created>): ChainBEvent {
  const opening = fact.type === 'CurveMigrated' ? created.get(fact.data.pool) : undefined
  if (fact.type !== 'CurveMigrated' || opening === undefined) return fact
  return { ...fact, data: { ...fact.data, poolQuoteRaw: opening.quoteRaw, poolTokenRaw: opening.tokenRaw } }
}
