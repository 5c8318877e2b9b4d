/**
 * Converts complete slots to facts of known mints. A mint is known if its launch is recorded. At the first
 * trade of any other mint, ingest adds the fact `CurveFound`, which makes the mint known.
 */

import type { Logger } from '../../../infra/telemetry.ts'
import type { ChainBAddress } from '../../../schemas/chain-b/addresses.ts'
import type { ChainBFact, CurveLaunched, CurveMigrated, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { markGaps } from '../reserves/mark-gaps.ts'
import { orderSlot, type SlotTransaction } from '../reserves/order-slot.ts'
import type { ReserveChain } from '../reserves/reserve-chain.ts'
import type { ChainBRange, KnownMints, MintFact } from '../types.ts'
import { decodeSlot, mintOfKey } from './decode-slot.ts'
import { type CurveFinder, type CurveOrigin, curveFound } from './find-curves.ts'
import { createRangeAddresses, type RangeAddresses } from './range-addresses.ts'
import type { LinkedSlot } from './slot-reader.ts'

export type FactContext = Readonly<{
  known: KnownMints
  /**
   * The first slot of the range. Address book entries from this slot on belong to facts that are not recorded
   * yet.
   */
  fromSlot: BlockNumber
  chain: ReserveChain
  findCurves: CurveFinder
  logger: Logger
  signal: AbortSignal
}>

type RangeFacts = Pick<ChainBRange, 'facts' | 'newAddresses' | 'staleAddresses'>

/**
 * Converts the slots to facts, and updates the reserves in `chain` to the end of the last slot. If the
 * function fails, `chain` is unchanged.
 */
export async function toFacts(slots: readonly LinkedSlot[], context: FactContext): Promise<RangeFacts> {
  const { chain, logger, signal } = context
  const book = createRangeAddresses(context.known, context.fromSlot)
  const unknownCurves = new Set<string>()
  const decoded = slots.map((slot) => decodeKnowing(slot, { book, unknownCurves, logger }))
  const origins = unknownCurves.size === 0 ? new Map() : await context.findCurves([...unknownCurves], signal)
  const emitted = new Set<string>()
  const facts = decoded.flatMap((transactions) => factsOfSlot(transactions, { book, chain, origins, emitted }))
  return { facts, newAddresses: book.newAddresses(), staleAddresses: book.staleAddresses() }
}

type Decoding = Pick<FactContext, 'logger'> & Readonly<{ book: RangeAddresses; unknownCurves: Set<string> }>

/**
 * Decodes a slot and adds its new mints and pools to the address book (`book`). If the slot opens a pool, it
 * is decoded again, so that trades in this pool become facts too.
 */
function decodeKnowing(slot: LinkedSlot, { book, unknownCurves, logger }: Decoding): readonly SlotTransaction[] {
  const { atMs } = slot.block
  const decode = () => decodeSlot(slot, (pool) => book.poolOf(pool, atMs), logger)
  const transactions = decode()
  const keyed = transactions.flatMap(({ facts }) => facts)
  for (const { key, fact } of keyed) if (fact.type === 'CurveLaunched') book.learn(launchedMint(key, fact.data))
  const isKnown = (key: string) => book.isKnown(mintOfKey(key), atMs)
  for (const { key, fact } of keyed)
    if (fact.type === 'CurveTraded' && !isKnown(key)) unknownCurves.add(key)
    else if (fact.type === 'CurveTraded') book.seen(mintOfKey(key), atMs)
  const opened = keyed.flatMap(({ key, fact }) =>
    fact.type === 'CurveMigrated' && (unknownCurves.has(key) || isKnown(key)) ? [openedPool(key, fact.data)] : [],
  )
  for (const pool of opened) book.learn(pool)
  return opened.length > 0 ? decode() : transactions
}

type Emitting = Pick<FactContext, 'chain'> &
  Readonly<{
    book: RangeAddresses
    origins: ReadonlyMap<string, CurveOrigin>
    /** The keys of `origins` whose `CurveFound` is already among the facts of this range. */
    emitted: Set<string>
  }>

function factsOfSlot(transactions: readonly SlotTransaction[], { book, chain, origins, emitted }: Emitting) {
  const found = new Map<ChainBFact, MintFact>()
  const kept = orderSlot(transactions, chain.lastOf).filter(({ key, fact }) => {
    const origin = origins.get(key)
    if (origin === undefined || emitted.has(key)) return book.isKnown(mintOfKey(key), fact.data.blockAtMs)
    if (fact.type !== 'CurveTraded') return false
    emitted.add(key)
    // `chain` may still have old reserves of the curve, from the time before ingest stopped following the mint.
    chain.forget(key)
    found.set(fact, { key, fact: { type: 'CurveFound', data: curveFound(origin, fact.data) } })
    book.learn(foundMint(key, origin, fact.data))
    return true
  })
  return markGaps(kept, chain).facts.flatMap((keyed) => [...listOf(found.get(keyed.fact)), keyed])
}

const listOf = <Item>(item: Item | undefined): readonly Item[] => (item === undefined ? [] : [item])

/** Returns the address book entry that a launch creates. */
function launchedMint(key: string, { curve, blockNumber, blockAtMs }: CurveLaunched): ChainBAddress {
  const launch = { launchSlot: blockNumber, launchAtMs: blockAtMs }
  const since = { sinceSlot: blockNumber, seenAtMs: blockAtMs }
  return { type: 'MintAddress', data: { mint: mintOfKey(key), curve, ...since, ...launch } }
}

function foundMint(key: string, origin: CurveOrigin, { blockNumber, blockAtMs }: CurveTraded): ChainBAddress {
  const { curve, launchSlot, launchAtMs } = origin
  const since = { sinceSlot: blockNumber, seenAtMs: blockAtMs }
  return { type: 'MintAddress', data: { mint: mintOfKey(key), curve, ...since, launchSlot, launchAtMs } }
}

function openedPool(key: string, { pool, quoteMint, blockNumber, blockAtMs }: CurveMigrated): ChainBAddress {
  const migrated = { migratedSlot: blockNumber, migratedAtMs: blockAtMs }
  return { type: 'GraduatedPoolAddress', data: { pool, mint: mintOfKey(key), quoteMint, ...migrated } }
}
