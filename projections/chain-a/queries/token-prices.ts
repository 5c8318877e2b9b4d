import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs, hourMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { selectRowsAt } from '../../rows-at-cut.ts'
import { selectSubject } from '../../rows-of-subject.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import { pools } from '../tables/pools.ts'
import type { TokenPricesRow } from './chain-a-queries.ts'
import { pricedOf, since } from './pools.ts'

/** The maximum number of pools whose liquidity is compared. Anyone can create many pools of a token for the price of gas. */
const comparedMax = 2000

/** A pool is looked for if it was created in this time. */
const foundMs = 2 * dayMs

/**
 * Selects the prices of the last `hours` in the pool of the token that held the most ETH at its last swap in this time.
 * Returns null if no pool of the token had a swap. `token` is text from outside.
 */
export async function selectTokenPrices(
  { database, gaps }: GapReading,
  cut: StageCut,
  { token, hours }: Readonly<{ token: string; hours: number }>,
): Promise<TokenPricesRow | null> {
  const known = await selectSubject(database, {
    ...{ topic: chainAStage.derivedTopic.name, kind: 'token', subjects: [token], atMs: cut.atMs },
    tables: [[pools, since(cut, foundMs)]],
  })
  const priced = pricedOf((await known.of(pools, comparedMax)).rows)
  if (priced.length === 0) return null
  const { from, to } = since(cut, hours * hourMs)
  const range = { minute_at_ms: { from, to } }
  const [deepest] = await database.query<{ pool: string }>(
    `SELECT pool, argMax(liq_eth, minute_at_ms) AS liqEth
     FROM ${atCut(poolMinutes, cut.atMs, { ...range, pool: { sql: 'IN {pools:Array(String)}' } })}
     GROUP BY pool ORDER BY liqEth DESC, pool LIMIT 1`,
    { pools: priced.map(({ pool }) => pool) },
  )
  if (deepest === undefined) return null
  const { pool } = deepest
  const { rows } = await selectRowsAt(database, poolMinutes, {
    ...{ atMs: cut.atMs, conditions: { ...range, pool: { sql: '= {pool:String}' } }, parameters: { pool } },
  })
  const minutes = rows
    .flatMap(({ minuteAtMs, lastPx }) => (lastPx === null ? [] : [{ minuteAtMs, lastPx }]))
    .sort((left, right) => left.minuteAtMs - right.minuteAtMs)
  const traded = { token, market: pool, afterMs: from - 1, toMs: to }
  const [row = null] = await gaps.withGaps(cut, [{ pool, poolCount: priced.length, minutes }], () => traded)
  return row
}
