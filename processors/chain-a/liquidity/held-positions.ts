/**
 * The liquidity positions of a pool by their keys. Most pools have one position, and a list of one takes less memory than
 * a map.
 */
import type { Address, PositionId } from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'

/**
 * A liquidity position. If a contract holds the position directly, `positionId` is null and `owner` is the
 * contract. Otherwise `owner` is the owner of the position NFT. `owner` is null if the log has no transfer of
 * the NFT, or if the record of an old addition lacks NFT and sender.
 */
export type Position = {
  /** The number of the NFT. A position that a contract holds directly has the key `owner:salt:range`. */
  readonly key: string
  readonly positionId: PositionId | null
  liquidity: bigint
  owner: Address | null
}

/** The positions in the order in which they were added. Few positions are a list, and many are a map. */
export type HeldPositions = readonly Position[] | Map<string, Position>

export const noPositions: HeldPositions = noItems

/** From this number of positions on, they are a map, because the search of a long list takes long. */
const mappedFrom = 16

export function positionOf(positions: HeldPositions, key: string): Position | undefined {
  if (positions instanceof Map) return positions.get(key)
  for (const position of positions) if (position.key === key) return position
  return undefined
}

/** Returns the positions and one more, whose key must be new. */
export function withPosition(positions: HeldPositions, position: Position): HeldPositions {
  if (positions instanceof Map) return positions.set(position.key, position)
  const all = withItem(positions, position)
  return all.length < mappedFrom ? all : new Map(all.map((its) => [its.key, its]))
}

export function withoutPosition(positions: HeldPositions, key: string): HeldPositions {
  if (!(positions instanceof Map)) return keptOf(positions, (position) => position.key !== key)
  positions.delete(key)
  return positions
}

export const countOf = (positions: HeldPositions): number =>
  positions instanceof Map ? positions.size : positions.length
