/** Who could pull a v4 pool's liquidity at the end of a block, from what the node's state held then. */
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
  /** The node names every owner. */
  unknownShare: 0
  /** Null before any. */
  firstAddAtMs: number | null
  lpAdds: number
}>

/** What is known of a chain: what happened, and who held what. */
export type World = Readonly<{ events: OracleEvents; holdings: readonly Holding[] }>

const holders = ['insider', 'burned', 'contract', 'other'] as const

const gone = new Set(['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'])

export const holdingAt = ({ holdings }: World, pool: string, block: number): Holding | undefined =>
  holdings.find((holding) => holding.pool === pool && holding.block === block)

/** Null where nobody asked the node: only the places that the rules as they are look at were read. */
export function ownershipAt(
  world: World,
  { pool, block }: Readonly<{ pool: OraclePool; block: number }>,
  rules: OracleRules,
): OracleLp | null {
  const holding = holdingAt(world, pool.id, block + rules.lpBlockOffset)
  if (holding === undefined) return null
  const changes = world.events.liquidity.filter((change) => change.pool === pool.id && change.block <= block)
  const adds = changes.filter(({ delta }) => delta > 0n || (rules.pokesAreAdds && delta === 0n))
  const senders = rules.addersAreInsiders ? adds.map(({ sender }) => sender) : []
  const insiders = new Set([pool.creator, ...senders])
  const weigh = createScale(world, pool, { block, rules })
  const sums = { insider: 0n, burned: 0n, contract: 0n, other: 0n }
  for (const position of holding.positions) sums[holderOf(position, insiders, rules)] += weigh(position)
  const total = holders.reduce((sum, holder) => sum + sums[holder], 0n)
  const share = (holder: (typeof holders)[number]) => (total === 0n ? 0 : Number(sums[holder]) / Number(total))
  return {
    class: classOf(sums.insider, total, rules),
    insiderShare: share('insider'),
    burnedShare: share('burned'),
    contractShare: share('contract'),
    otherShare: share('other'),
    unknownShare: 0,
    firstAddAtMs: adds[0]?.atMs ?? null,
    lpAdds: adds.length,
  }
}

function classOf(insider: bigint, total: bigint, rules: OracleRules): OracleLp['class'] {
  if (total === 0n) return 'empty'
  const isHeld = rules.heldMustExceedHalf ? 2n * insider > total : 2n * insider >= total
  return isHeld ? 'held' : 'safe'
}

function holderOf({ nftOwner }: HeldPosition, insiders: ReadonlySet<string>, rules: OracleRules) {
  if (nftOwner === null) return 'contract'
  if (rules.deadBurns && gone.has(nftOwner)) return 'burned'
  return insiders.has(nftOwner) ? 'insider' : 'other'
}

/** By liquidity; bent rules weigh by the ETH in the position instead. */
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
