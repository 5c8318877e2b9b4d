/** Calls, samples and scores counted again in SQL, from SPEC 2.12-2.14 and the `method` of the answers. */
import type { Database } from '../../../infra/clickhouse/database.ts'

export type Rules = Readonly<{
  anchorDelayMs: number
  anchorLimitMs: number
  sampleMs: number
  scoreMs: number
  win: number
  stop: number
  /** By how much more than the answer says the pooled value counts. */
  kFactor: number
}>

export const rules: Rules = {
  ...{ anchorDelayMs: 3_000, anchorLimitMs: 120_000, sampleMs: 600_000, scoreMs: 3_600_000 },
  ...{ win: 1.35, stop: 0.8, kFactor: 1 },
}

const never = '9007199254740991'

/** The first tick whose block time is later. */
const firstTickAfter = (table: string, at: string) => `SELECT s.*, if(t.known = 0, ${never}, t.known) AS tick_known
  FROM ${table} AS s ASOF LEFT JOIN proof_ticks AS t ON s.chain = t.chain AND s.${at} < t.block_at`

/** The price in force at an instant, null where there is none, or the market is closed. */
const inForce = (table: string, at: string) => `SELECT s.*,
    if(p.px = 0 OR s.${at} >= s.closed, NULL, p.px) AS px
  FROM ${table} AS s ASOF LEFT JOIN proof_seconds AS p ON s.chain = p.chain AND s.token = p.token AND s.${at} >= p.second`

/** Of the rules that hold whatever is asked: the path of each token by seconds, and when it was called. */
export async function prepare(database: Database): Promise<void> {
  const make = (name: string, sql: string) =>
    database.command(`CREATE OR REPLACE TABLE ${name} ENGINE = MergeTree ORDER BY tuple() AS ${sql}`)
  await make(
    'proof_seconds',
    `SELECT chain, token, toInt64(ceil(at / 1000) * 1000) AS second, argMax(px, (at, ord)) AS px
     FROM proof_prices WHERE (chain, token) IN (SELECT chain, token FROM proof_mentions) GROUP BY chain, token, second`,
  )
  await make(
    'proof_ends',
    `SELECT m.chain AS chain, m.token AS token, if(c.closed = 0, ${never}, c.closed) AS closed
     FROM (SELECT DISTINCT chain, token FROM proof_mentions) AS m LEFT JOIN
       (SELECT chain, token, toInt64(ceil(max(at) / 1000) * 1000) AS closed FROM proof_closings GROUP BY chain, token) AS c
       USING (chain, token)`,
  )
}

/** Makes `proof_calls`, `proof_posts` of their watches, `proof_samples`, `proof_scores`. */
export async function recount(database: Database, its: Rules): Promise<void> {
  const make = async (name: string, sql: string) => {
    await database.command(`CREATE OR REPLACE TABLE ${name} ENGINE = MergeTree ORDER BY tuple() AS ${sql}`)
  }
  await make(
    'proof_first',
    `SELECT chain, token, min((posted, ord)) AS first, first.1 AS called, called + ${its.anchorDelayMs} AS read_at, closed
     FROM proof_mentions INNER JOIN proof_ends USING (chain, token) WHERE kind = 'call' GROUP BY chain, token, closed`,
  )
  await make('proof_forced', inForce(`proof_first`, 'read_at'))
  await make(
    'proof_calls',
    `SELECT f.chain AS chain, f.token AS token, f.first AS first, f.called AS called, f.closed AS closed,
       coalesce(f.px, if(p.second > 0 AND p.second <= f.called + ${its.anchorLimitMs}, p.px, NULL),
         a.px) AS anchor
     FROM proof_forced AS f
     ASOF LEFT JOIN proof_seconds AS p ON f.chain = p.chain AND f.token = p.token AND f.read_at < p.second
     LEFT JOIN (SELECT chain, token, at, any(px) AS px FROM proof_answers GROUP BY chain, token, at) AS a
       ON a.chain = f.chain AND a.token = f.token AND a.at = f.called`,
  )
  await make(
    'proof_posts',
    `SELECT m.*, c.called AS called, c.closed AS closed FROM proof_mentions AS m INNER JOIN proof_calls AS c
     USING (chain, token) WHERE (m.posted, m.ord) >= c.first`,
  )
  await make(
    'proof_due',
    `SELECT chain, token, called, closed, arrayJoin(range(1, 289)) AS k, called + k * ${its.sampleMs} AS at
     FROM proof_calls`,
  )
  await make('proof_read', inForce(`proof_due`, 'at'))
  await make(
    'proof_samples',
    `SELECT r.chain AS chain, r.token AS token, r.k AS k, r.tick_known AS due_known,
       if(r.at < r.closed AND r.px IS NOT NULL, r.px, a.px) AS px,
       if(r.at < r.closed AND r.px IS NOT NULL, r.tick_known, if(a.next = 0, ${never}, a.next)) AS known
     FROM (${firstTickAfter(`proof_read`, 'at')}) AS r
     LEFT JOIN (SELECT chain, token, at, any(px) AS px, min(next) AS next FROM proof_answers GROUP BY chain, token, at) AS a
       ON a.chain = r.chain AND a.token = r.token AND a.at = r.at`,
  )
  await make(
    'proof_own',
    `SELECT chain, token, chat, poster, posted, post, tokens, chat_name, next, closed, posted + ${its.anchorDelayMs} AS read_at
     FROM proof_posts WHERE kind = 'call' ORDER BY posted, ord LIMIT 1 BY chain, token, chat, poster`,
  )
  await make('proof_own_forced', inForce(`proof_own`, 'read_at'))
  await make(
    'proof_anchored',
    `SELECT o.*, if(o.px IS NOT NULL, o.read_at, p.second) AS anchor_at, coalesce(o.px, p.px) AS anchor,
       multiIf(o.px IS NOT NULL, '', p.second = 0, 'no_price', p.second > o.posted + ${its.anchorLimitMs}, 'late_anchor', '') AS why,
       anchor_at + ${its.scoreMs} AS ends, anchor_at + 60000 AS at1, anchor_at + 300000 AS at5, anchor_at + 900000 AS at15
     FROM proof_own_forced AS o
     ASOF LEFT JOIN proof_seconds AS p ON o.chain = p.chain AND o.token = p.token AND o.read_at < p.second`,
  )
  const marks = ['at1', 'at5', 'at15', 'ends'] as const
  for (const [index, mark] of marks.entries()) {
    const from = index === 0 ? `proof_anchored` : `proof_${marks[index - 1]}`
    await make(
      `proof_${mark}`,
      `SELECT s.*, if(p.px = 0 OR s.${mark} >= s.closed, NULL, p.px / s.anchor - 1) AS ret_${mark} FROM ${from} AS s
       ASOF LEFT JOIN proof_seconds AS p ON s.chain = p.chain AND s.token = p.token AND s.${mark} >= p.second`,
    )
  }
  await make(
    'proof_paths',
    `SELECT s.chain AS chain, s.token AS token, s.chat AS chat, s.poster AS poster,
       max(p.px / s.anchor - 1) AS high, min(p.px / s.anchor - 1) AS low,
       argMinIf(p.px >= ${its.win} * s.anchor, p.second, p.px <= ${its.stop} * s.anchor OR p.px >= ${its.win} * s.anchor) AS win
     FROM proof_ends AS s INNER JOIN proof_seconds AS p USING (chain, token)
     WHERE p.second > s.anchor_at AND p.second <= s.ends GROUP BY chain, token, chat, poster`,
  )
  await make(
    'proof_scores',
    `SELECT s.*, if(s.why = '' AND s.ends >= s.closed, 'no_price', s.why) AS unscored, greatest(s.tick_known, s.next) AS known,
       greatest(0, p.high) AS mfe, least(0, p.low) AS mae, p.win AS win
     FROM (${firstTickAfter(`proof_ends`, 'ends')}) AS s LEFT JOIN proof_paths AS p USING (chain, token, chat, poster)`,
  )
}
