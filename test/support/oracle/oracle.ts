/**
 * What the service must answer about a chain, worked out again from the specification and the chain's own logs: plain loops,
 * no state kept, nothing shared with the code it checks.
 */
import { findBursts, type OracleBurst } from './bursts.ts'
import { readEvents } from './events.ts'
import { type OracleRules, oracleRules } from './oracle-rules.ts'
import { type OracleOutcome, scoreBurst } from './outcomes.ts'
import { type OraclePoolRow, poolRowsAt } from './pool-rows.ts'
import type { Recording } from './recording.ts'

/** `outcome` null: the window had not closed. `buyers` and `repeatBuyers` as if their senders were known at once. */
export type OracleBurstRow = OracleBurst &
  Readonly<{ buyers: number | null; repeatBuyers: number | null; outcome: OracleOutcome | null }>

export type OracleAnswer = Readonly<{ bursts: readonly OracleBurstRow[]; pools: readonly OraclePoolRow[] }>

export type OracleOptions = Readonly<{
  /** The newest block's time: nothing later is known. By default the head of the recording. */
  blockAtMs?: number
  /** The instant that ages and minutes are counted to; by default `blockAtMs`. */
  atMs?: number
  rules?: OracleRules
}>

export function oracle(recording: Recording, options: OracleOptions = {}): OracleAnswer {
  const blockAtMs = options.blockAtMs ?? recording.head.atMs
  const rules = options.rules ?? oracleRules
  const known = recording.logs.filter((log) => Number(log.blockTimestamp) * 1000 <= blockAtMs)
  const events = readEvents({ ...recording, logs: known }, rules)
  const bursts = findBursts(events, recording.senders, rules)
  const rows = bursts.map((burst) => ({
    ...burst,
    buyers: burst.tier === 'main' ? (burst.wallets?.length ?? null) : null,
    repeatBuyers: repeatBuyers(burst, bursts),
    outcome: blockAtMs > burst.at + rules.scoredAfterMs ? scoreBurst(burst, events.swaps, rules) : null,
  }))
  const shownBeforeMs = Math.floor(blockAtMs / publishedEveryMs) * publishedEveryMs
  const instant = { atMs: options.atMs ?? blockAtMs, shownBeforeMs, bursts, rules }
  return { bursts: rows, pools: poolRowsAt(events, instant) }
}

const publishedEveryMs = 10_000
const rememberedMs = 30 * 24 * 3_600_000

function repeatBuyers(burst: OracleBurst, bursts: readonly OracleBurst[]): number | null {
  if (burst.tier !== 'main' || burst.wallets === null) return null
  const earlier = bursts.filter((other) => other.at < burst.at && other.at >= burst.at - rememberedMs)
  const seen = new Set(earlier.flatMap((other) => other.wallets ?? []))
  return burst.wallets.filter((wallet) => seen.has(wallet)).length
}
