/** The market: all launches merged by time. What happens in a second does not depend on where the telling began. */
import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { KnownAddresses, TokenFact } from '../../source.ts'
import { nobody } from './custody.ts'
import { blockHashAt, blockNumberAt, createWallets, transactionHash, type World } from './identities.ts'
import type { Draft } from './launch.ts'
import type { Transaction } from './life.ts'
import { cohortAt, firstSecondOf, lastSecondOf, type Market } from './plan.ts'
import { type Story, storiesOf } from './stories.ts'
import { createTimeline } from './timeline.ts'

/** A token and the next thing that happens to it. */
type Living = {
  readonly story: Story
  readonly rest: Generator<Transaction>
  next: Transaction
  transactionIndex: number
}

export type Happened = Readonly<{ facts: readonly TokenFact[]; newAddresses: readonly ChainAAddress[] }>

export type MarketStart = Readonly<{
  fromSec: number
  /** Where the telling goes on, when it looks back before it; default `fromSec`. */
  newFromSec?: number
  /** What began before that is told of only if it is in here, as ingest ignores pools that it never saw created. */
  book: KnownAddresses
}>

/** Tells the market from `fromSec` on: each call of the answer gives the seconds up to and including `toSec`, in chain order. */
export function tellMarket(market: Market, start: MarketStart): (toSec: number) => Happened {
  const timeline = createTimeline<Living>(({ next, story }) => [next.second, story.id])
  const world = { seed: market.seed, walletAt: createWallets(market.seed) }
  const placed = createPlacer(world)
  let cohort = cohortAt(start.fromSec)
  while (lastSecondOf(cohort - 1) > start.fromSec) cohort--

  const enter = (story: Story) => {
    const isTold = story.createdAtSec >= (start.newFromSec ?? start.fromSec) || story.isKnown(start.book)
    if (!isTold || story.endsAtSec <= start.fromSec) return
    const rest = story.tell()
    for (let index = 0, step = rest.next(); !step.done; index++, step = rest.next()) {
      if (step.value.second < start.fromSec) continue
      timeline.add({ story, rest, next: step.value, transactionIndex: index })
      return
    }
  }

  const proceed = (living: Living) => {
    const step = living.rest.next()
    if (step.done) return timeline.removeFirst()
    living.next = step.value
    living.transactionIndex++
    timeline.moveFirst()
  }

  return (toSec) => {
    for (; firstSecondOf(cohort) <= toSec; cohort++) storiesOf(market, cohort, world).forEach(enter)
    const facts: TokenFact[] = []
    const newAddresses: ChainAAddress[] = []
    for (
      let living = timeline.first();
      living !== undefined && living.next.second <= toSec;
      living = timeline.first()
    ) {
      for (const fact of placed(living)) {
        const { token } = living.story
        facts.push({ token, fact })
        const address = addressIn(token, fact)
        if (address) newAddresses.push(address)
      }
      proceed(living)
    }
    return { facts, newAddresses }
  }
}

/** Gives the facts of a token's next transaction their place; must be called in chain order. */
function createPlacer({ seed, walletAt }: World): (living: Living) => readonly ChainAFact[] {
  let second = Number.NEGATIVE_INFINITY
  let blockHash: Hex = '0x'
  let txIndex = 0
  let logIndex = 0
  return ({ story, next, transactionIndex }) => {
    if (next.second !== second) {
      second = next.second
      blockHash = blockHashAt(seed, second)
      // The block's first transaction is the chain's own.
      txIndex = 0
      logIndex = 0
    }
    txIndex++
    const txSender = walletAt(next.wallet)
    const txHash = transactionHash(seed, txSender, { launchId: story.id, index: transactionIndex })
    const blockNumber = blockNumberAt(second)
    return next.drafts.map((draft) => {
      const position = { blockNumber, blockAtMs: second * 1000, txIndex, logIndex, blockHash, txHash }
      const fact = placedAt(withSender(draft, txSender), position)
      // Of trades, the transfers of tokens are logs too, which nobody here reads.
      logIndex += draft.type === 'Swap' || draft.type === 'CurveTraded' ? 3 : 1
      return fact
    })
  }
}

type Position = Pick<ChainAFact['data'], 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>

/** Swaps, nearly all facts, are written out field by field: spreading two objects took three times as long as the rest. */
function placedAt(draft: Draft, position: Position): ChainAFact {
  const { blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } = position
  // A draft is by definition its fact without the position; the compiler does not follow that through the union.
  if (draft.type !== 'Swap') return { type: draft.type, data: { ...draft.data, ...position } } as ChainAFact
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

/** The creator of a pool and those who add to a v4 pool are insiders: of those it counts who sent the transaction. */
function withSender(draft: Draft, txSender: Hex): Draft {
  const { type, data } = draft
  if (type === 'PoolCreated') return { type, data: { ...data, txSender } }
  const isAdd = type === 'LiquidityChanged' && data.salt !== null && data.liquidityDelta > 0n
  return isAdd ? { type, data: { ...data, txSender } } : draft
}

/** What the address book learns by a fact. */
function addressIn(token: Hex, fact: ChainAFact): ChainAAddress | null {
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
