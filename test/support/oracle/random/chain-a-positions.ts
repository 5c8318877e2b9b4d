/** Draws the creation of a random pool and its positions: their owners, transfers and pulls. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import type { Draw } from '../../../replay/market/draw.ts'
import {
  buildAddress,
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildPoolInitialized,
  buildPositionTransferred,
} from '../../builders/build-facts.ts'
import { deadAddress } from '../../builders/build-positions.ts'
import type { DrawnEvent, DrawnPlace, DrawnPool } from './chain-a-market.ts'
import { firstLevel, sqrtPriceOf } from './chain-a-price.ts'
import { priceNow, swapOf } from './chain-a-trades.ts'

/**
 * The possible ranges of positions, in ticks. In order: the whole range, around the first price, and on each
 * side of the price. ETH is currency 0.
 */
const ranges = [
  [-887_220, 887_220],
  [180_000, 240_000],
  [60_000, 120_000],
  [300_000, 360_000],
] as const

/** A position. If `isOld` is true, its facts have no senders, and the mint of its NFT is missing. */
type Held = {
  readonly id: number
  readonly range: readonly [number, number]
  readonly isNft: boolean
  readonly isOld: boolean
  liquidity: bigint
}

/**
 * Draws the events of a pool's positions. Two changes are never in the same block, because the oracle reads
 * the state of a pool by block.
 */
export function positionsOf(pool: DrawnPool, draw: Draw): readonly DrawnEvent[] {
  const { token, openedSec } = pool
  const held = Array.from({ length: 1 + draw(4) }, (_, index) => drawPosition(pool, index, draw))
  const events: DrawnEvent[] = [createdIn(pool)]
  const add = (atSec: number, half: number, make: DrawnEvent['make']) => events.push({ atSec, half, token, make })
  if (draw(3) === 0) events.push({ ...createdIn(pool), atSec: openedSec + 1, half: 1 })
  // Some pools get liquidity before they have a price.
  if (!pool.isV4) add(openedSec + (draw(2) === 0 ? 1 : 70), 0, (place) => initializedIn(pool, place))
  // Positions of equal size are minted in ascending or descending order of their numbers.
  for (const [index, position] of (draw(2) === 0 ? held : held.toReversed()).entries())
    add(openedSec + 2 + index, 0, (place) => mint(pool, position, place))
  for (
    let atSec = openedSec + 100 + draw(900);
    atSec < openedSec + 90_000;
    atSec += 120 + draw(draw(3) === 0 ? 9000 : 500)
  ) {
    const position = held[draw(held.length)]
    if (position) add(atSec, draw(2), changeOf(pool, position, draw))
  }
  return events
}

const drawPosition = (pool: DrawnPool, index: number, draw: Draw): Held => ({
  id: Number(BigInt(pool.pool)) * 16 + index,
  range: rangeOf(pool, ranges[draw(index === 0 ? 2 : ranges.length)] ?? ranges[0]),
  isNft: pool.isV4 && draw(4) > 0,
  isOld: draw(6) === 0,
  liquidity: 0n,
})

const rangeOf = ({ ethIsCurrency0 }: DrawnPool, [lower, upper]: readonly [number, number]) =>
  ethIsCurrency0 ? ([lower, upper] as const) : ([-upper, -lower] as const)

const createdIn = (pool: DrawnPool): DrawnEvent => {
  const { pool: id, token, creator, openedSec, isV4, ethIsCurrency0, hooks } = pool
  const sqrtPriceX96 = isV4 ? sqrtPriceOf(firstLevel, ethIsCurrency0) : null
  const fields = {
    pool: id,
    token,
    dex: isV4 ? 'v4' : 'v3',
    ethIsCurrency0,
    hooks,
    sqrtPriceX96,
    txSender: creator,
  } as const
  return { atSec: openedSec, half: 0, token, make: (place) => [buildPoolCreated({ ...fields, ...place })] }
}

/** Builds the first price. A price is also set for another pool, whose creation is not in the log. */
const initializedIn = ({ pool, ethIsCurrency0 }: DrawnPool, place: DrawnPlace): readonly ChainAFact[] =>
  [pool, buildHash(0xbad)].map((id) =>
    buildPoolInitialized({ pool: id, sqrtPriceX96: sqrtPriceOf(firstLevel, ethIsCurrency0), ...place }),
  )

const unit = 10n ** 20n

function mint(pool: DrawnPool, position: Held, place: DrawnPlace): readonly ChainAFact[] {
  const owner = ownersOf(pool)[position.id % 3] ?? adder
  const added = change(pool, position, { delta: 10n * unit * BigInt(1 + (position.id % 2)), sender: owner, place })
  return position.isNft && !position.isOld ? [transfer(pool, position, { to: owner, place }), added] : [added]
}

/** Returns the possible owners: the creator, a wallet that adds liquidity, and a wallet that adds none. */
const ownersOf = ({ creator }: DrawnPool): readonly Hex[] => [creator ?? adder, adder, buildAddress(0xbee)]
const adder = buildAddress(0xadd)

type Change = (place: DrawnPlace) => readonly ChainAFact[]

function changeOf(pool: DrawnPool, position: Held, draw: Draw): Change {
  const sender = ownersOf(pool)[draw(2)] ?? adder
  const part = [10n, 8n, 5n, 1n][draw(4)] ?? 1n
  const isSplit = draw(4) === 0
  const swap = draw(4)
  const to = [deadAddress, ...ownersOf(pool)][draw(4)] ?? deadAddress
  switch (draw(position.isNft ? 5 : 4)) {
    case 0:
      return (place) => [change(pool, position, { delta: unit * part, sender, place })]
    case 1:
      return (place) => [change(pool, position, { delta: 0n, sender, place })]
    case 4:
      return (place) => [transfer(pool, position, { to, place })]
    default:
      return (place) => {
        const taken = (position.liquidity * part) / 10n
        const parts = isSplit ? [taken / 2n, taken - taken / 2n] : [taken]
        const removals = parts.map((removed) => change(pool, position, { delta: -removed, sender, place }))
        const sale = () => swapOf(pool, { eth: -0.3, step: 0.7919, kind: 'counted' }, place)
        if (swap === 0) return [sale(), ...removals]
        // The fact of the first price is repeated, and the repetition must not change anything.
        if (swap === 2 && !pool.isV4) return [...removals, repeatedPrice(pool, place), sale()]
        return swap === 1 ? [...removals, sale()] : removals
      }
  }
}

const repeatedPrice = (pool: DrawnPool, place: DrawnPlace): ChainAFact =>
  buildPoolInitialized({ pool: pool.pool, sqrtPriceX96: priceNow(pool), ...place })

type Changed = Readonly<{ delta: bigint; sender: Hex; place: DrawnPlace }>

function change({ pool, isV4 }: DrawnPool, position: Held, { delta, sender, place }: Changed): ChainAFact {
  position.liquidity += delta
  const { id, range, isNft, isOld } = position
  const [tickLower, tickUpper] = range
  const positionId = isNft ? buildHash(id) : null
  const salt = isV4 ? buildHash(id) : null
  const owner = isNft ? buildAddress(0x90) : buildAddress(0xe00 + (id % 16))
  const fields = {
    pool,
    tickLower,
    tickUpper,
    liquidityDelta: delta,
    owner,
    salt,
    positionId,
    txSender: isOld ? null : sender,
  }
  return buildLiquidityChanged({ ...fields, ...place })
}

const transfer = (
  { pool }: DrawnPool,
  { id }: Held,
  { to, place }: Readonly<{ to: Hex; place: DrawnPlace }>,
): ChainAFact => buildPositionTransferred({ pool, positionId: buildHash(id), to, ...place })
