/** Computes the rug check of a token's pools at a point in time. */
import type { OraclePool } from './events.ts'
import { checkInstants, newestBlock } from './holdings.ts'
import type { OracleRules } from './oracle-rules.ts'
import { type OracleLp, ownershipAt, type World } from './ownership.ts'

export type OracleProfile = OracleLp &
  Readonly<{
    pool: string
    token: string
    creator: string
    createdAtMs: number
    checkedAtMs: number
    block: number
  }>

const trackedMs = 24 * 3_600_000

/** Returns one profile for each v4 pool that was created in the last 24 h. */
export function profilesAt(world: World, blockAtMs: number, rules: OracleRules): readonly OracleProfile[] {
  return world.events.pools
    .filter(({ dex, createdAtMs }) => dex === 'v4' && createdAtMs > blockAtMs - trackedMs)
    .flatMap((pool) => profileOf(world, pool, { blockAtMs, rules }) ?? [])
}

/**
 * Returns the newest profile of a pool. A profile is made at each change of the liquidity or of its owners,
 * and at each regular check.
 */
function profileOf(
  world: World,
  pool: OraclePool,
  { blockAtMs, rules }: Readonly<{ blockAtMs: number; rules: OracleRules }>,
): OracleProfile | null {
  const { events } = world
  const changes = [...events.liquidity.filter(({ delta }) => delta !== 0n), ...events.transfers]
  const here = changes.filter((change) => change.pool === pool.id).sort((a, b) => a.order - b.order)
  const last = here.at(-1) ?? { block: pool.createdBlock, atMs: pool.createdAtMs }
  const check = checkInstants(pool, blockAtMs).at(-1) ?? 0
  const isCheck = check >= last.atMs
  const block = isCheck ? newestBlock(events, pool, check) : last.block
  const lp = block === undefined ? null : ownershipAt(world, { pool, block }, rules)
  if (lp === null || block === undefined) return null
  const { id, token, creator, createdAtMs } = pool
  return { ...lp, pool: id, token, creator, createdAtMs, checkedAtMs: isCheck ? check : last.atMs, block }
}

const riskiestFirst = ['held', 'unknown', 'empty', 'safe'] as const

export const riskiestOf = (classes: readonly OracleLp['class'][]): OracleLp['class'] | undefined =>
  riskiestFirst.find((name) => classes.includes(name))

/** Returns the class of the token's riskiest pool. */
export const tokenClass = (profiles: readonly OracleProfile[]): OracleLp['class'] | undefined =>
  riskiestOf(profiles.map((profile) => profile.class))
