/**
 * Merges the transactions of all simulated tokens by time. For a given time, the transactions are the same in
 * every replay, wherever the replay begins.
 */
import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, BlockHash } from '../../../schemas/units.ts'
import { createTimeline } from '../../simulated/timeline.ts'
import type { KnownAddresses, TokenFact } from '../types.ts'
import { nobody } from './custody.ts'
import { blockHashAt, blockNumberAt, createWallets, type Identities, transactionHash } from './identities.ts'
import type { Draft } from './launch.ts'
import type { Transaction } from './life.ts'
import { cohortAt, firstSecondOf, lastSecondOf, type Market } from './plan.ts'
import { type Story, storiesOf } from './stories.ts'

/** A simulated token with its next transaction. `rest` yields the later transactions. */
type ActiveToken = {
  readonly story: Story
  readonly rest: Generator<Transaction>
  next: Transaction
  transactionIndex: number
}

export type Happened = Readonly<{ facts: readonly TokenFact[]; newAddresses: readonly ChainAAddress[] }>

export type MarketStart = Readonly<{
  fromSec: number
  /**
   * The first second whose facts are not recorded yet. Default: `fromSec`. If the replay begins with seconds
   * that are already recorded, this value is later than `fromSec`.
   */
  newFromSec?: number
  /**
   * The tokens and pools that ingest already knows at the start. Ingest ignores a pool if it has not recorded
   * the pool's creation. So a launch from before `newFromSec` is replayed only if this address book contains
   * it.
   */
  book: KnownAddresses
}>

/**
 * Replays the simulated chain from `fromSec`. The returned function returns all facts since its last call, up
 * to and including the second `toSec`, in chain order.
 */
export function replayMarket(market: Market, start: MarketStart): (toSec: number) => Happened {
  const timeline = createTimeline<ActiveToken>(({ next, story }) => [next.second, story.id])
  const identities = { seed: market.seed, walletAt: createWallets(market.seed) }
  const placed = createPlacer(identities)
  let cohort = cohortAt(start.newFromSec ?? start.fromSec)
  // A cohort is the launches of one hour. Earlier cohorts are replayed only if the address book contains
  // tokens.
  if (start.book.pools.size + start.book.curves.size > 0) while (lastSecondOf(cohort - 1) > start.fromSec) cohort--

  const enter = (story: Story) => {
    const isIncluded = story.createdAtSec >= (start.newFromSec ?? start.fromSec) || story.isKnown(start.book)
    if (!isIncluded || story.endsAtSec <= start.fromSec) return
    const rest = story.transactions()
    for (let index = 0, step = rest.next(); !step.done; index++, step = rest.next()) {
      if (step.value.second < start.fromSec) continue
      timeline.add({ story, rest, next: step.value, transactionIndex: index })
      return
    }
  }

  const proceed = (active: ActiveToken) => {
    const step = active.rest.next()
    if (step.done) return timeline.removeFirst()
    active.next = step.value
    active.transactionIndex++
    timeline.moveFirst()
  }

  return (toSec) => {
    for (; firstSecondOf(cohort) <= toSec; cohort++) storiesOf(market, cohort, identities).forEach(enter)
    const facts: TokenFact[] = []
    const newAddresses: ChainAAddress[] = []
    for (
      let active = timeline.first();
      active !== undefined && active.next.second <= toSec;
      active = timeline.first()
    ) {
      for (const fact of placed(active)) {
        const { token } = active.story
        facts.push({ key: token, fact })
        const address = addressIn(token, fact)
        if (address) newAddresses.push(address)
      }
      proceed(active)
    }
    return { facts, newAddresses }
  }
}

/**
 * Creates a function that adds the block, the transaction and the log index to the facts of a token's next
 * transaction. The transactions must come in chain order.
 */
function createPlacer({ seed, walletAt }: Identities): (active: ActiveToken) => readonly ChainAFact[] {
  let second = Number.NEGATIVE_INFINITY
  let blockHash: BlockHash = '0x'
  let txIndex = 0
  let logIndex = 0
  return ({ story, next, transactionIndex }) => {
    if (next.second !== second) {
      second = next.second
      blockHash = blockHashAt(seed, second)
      // The first transaction of each block on this chain belongs to the chain's own system. So simulated
      // transactions begin with `txIndex` 1.
      txIndex = 0
      logIndex = 0
    }
    txIndex++
    const txSender = walletAt(next.wallet)
    const txHash = transactionHash(seed, txSender, { launchId: story.id, index: transactionIndex })
    const blockNumber = blockNumberAt(second)
    return next.drafts.map((draft) => {
      const place = { blockNumber, blockAtMs: second * 1000, txIndex, logIndex, blockHash, txHash }
      const fact = placedAt(withSender(draft, txSender), place)
      // On the chain, a trade also logs two token transfers. They are not simulated, but their log indexes
      // are skipped.
      logIndex += draft.type === 'Swap' || draft.type === 'CurveTraded' ? 3 : 1
      return fact
    })
  }
}

/**
 * Adds the block, transaction and log index to a fact. Nearly all facts are swaps, whose fields are copied
 * one by one for speed. A spread of the two objects took three times as long as the rest of the replay.
 */
function placedAt(draft: Draft, place: ChainPlace): ChainAFact {
  const { blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } = place
  // A draft with a chain place is a fact, but the compiler cannot infer this from the union types.
  if (draft.type !== 'Swap') return { type: draft.type, data: { ...draft.data, ...place } } as ChainAFact
  const { pool, ethWei, tokenRaw, sqrtPriceX96, liquidity, tick, sender } = draft.data
  return {
    type: 'Swap',
    data: {
      pool,
      ethWei,
      tokenRaw,
      sqrtPriceX96,
      liquidity,
      tick,
      sender,
      blockNumber,
      blockAtMs,
      txIndex,
      logIndex,
      blockHash,
      txHash,
    },
  }
}

/**
 * Adds the sender of the transaction to two kinds of facts: pool creations, and liquidity that is added to a
 * v4 pool. The service later counts these senders as insiders.
 */
function withSender(draft: Draft, txSender: Address): Draft {
  const { type, data } = draft
  if (type === 'PoolCreated') return { type, data: { ...data, txSender } }
  const isAdd = type === 'LiquidityChanged' && data.salt !== null && data.liquidityDelta > 0n
  return isAdd ? { type, data: { ...data, txSender } } : draft
}

/** Returns the entry that this fact adds to the address book of ingest. Returns null if it adds none. */
function addressIn(token: Address, fact: ChainAFact): ChainAAddress | null {
  switch (fact.type) {
    case 'PoolCreated': {
      const { pool, dex, ethIsCurrency0, hooks, blockNumber, blockAtMs } = fact.data
      const created = { createdBlock: blockNumber, createdAtMs: blockAtMs }
      return { type: 'PoolAddress', data: { pool, token, dex, ethIsCurrency0, hooks, ...created } }
    }
    case 'PositionTransferred': {
      const { positionId, pool, from } = fact.data
      return from === nobody ? { type: 'PositionAddress', data: { positionId, pool } } : null
    }
    case 'CurveLaunched': {
      const { curve, launchpad, blockNumber, blockAtMs } = fact.data
      return {
        type: 'CurveAddress',
        data: {
          curve,
          token,
          launchpad,
          sinceBlock: blockNumber,
          seenAtMs: blockAtMs,
          launchBlock: blockNumber,
          launchAtMs: blockAtMs,
        },
      }
    }
    default:
      return null
  }
}
