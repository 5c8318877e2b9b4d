/**
 * Merges the transactions of all simulated mints in the order of slots. A slot has the same content in every
 * replay, wherever the replay begins.
 */
import assert from 'node:assert/strict'
import { hexOfBase58 } from '../../../infra/base58.ts'
import type { ChainBAddress } from '../../../schemas/chain-b/addresses.ts'
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { createTimeline } from '../../simulated/timeline.ts'
import type { KnownMints, MintFact } from '../types.ts'
import type { Transaction } from './draft.ts'
import { createWallets, transactionHash } from './identities.ts'
import { lifeOf } from './life.ts'
import {
  cohortAt,
  firstSecondOf,
  lastSecondOf,
  lastUsualSecondOf,
  type Market,
  type MintPlan,
  plansOf,
  promotedPlansOf,
} from './plan.ts'
import { slotAt, slotAtMs, slotOf } from './slots.ts'

/** A simulated mint with its next transaction. `rest` yields the later transactions. */
type ActiveToken = {
  readonly plan: MintPlan
  readonly rest: Generator<Transaction>
  next: Transaction
  index: number
}

export type Happened = Readonly<{ facts: readonly MintFact[]; newAddresses: readonly ChainBAddress[] }>

export type MarketStart = Readonly<{
  fromSlot: BlockNumber
  /**
   * The first slot whose facts are not recorded yet. If the replay begins with slots that are already
   * recorded, this slot is later than `fromSlot`.
   */
  newFromSlot: BlockNumber
  /**
   * The mints that ingest already knows at the start. A mint from before `newFromSlot` is replayed only if
   * this address book contains it.
   */
  book: KnownMints
}>

/**
 * Replays the simulated chain from `fromSlot` on. The returned function returns all facts since its last
 * call, up to and including `toSlot`, in chain order.
 */
export function replayMarket(market: Market, start: MarketStart): (toSlot: BlockNumber) => Happened {
  const timeline = createTimeline<ActiveToken>(({ next, plan }) => [next.slot, plan.id])
  const identities = { seed: market.seed, walletAt: createWallets(market.seed) }
  const placed = createPlacer(market.seed)
  const fromSec = slotAtMs(start.fromSlot) / 1000
  let cohort = cohortAt(slotAtMs(start.newFromSlot) / 1000)
  // A cohort is the mints of one hour. Mints in the address book may be of earlier cohorts. So the replay
  // begins with the oldest cohort whose mints may still be traded.
  if (start.book.mints.size > 0) while (lastSecondOf(cohort - 1) > fromSec) cohort--
  const livingPlansOf = (each: number) =>
    lastUsualSecondOf(each) > fromSec ? plansOf(market, each) : promotedPlansOf(market, each)

  const enter = (plan: MintPlan) => {
    const isNew = slotAt(plan.launchedAtSec * 1000) >= start.newFromSlot
    if (plan.endsAtSec <= fromSec || !(isNew || start.book.mints.has(plan.mint))) return
    const rest = lifeOf(plan, identities)
    for (let index = 0, step = rest.next(); !step.done; index++, step = rest.next()) {
      if (step.value.slot < start.fromSlot) continue
      timeline.add({ plan, rest, next: step.value, index })
      return
    }
  }

  const proceed = (active: ActiveToken) => {
    const step = active.rest.next()
    if (step.done) return timeline.removeFirst()
    active.next = step.value
    active.index++
    timeline.moveFirst()
  }

  return (toSlot) => {
    for (; slotAt(firstSecondOf(cohort) * 1000) <= toSlot; cohort++) livingPlansOf(cohort).forEach(enter)
    const facts: MintFact[] = []
    const newAddresses: ChainBAddress[] = []
    for (let active = timeline.first(); active && active.next.slot <= toSlot; active = timeline.first()) {
      for (const fact of placed(active)) {
        const keyed = { key: active.plan.key, fact }
        facts.push(keyed)
        newAddresses.push(...addressesIn(keyed))
      }
      proceed(active)
    }
    return { facts, newAddresses }
  }
}

/**
 * Creates a function that adds the slot, the transaction and the index to the facts of a mint's next
 * transaction. The transactions must come in chain order.
 */
function createPlacer(seed: number): (active: ActiveToken) => readonly ChainBEvent[] {
  let slot = slotOf(seed, 0)
  let txIndex = 0
  return ({ plan, next, index }) => {
    if (next.slot !== slot.number) {
      slot = slotOf(seed, next.slot)
      txIndex = 0
    }
    txIndex++
    const { number: blockNumber, atMs: blockAtMs, hash: blockHash } = slot
    const txHash = transactionHash(seed, plan.id, index)
    const place = { lateSlot: null, lateAtMs: null, blockNumber, blockAtMs, txIndex, blockHash, txHash }
    // A draft with a place on the chain is a fact. TypeScript cannot infer this for a union type.
    return next.drafts.map(
      ({ type, data }, logIndex) => ({ type, data: { ...data, ...place, logIndex } }) as ChainBEvent,
    )
  }
}

/**
 * Returns the entry that the fact adds to the address book of ingest. Returns an empty list if it adds none.
 */
export function addressesIn({ key, fact: { type, data } }: MintFact): readonly ChainBAddress[] {
  if (type !== 'CurveLaunched' && type !== 'CurveMigrated') return []
  const mint = hexOfBase58(key, 32)
  assert.ok(mint !== null, 'the key of a fact must be its mint')
  if (type === 'CurveLaunched') {
    const { curve, blockNumber: launchSlot, blockAtMs: launchAtMs } = data
    const since = { sinceSlot: launchSlot, seenAtMs: launchAtMs, launchSlot, launchAtMs }
    return [{ type: 'MintAddress', data: { mint, curve, ...since } }]
  }
  const { pool, quoteMint, blockNumber: migratedSlot, blockAtMs: migratedAtMs } = data
  return [{ type: 'GraduatedPoolAddress', data: { pool, mint, quoteMint, migratedSlot, migratedAtMs } }]
}
