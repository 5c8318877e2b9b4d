/**
 * Computes the expected ownership of a pool's liquidity. The log or the node may leave the owners of some
 * positions unknown.
 */
import type { OraclePool } from '../events.ts'
import { oracleRules } from '../oracle-rules.ts'
import { type OracleLp, ownershipAt } from '../ownership.ts'
import type { RandomMarket } from './chain-a-market.ts'
import type { NamedPosition } from './chain-a-world.ts'

export type ExpectedLp = Omit<OracleLp, 'unknownShare'> & Readonly<{ unknownShare: number }>

/**
 * Returns the expected ownership. `doubted` is the NFT for which the node gave another owner than the log. In
 * that case the class is unknown.
 */
export function expectedLpAt(
  { world, positionsAt }: RandomMarket,
  pool: OraclePool,
  { block, doubted }: Readonly<{ block: number; doubted: string | null }>,
): ExpectedLp {
  const held = positionsAt(pool.id, block)
  const known = held.filter(({ isKnown, positionId }) => isKnown && (doubted === null || positionId !== doubted))
  const lp = ownershipAt(
    { ...world, holdings: [{ pool: pool.id, block, positions: known }] },
    { pool, block },
    oracleRules,
  )
  if (lp === null) throw new RangeError('the oracle has the state of this block')
  const total = sizeOf(held)
  const part = total === 0n ? 0 : Number(sizeOf(known)) / Number(total)
  const shares = {
    ...{ insiderShare: lp.insiderShare * part, burnedShare: lp.burnedShare * part },
    ...{ contractShare: lp.contractShare * part, otherShare: lp.otherShare * part },
    unknownShare: total === 0n ? 0 : 1 - part,
  }
  const isHalf = (share: number) => share >= 0.5 - 1e-12
  const safeShare = shares.burnedShare + shares.contractShare + shares.otherShare
  const byShare = isHalf(shares.insiderShare) ? 'held' : isHalf(safeShare) ? 'safe' : 'unknown'
  const lpClass = total === 0n ? 'empty' : byShare
  return { ...lp, ...shares, class: doubted === null ? lpClass : 'unknown' }
}

const sizeOf = (positions: readonly NamedPosition[]): bigint =>
  positions.reduce((sum, { liquidity }) => sum + BigInt(liquidity), 0n)

/**
 * Returns the NFTs in the order in which the service looks up their owners at the node. The largest position
 * comes first. Equal positions are in the order of their numbers.
 */
export const askedAt = ({ positionsAt }: RandomMarket, pool: string, block: number): readonly string[] =>
  positionsAt(pool, block)
    .flatMap(({ positionId, liquidity }) => (positionId === null ? [] : [{ positionId, size: BigInt(liquidity) }]))
    .sort((one, other) =>
      one.size === other.size ? (one.positionId < other.positionId ? -1 : 1) : one.size > other.size ? -1 : 1,
    )
    .map(({ positionId }) => positionId)

const checkMs = 600_000

/**
 * Returns the times at which the service must profile the owners of the pool's liquidity. Each time has the
 * newest block that changed the pool's liquidity.
 */
export function profilesOf({ world: { events } }: RandomMarket, pool: OraclePool) {
  const created = { block: pool.createdBlock, atMs: pool.createdAtMs }
  const isIts = (event: Readonly<{ pool: string; atMs: number }>) =>
    event.pool === pool.id && event.atMs <= pool.createdAtMs + followedMs
  const changes = [
    created,
    ...[...events.liquidity.filter(({ delta }) => delta !== 0n), ...events.transfers].filter(isIts),
  ].sort((one, other) => one.block - other.block)
  const checks = Array.from({ length: 35 }, (_, index) => pool.createdAtMs + (index + 1) * checkMs)
  return [...new Set([...changes.map(({ atMs }) => atMs), ...checks])].map((checkedAtMs) => ({
    checkedAtMs,
    block: changes.findLast(({ atMs }) => atMs <= checkedAtMs)?.block ?? pool.createdBlock,
  }))
}

/** A pool is closed at this age. */
const followedMs = 1530 * 60_000
