import type { ChainAAddress, CurveAddress, PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { KnownAddresses } from '../../source.ts'

/** The address book as it stands in the middle of a range: what the log holds, and what was learned on the way. */
export type RangeBook = Readonly<{
  poolOf(pool: string): PoolAddress | undefined
  poolOfPosition(positionId: Hex): PoolAddress | undefined
  curveOf(curve: Hex): CurveAddress | undefined
  curveOfToken(token: Hex): CurveAddress | undefined
  learn(address: ChainAAddress): void
  /** The block of the newest log of the curve that was told. */
  toldBlockOf(curve: Hex): number | undefined
  told(curve: Hex, blockNumber: number): void
  /** A position minted into a pool that is not followed; the book may know its number from a branch that is gone. */
  disown(positionId: Hex): void
  newAddresses(): readonly ChainAAddress[]
  staleAddresses(): readonly string[]
}>

/**
 * `tellingFrom`: of these blocks nothing is told yet, or it is told again. Curves that the book knows from there, after a
 * crash or a revert, are to be found anew; those launched there are in the logs.
 */
export function createRangeBook({ pools, positions, curves }: KnownAddresses, tellingFrom?: number): RangeBook {
  const bornPools = new Map<string, PoolAddress>()
  const bornPositions = new Map<Hex, Hex>()
  const bornCurves = new Map<string, CurveAddress>()
  const toldBlocks = new Map<Hex, number>()
  const stale = new Set<Hex>()
  const learned: ChainAAddress[] = []
  const poolOf = (pool: string) => bornPools.get(pool) ?? pools.get(pool)
  const isTold = ({ sinceBlock }: CurveAddress) => tellingFrom === undefined || sinceBlock < tellingFrom
  return {
    poolOf,
    poolOfPosition(positionId) {
      const pool = bornPositions.get(positionId) ?? (stale.has(positionId) ? undefined : positions.get(positionId))
      return pool && poolOf(pool)
    },
    curveOf(curve) {
      const known = curves.get(curve)
      return bornCurves.get(curve) ?? (known && isTold(known) ? known : undefined)
    },
    // Graduations are rare: a search is cheaper than another map of all tokens.
    curveOfToken: (token) => withToken(bornCurves, token) ?? withToken(curves, token, isTold),
    learn(address) {
      learned.push(address)
      if (address.type === 'PoolAddress') bornPools.set(address.data.pool, address.data)
      if (address.type === 'PositionAddress') bornPositions.set(address.data.positionId, address.data.pool)
      if (address.type === 'CurveAddress') bornCurves.set(address.data.curve, address.data)
    },
    toldBlockOf: (curve) => toldBlocks.get(curve),
    told(curve, blockNumber) {
      toldBlocks.set(curve, blockNumber)
    },
    disown(positionId) {
      if (positions.has(positionId)) stale.add(positionId)
    },
    newAddresses: () => learned,
    staleAddresses: () => [
      ...stale,
      // What was told of them is taken back, and this time they were not found.
      ...[...curves.values()].flatMap((each) => (isTold(each) || bornCurves.has(each.curve) ? [] : each.curve)),
    ],
  }
}

function withToken(
  curves: ReadonlyMap<string, CurveAddress>,
  token: Hex,
  doesCount: (curve: CurveAddress) => boolean = () => true,
): CurveAddress | undefined {
  for (const curve of curves.values()) if (curve.token === token && doesCount(curve)) return curve
  return undefined
}
