/**
 * Builds the state of the chain from randomly drawn test data. The state contains the events, and what a node
 * would return for each pool at any block.
 */
import type { ChainAFact, LiquidityChanged, PositionTransferred } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { zeroAddress } from '../../builders/build-positions.ts'
import type { World } from '../ownership.ts'
import type { HeldPosition } from '../recording.ts'
import { eventsOf } from './chain-a-events.ts'
import type { DrawnPool } from './chain-a-market.ts'

/** A position with its id. `isKnown` is true if the log names the owner. */
export type NamedPosition = HeldPosition & Readonly<{ positionId: string | null; isKnown: boolean }>

export type MarketState = Readonly<{
  world: World
  /** The sender of each transaction, by the hash of the transaction. */
  senders: Readonly<Record<string, Hex>>
  /** Returns the positions at the end of a block. */
  positionsAt(pool: string, block: number): readonly NamedPosition[]
  /** Returns the owner of an NFT at the end of a block, in the node's state. Null: the NFT was burned. */
  ownerOf(positionId: string, block: number): Hex | null
}>

export function stateOf(pools: readonly DrawnPool[], facts: readonly ChainAFact[], senders: MarketState['senders']) {
  const events = eventsOf(pools, facts)
  const changes = facts.flatMap((fact) =>
    fact.type === 'LiquidityChanged' || fact.type === 'PositionTransferred' ? [fact.data] : [],
  )
  const positionsAt = (pool: string, block: number) =>
    heldIn(changes.filter((change) => change.pool === pool && change.blockNumber <= block))
  const blocks = new Set([...events.swaps, ...events.liquidity].flatMap(({ pool, block }) => [`${pool} ${block}`]))
  const before = events.liquidity.map(({ pool, block }) => `${pool} ${block - 1}`)
  const holdings = [...new Set([...blocks, ...before])].map((name) => {
    const [pool = '', block] = name.split(' ')
    return { pool, block: Number(block), positions: positionsAt(pool, Number(block)) }
  })
  const ownerOf = (positionId: string, block: number) => {
    const isBefore = (change: Change) => change.positionId === positionId && change.blockNumber <= block
    const owner = changes.filter(isTransfer).findLast(isBefore)?.to ?? null
    return owner === zeroAddress ? null : owner
  }
  return { world: { events, holdings }, senders, positionsAt, ownerOf }
}

type Change = LiquidityChanged | PositionTransferred
const isTransfer = (change: Change): change is PositionTransferred => 'to' in change

function heldIn(changes: readonly Change[]): readonly NamedPosition[] {
  const names = new Set(changes.map(nameOf))
  return [...names].flatMap((name): readonly NamedPosition[] => {
    const its = changes.filter((change) => nameOf(change) === name)
    const sizes = its.flatMap((change) => (isTransfer(change) ? [] : [change]))
    const nftOwner = its.findLast(isTransfer)?.to ?? null
    const liquidity = sizes.reduce((sum, { liquidityDelta }) => sum + liquidityDelta, 0n)
    const [first] = sizes
    if (first === undefined || liquidity === 0n) return []
    const { tickLower: lower, tickUpper: upper, positionId, txSender } = first
    const isKnown = positionId === null ? txSender !== null : nftOwner !== null
    return [{ lower, upper, liquidity: `${liquidity}`, nftOwner, positionId, isKnown }]
  })
}

const nameOf = (change: Change): string =>
  change.positionId ?? ('owner' in change ? `${change.owner} ${change.tickLower}` : '')
