/** Computes who owns a v4 pool's liquidity at the end of a block, from the node's state or from facts. */
import type { LiquidityChanged, PositionTransferred } from '../../../schemas/chain-a/facts.ts'
import type { OracleEvents, OraclePool } from './events.ts'
import type { OracleRules } from './oracle-rules.ts'
import { ethHeld } from './pool-rows.ts'
import type { HeldPosition, Holding } from './recording.ts'

export type OracleLp = Readonly<{
  class: 'held' | 'safe' | 'unknown' | 'empty'
  insiderShare: number
  burnedShare: number
  contractShare: number
  otherShare: number
  unknownShare: number
  /** The time at which liquidity was first added. Null: liquidity was never added. */
  firstAddAtMs: number | null
  lpAdds: number
}>

/** The events of a chain, and the owners of its liquidity. */
export type World = Readonly<{ events: OracleEvents; holdings: readonly Holding[] }>

const holders = ['insider', 'burned', 'contract', 'other', 'unknown'] as const

const gone = new Set(['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'])

export const holdingAt = ({ holdings }: World, pool: string, block: number): Holding | undefined =>
  holdings.find((holding) => holding.pool === pool && holding.block === block)

/**
 * Returns the ownership at a block. Returns null if the recording has no state of this block. The recording
 * has only the blocks that the unchanged rules need.
 */
export function ownershipAt(
  world: World,
  { pool, block }: Readonly<{ pool: OraclePool; block: number }>,
  rules: OracleRules,
): OracleLp | null {
  const holding = holdingAt(world, pool.id, block + rules.lpBlockOffset)
  if (holding === undefined) return null
  const changes = world.events.liquidity.filter((change) => change.pool === pool.id && change.block <= block)
  const weigh = createScale(world, pool, { block, rules })
  const held = holding.positions.map((position) => ({ size: weigh(position), owner: position.nftOwner }))
  return ownershipOf(held, { creator: pool.creator, changes }, rules)
}

/** A position. `owner` null: a contract owns the position without an NFT. Undefined: the owner is not known. */
type Held = Readonly<{ size: bigint; owner: string | null | undefined }>
type Change = Readonly<{ atMs: number; delta: bigint; sender: string | null }>
type Past = Readonly<{ creator: string; changes: readonly Change[] }>

function ownershipOf(held: readonly Held[], { creator, changes }: Past, rules: OracleRules): OracleLp {
  const adds = changes.filter(({ delta }) => delta > 0n || (rules.pokesAreAdds && delta === 0n))
  const senders = rules.addersAreInsiders ? adds.flatMap(({ sender }) => sender ?? []) : []
  const insiders = new Set([creator, ...senders])
  const sums = { insider: 0n, burned: 0n, contract: 0n, other: 0n, unknown: 0n }
  for (const { size, owner } of held) sums[holderOf(owner, insiders, rules)] += size
  const total = holders.reduce((sum, holder) => sum + sums[holder], 0n)
  const share = (holder: (typeof holders)[number]) => (total === 0n ? 0 : Number(sums[holder]) / Number(total))
  return {
    class: classOf(sums, total, rules),
    ...{ insiderShare: share('insider'), burnedShare: share('burned'), contractShare: share('contract') },
    ...{ otherShare: share('other'), unknownShare: share('unknown') },
    ...{ firstAddAtMs: adds[0]?.atMs ?? null, lpAdds: adds.length },
  }
}

type Told = Readonly<{ changes: readonly LiquidityChanged[]; transfers: readonly PositionTransferred[] }>

/** Returns the ownership as computed from facts. For each position, the last owner counts. */
export function ownershipByFacts(creator: string, { changes, transfers }: Told, rules: OracleRules): OracleLp {
  const owners = new Map(transfers.map(({ positionId, to }) => [positionId, to]))
  const held = changes.map(({ positionId, liquidityDelta: size }) => {
    return { size, owner: positionId === null ? null : owners.get(positionId) }
  })
  const past = changes.map(({ blockAtMs: atMs, liquidityDelta: delta, txSender: sender }) => ({ atMs, delta, sender }))
  return ownershipOf(held, { creator, changes: past }, rules)
}

type Sums = Readonly<Record<(typeof holders)[number], bigint>>

function classOf({ insider, burned, contract, other }: Sums, total: bigint, rules: OracleRules): OracleLp['class'] {
  if (total === 0n) return 'empty'
  const [has, half] = [10_000n * insider, rules.heldBpsMin * total]
  if (rules.heldMustExceedHalf ? has > half : has >= half) return 'held'
  return 10_000n * (burned + contract + other) >= rules.safeBpsMin * total ? 'safe' : 'unknown'
}

function holderOf(owner: Held['owner'], insiders: ReadonlySet<string>, rules: OracleRules) {
  if (owner === undefined) return 'unknown'
  if (owner === null) return 'contract'
  if (rules.deadBurns && gone.has(owner)) return 'burned'
  return insiders.has(owner) ? 'insider' : 'other'
}

/** Returns a function that weighs a position by its liquidity. Changed rules can weigh by ETH instead. */
function createScale(
  { events }: World,
  pool: OraclePool,
  { block, rules }: Readonly<{ block: number; rules: OracleRules }>,
): (position: HeldPosition) => bigint {
  if (rules.sharesBy === 'liquidity') return ({ liquidity }) => BigInt(liquidity)
  const here = (event: Readonly<{ pool: string; block: number }>) => event.pool === pool.id && event.block <= block
  const { sqrtPrice } = events.swaps.findLast(here) ?? events.firstPrices.find(here) ?? { sqrtPrice: 0 }
  return ({ lower, upper, liquidity }) =>
    BigInt(Math.round(1e18 * ethHeld([{ lower, upper, delta: BigInt(liquidity) }], sqrtPrice, pool.ethIsToken0)))
}
