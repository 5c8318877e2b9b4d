/**
 * Random pools with the arithmetic of the contracts. Their logs lack some swaps and changes of liquidity,
 * which the stage should notice. In some kinds of pools, most swaps are near a tolerance of its gap rule.
 */
import { changeLiquidity, createPool, type Pool, swapExactIn } from '../../../../ingest/chain-a/simulated/pool.ts'
import { sqrtAtPriceTick } from '../../../../ingest/chain-a/simulated/price-tick-math.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { createDraw, type Draw } from '../../../replay/market/draw.ts'
import {
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildPoolInitialized,
  buildSwap,
  type Fact,
  second,
} from '../../../support/builders/build-facts.ts'

type Swapping = Readonly<{ pool: Pool; isZeroIn: boolean; isEthIn: boolean; draw: Draw }>

/** A kind of random pool. `liquidity` is the liquidity of each position at the creation. */
type Kind = Readonly<{
  priceTick(ethIsCurrency0: boolean): number
  feePips: number
  liquidity: bigint
  /** The ranges of these positions, as distances from `priceTick`. */
  ranges(draw: Draw): readonly (readonly [lower: number, upper: number])[]
  amountOf(swapping: Swapping): bigint
}>

const wide = 60_000

const plain: Kind = {
  ...{ priceTick: () => 1000, feePips: 3000, liquidity: 10n ** 20n, ranges: () => [[-wide, wide]] },
  amountOf: ({ draw }) => 10n ** 15n * BigInt(1 + draw(10 ** (1 + draw(4)))),
}

/**
 * Swaps in this pool change the price by multiples of the ratio 0.4e-14, often near the bound of a position.
 */
const deep: Kind = {
  ...{ ...plain, feePips: 0, liquidity: 10n ** 30n },
  ranges: () => [
    [-wide, wide],
    [0, 60],
  ],
  amountOf({ pool, isZeroIn, draw }) {
    const root = Number(pool.sqrtPriceX96) / 2 ** 96
    const atRoot = Number(pool.liquidity) * (isZeroIn ? 1 / root : root)
    return BigInt(Math.round(0.4e-14 * (1 + draw(4)) * atRoot))
  },
}

/** Swaps move a few units of a currency. */
const shallow: Kind = { ...plain, feePips: 0, liquidity: 10n ** 6n, amountOf: ({ draw }) => BigInt(1 + draw(4)) }

/** Swaps move the price by a few units of Q64.96. */
const low: Kind = {
  ...{ ...plain, priceTick: () => -885_000, feePips: 0, liquidity: 10n ** 30n, ranges: () => [[-2000, 2000]] },
  amountOf({ pool: { liquidity, sqrtPriceX96 }, isZeroIn, draw }) {
    const halves = 3n * BigInt(1 + draw(4))
    return isZeroIn ? (halves * (liquidity << 96n)) / (2n * sqrtPriceX96 ** 2n) : (halves * liquidity) >> 97n
  },
}

/** One wei is worth a billion raw tokens, so many sales are for less than a wei. */
const cheap: Kind = {
  ...{ ...plain, priceTick: (ethIsCurrency0) => (ethIsCurrency0 ? 207_000 : -207_001), liquidity: 10n ** 13n },
  amountOf: ({ isEthIn, draw }) => BigInt(1 + draw(1000)) * 10n ** BigInt(isEthIn ? draw(3) : 3 + draw(7)),
}

/** The pool has about the largest number of position bounds with which the stage still looks for gaps. */
const crowded: Kind = {
  ...plain,
  ranges: (draw) => Array.from({ length: 255 + draw(3) }, (_, index) => [-wide, wide + index] as const),
}

const kinds: readonly Kind[] = [plain, plain, deep, shallow, low, cheap, crowded]

/** In the order of the chain. */
export function randomPools(seed: number): readonly ChainAFact[] {
  const draw = createDraw(seed)
  return kinds
    .flatMap((kind, index) => tellPool(kind, buildHash(0xb00 + index), draw))
    .sort((one, other) => one.data.blockAtMs - other.data.blockAtMs)
}

type Position = { readonly lower: number; readonly upper: number; liquidity: bigint }

type Scene = Readonly<{
  address: Hex
  kind: Kind
  middle: number
  ethIsCurrency0: boolean
  pool: Pool
  positions: Position[]
  draw: Draw
}>

const daySec = 86_400

function sceneOf(kind: Kind, address: Hex, draw: Draw): Scene {
  const ethIsCurrency0 = draw(2) === 0
  const middle = kind.priceTick(ethIsCurrency0)
  const lowest = sqrtAtPriceTick(middle)
  const sqrtPriceX96 = draw(5) === 0 ? lowest : (lowest + sqrtAtPriceTick(middle + 1)) / 2n
  return { address, kind, middle, ethIsCurrency0, pool: createPool(sqrtPriceX96, kind.feePips), positions: [], draw }
}

function tellPool(kind: Kind, address: Hex, draw: Draw): readonly ChainAFact[] {
  const scene = sceneOf(kind, address, draw)
  const openedSec = draw(1000)
  const facts = [
    ...created(scene, openedSec),
    ...firstPositions(scene, openedSec + 10),
    ...traded(scene, openedSec + 10),
  ]
  const isKnown = draw(10) > 0
  return isKnown ? facts : facts.filter(({ type }) => type !== 'PoolCreated')
}

function traded(scene: Scene, openedSec: number): readonly ChainAFact[] {
  const { draw } = scene
  const worthlessStep = draw(200)
  let atSec = openedSec
  return Array.from({ length: 60 }).flatMap((_, step): readonly ChainAFact[] => {
    // For some pools, the last swaps come only after the stage has closed the pool.
    atSec += step === 55 && draw(2) === 0 ? daySec + 2 * 3600 : draw(300)
    // The log has some creations twice.
    if (step < 50 && draw(100) === 0) return created(scene, atSec).slice(0, 1)
    if (draw(6) === 0) return told(changed(scene, atSec), draw(12) === 0)
    const fact = swap(scene, atSec)
    return told(step === worthlessStep ? worthless(fact) : fact, draw(5) === 0)
  })
}

const told = (fact: ChainAFact, isMissing: boolean): readonly ChainAFact[] => (isMissing ? [] : [fact])

/** Returns the facts of a pool's creation. A v3 pool gets its price after its creation. */
function created({ address: pool, ethIsCurrency0, pool: { sqrtPriceX96 }, draw }: Scene, atSec: number): ChainAFact[] {
  const isV4 = draw(2) === 0
  const at = { pool, blockAtMs: second(atSec) }
  const dex = isV4 ? 'v4' : 'v3'
  const creation = buildPoolCreated({ ...at, ethIsCurrency0, dex, sqrtPriceX96: isV4 ? sqrtPriceX96 : null })
  if (isV4) return [creation]
  return [creation, buildPoolInitialized({ pool, sqrtPriceX96, blockAtMs: second(atSec + draw(9)) })]
}

const firstPositions = (scene: Scene, atSec: number): readonly ChainAFact[] =>
  scene.kind.ranges(scene.draw).map(([lower, upper]) => {
    const position = { lower: scene.middle + lower, upper: scene.middle + upper, liquidity: 0n }
    scene.positions.push(position)
    return change(scene, { position, delta: scene.kind.liquidity, atSec })
  })

function swap({ address, kind, ethIsCurrency0, pool, draw }: Scene, atSec: number): Fact<'Swap'> {
  const isEthIn = draw(2) === 0
  const isZeroIn = isEthIn === ethIsCurrency0
  const { paidIn, paidOut } = swapExactIn(pool, isZeroIn, kind.amountOf({ pool, isZeroIn, isEthIn, draw }))
  const amounts = isEthIn ? { ethWei: paidIn, tokenRaw: paidOut } : { ethWei: -paidOut, tokenRaw: -paidIn }
  const { sqrtPriceX96, liquidity, priceTick: tick } = pool
  return buildSwap({ pool: address, ...amounts, sqrtPriceX96, liquidity, tick, blockAtMs: second(atSec) })
}

/** Returns the swap with a price of 0, which no contract reports. */
const worthless = ({ type, data }: Fact<'Swap'>): ChainAFact => ({ type, data: { ...data, sqrtPriceX96: 0n } })

/** Changes a position that is new, grows or shrinks, or whose fees are collected. */
function changed(scene: Scene, atSec: number): ChainAFact {
  const { kind, positions, draw } = scene
  const known = positions[draw(positions.length)] as Position
  switch (draw(kind === crowded ? 2 : 6)) {
    case 0:
      return change(scene, { position: known, delta: 0n, atSec })
    case 1:
      // The log lacks the beginning of this position.
      return change(scene, { position: drawPosition(scene), delta: 0n, atSec })
    case 2:
      return change(scene, { position: known, delta: -known.liquidity / BigInt(1 + draw(3)), atSec })
    case 3:
      return change(scene, { position: known, delta: kind.liquidity / BigInt(1 + draw(9)), atSec })
    default: {
      const position = drawPosition(scene)
      positions.push(position)
      return change(scene, { position, delta: kind.liquidity / BigInt(1 + draw(9)), atSec })
    }
  }
}

/** Draws a position. The price is often at one of its ends. */
function drawPosition({ middle, pool: { priceTick }, draw }: Scene): Position {
  const isNear = Math.abs(priceTick - middle) < 1000
  const lower = (isNear && draw(2) === 0 ? priceTick : middle) + 60 * (draw(21) - 10)
  return { lower, upper: lower + 60 * (1 + draw(10)), liquidity: 0n }
}

type Change = Readonly<{ position: Position; delta: bigint; atSec: number }>

function change({ address, pool }: Scene, { position, delta, atSec }: Change): ChainAFact {
  changeLiquidity(pool, position, delta)
  position.liquidity += delta
  const { lower: tickLower, upper: tickUpper } = position
  return buildLiquidityChanged({
    ...{ pool: address, tickLower, tickUpper, liquidityDelta: delta, blockAtMs: second(atSec) },
  })
}
