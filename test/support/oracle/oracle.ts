/**
 * Computes the answers that the service must give about a chain. The input is the specification, the logs and
 * the node's state. The code consists of plain loops, without stored state and without code of the service.
 */
import { findBursts, type OracleBurst, traitsOf } from './bursts.ts'
import { readEvents } from './events.ts'
import { type OracleRules, oracleRules } from './oracle-rules.ts'
import { type OracleOutcome, scoreBurst } from './outcomes.ts'
import { type OracleLp, ownershipAt, type World } from './ownership.ts'
import { type OraclePoolRow, poolRowsAt } from './pool-rows.ts'
import { type OracleProfile, profilesAt } from './profiles.ts'
import type { Recording } from './recording.ts'

/**
 * A burst with its values. `outcome` is null until the outcome's time is over. The service looks up `buyers`
 * and `repeatBuyers` after the burst. The oracle knows them with the burst. `lp` gives the owners of the liquidity at the end of the signal block.
 */
export type OracleBurstRow = OracleBurst &
  Readonly<{
    buyers: number | null
    repeatBuyers: number | null
    lp: OracleLp | null
    outcome: OracleOutcome | null
  }>

export type OracleAnswer = Readonly<{
  bursts: readonly OracleBurstRow[]
  pools: readonly OraclePoolRow[]
}>

export type OracleOptions = Readonly<{
  /** The time of the newest block that is known. By default, it is the newest block of the recording. */
  blockAtMs?: number
  /** The time from which ages and minutes are counted. By default, it is `blockAtMs`. */
  atMs?: number
  rules?: OracleRules
}>

type Known = Readonly<{ blockAtMs: number; rules: OracleRules; world: World; senders: Recording['senders'] }>

function known(recording: Recording, options: OracleOptions): Known {
  const blockAtMs = options.blockAtMs ?? recording.head.atMs
  const rules = options.rules ?? oracleRules
  const logs = recording.logs.filter((log) => Number(log.blockTimestamp) * 1000 <= blockAtMs)
  const events = readEvents({ ...recording, logs }, rules)
  return { blockAtMs, rules, senders: recording.senders, world: { events, holdings: recording.holdings } }
}

export function oracle(recording: Recording, options: OracleOptions = {}): OracleAnswer {
  const { blockAtMs, rules, senders, world } = known(recording, options)
  const { events } = world
  const bursts = findBursts(events, senders, rules)
  const rows = bursts.map((burst) => ({
    ...burst,
    buyers: traitsOf[burst.tier].showsBuyers ? (burst.wallets?.length ?? null) : null,
    repeatBuyers: repeatBuyers(burst, bursts),
    lp: blockAtMs > burst.at + lpShownAfterMs ? lpOf(burst, world, rules) : null,
    outcome: blockAtMs > burst.at + rules.scoredAfterMs ? scoreBurst(burst, world, rules) : null,
  }))
  const instant = { atMs: options.atMs ?? blockAtMs, blockAtMs, bursts, rules }
  return { bursts: rows, pools: poolRowsAt(events, instant) }
}

/** Returns the liquidity profiles of all pools. */
export function oracleProfiles(recording: Recording, options: OracleOptions = {}): readonly OracleProfile[] {
  const { blockAtMs, rules, world } = known(recording, options)
  return profilesAt(world, blockAtMs, rules)
}

const lpShownAfterMs = 5000
const rememberedMs = 30 * 24 * 3_600_000

/**
 * Returns the owners of the liquidity at a burst on v4. Returns null if they are not known, or if the tier
 * does not show them.
 */
function lpOf(burst: OracleBurst, world: World, rules: OracleRules): OracleLp | null {
  const pool = world.events.pools.find(({ id }) => id === burst.pool)
  if (pool?.dex !== 'v4' || !traitsOf[burst.tier].hasLp) return null
  const lp = ownershipAt(world, { pool, block: burst.block }, rules)
  return lp && { ...lp, class: lp.class === 'empty' ? 'unknown' : lp.class }
}

function repeatBuyers(burst: OracleBurst, bursts: readonly OracleBurst[]): number | null {
  if (!traitsOf[burst.tier].showsBuyers || burst.wallets === null) return null
  const earlier = bursts.filter((other) => other.at < burst.at && other.at >= burst.at - rememberedMs)
  const seen = new Set(earlier.flatMap((other) => other.wallets ?? []))
  return burst.wallets.filter((wallet) => seen.has(wallet)).length
}
