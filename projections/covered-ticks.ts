/**
 * SQL over the ticks of a source, from which `coverage.ts` computes how completely the source was recorded. Only ticks
 * that were known at a cut are read.
 */
import { type DurationMs, type EpochMs, hourMs } from '../schemas/units.ts'
import { whole } from './key-conditions.ts'
import { ticks } from './ticks.ts'

/** Ticks with block times in `[fromMs, toMs)` that were known at `atMs`. */
type TickRange = Readonly<{ fromMs: EpochMs; toMs: EpochMs; atMs: EpochMs }>

const ticksOf = (topic: string, { fromMs, toMs, atMs }: TickRange): string =>
  `topic = '${topic}' AND known_at_ms <= ${whole(atMs)} AND known_at_ms >= ${whole(fromMs)}
        AND block_at_ms >= ${whole(fromMs)} AND block_at_ms < ${whole(toMs)}`

type Judged = Readonly<{ silentMs: DurationMs; lateMs: DurationMs; priceAgeMs: DurationMs }>

/**
 * Returns the first tick, and the ticks at which the state of the topic changes, oldest first. Only ticks
 * with block times in `[fromMs, toMs)` that were known at `atMs` are read. Ticks that repeat the previous block
 * are left out, because ingest repeats the last tick while a source does not answer. The state changes at a tick
 * if one of these holds:
 * - The tick was known more than `silentMs` after the previous tick.
 * - The tick is late and the previous tick was not, or the reverse. A late tick was known more than `lateMs`
 *   after the oldest block that it can report. This is the block after that of the previous tick.
 * - The tick is unpriced and the previous tick was not, or the reverse. The coin price of an unpriced tick is
 *   missing or older than `priceAgeMs`.
 * - The tick has another rules version than the previous tick.
 */
export const tickChanges = (
  topic: string,
  { fromMs, toMs, atMs }: TickRange,
  { silentMs, lateMs, priceAgeMs }: Judged,
): string => {
  const flags = {
    isLate: `known_at_ms - if(former_block_at_ms = 0, block_at_ms, least(block_at_ms, former_block_at_ms)) > ${whole(lateMs)}`,
    isUnpriced: `ifNull(block_at_ms - eth_usd_at_ms > ${whole(priceAgeMs)}, 1)`,
    rulesVersion: 'toString(rules_version)',
  }
  const before = (sql: string) => `lagInFrame(${sql}) OVER inOrder`
  const changed = Object.keys(flags).map((name) => `${name} != former_${name}`)
  const window = 'WINDOW inOrder AS (ORDER BY known_at_ms, tick_seq ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)'
  return `(SELECT blockAtMs, formerAtMs, knownAtMs, formerKnownAtMs, ${Object.keys(flags).join(', ')} FROM (
      SELECT block_at_ms AS blockAtMs, former_block_at_ms AS formerAtMs,
        known_at_ms AS knownAtMs, ${before('known_at_ms')} AS formerKnownAtMs,
        ${Object.entries(flags)
          .map(([name, sql]) => `${sql} AS ${name}, ${before(sql)} AS former_${name}`)
          .join(', ')}
      FROM (
        SELECT *, ${before('block_at_ms')} AS former_block_at_ms, ${before('block_number')} AS former_number,
          ${before('block_hash')} AS former_hash
        FROM ${ticks.name} WHERE ${ticksOf(topic, { fromMs, toMs, atMs })} ${window}
      )
      WHERE block_at_ms != former_block_at_ms OR block_number != former_number OR block_hash != former_hash ${window}
    ) WHERE formerAtMs = 0 OR knownAtMs - formerKnownAtMs > ${whole(silentMs)} OR ${changed.join(' OR ')}
    ORDER BY knownAtMs, blockAtMs)`
}

/**
 * Returns a subquery for one row: the time at which the newest block of the topic became known, or 0 if there is no block.
 * Reads the same ticks as `tickChanges`.
 */
export const newestBlockKnown = (topic: string, range: TickRange): string =>
  `(SELECT min(known_at_ms) AS knownAtMs FROM ${ticks.name} WHERE ${ticksOf(topic, range)}
      AND block_at_ms = (SELECT max(block_at_ms) FROM ${ticks.name} WHERE ${ticksOf(topic, range)}))`

/**
 * Returns a subquery for one row per hour of block time: the number of ticks, and the first and last block
 * number. Reads the same ticks as `tickChanges`.
 */
export const tickHours = (topic: string, range: TickRange): string =>
  `(SELECT intDiv(block_at_ms, ${hourMs}) * ${hourMs} AS hourAtMs, count() AS tickCount, min(block_number) AS firstBlock,
      max(block_number) AS lastBlock
    FROM ${ticks.name} WHERE ${ticksOf(topic, range)} GROUP BY hourAtMs ORDER BY hourAtMs)`
