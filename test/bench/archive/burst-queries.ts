/**
 * The rule of the first burst of each pool or curve as SQL over exported files. SQL reads a block at once, so it needs no
 * state. It does not remove blocks that a reorg replaced, and it cannot express what depends on an earlier burst: the tier
 * `refire` of chain A, and a curve of chain B that has another burst after the outcome of the first.
 */
import { chainANumbers, weiOf } from '../../../schemas/chain-a/numbers.ts'
import { priceTickMax, priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import { forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import { chainBNumbers } from '../../../schemas/chain-b/numbers.ts'

/** `first`: a query of the market and the block of each first burst. `recorded`: the same from the derived records. */
export type BurstQueries = Readonly<{ first: string; recorded: string }>

const filesOf = (folder: string, topic: string): string => `'${folder}/topic=${topic}/*/*.parquet'`

/**
 * `trades` is a query of the columns market, block, atMs, ageMs, amount and left. Sums over a window of time also contain later
 * blocks of the same time. So `after` subtracts them.
 */
const firstBursts = (
  trades: string,
  windows: Readonly<{ windowMs: number; recentMs: number }>,
  rule: string,
): string => `
  WITH blocks AS (
    SELECT market, block, atMs, ageMs, sum(amount) AS net, count(*) FILTER (amount > 0) AS buys, arg_max(leftRaw, place) AS leftRaw
    FROM (${trades}) GROUP BY ALL
  ), sums AS (
    SELECT *,
      sum(net) OVER whole - coalesce(sum(net) OVER after, 0) AS windowNet,
      sum(buys) OVER whole - coalesce(sum(buys) OVER after, 0) AS windowBuys,
      sum(net) OVER recent - coalesce(sum(net) OVER after, 0) AS recentNet,
      sum(buys) OVER recent - coalesce(sum(buys) OVER after, 0) AS recentBuys
    FROM blocks
    WINDOW
      whole AS (PARTITION BY market ORDER BY atMs RANGE BETWEEN ${windows.windowMs - 1} PRECEDING AND CURRENT ROW),
      recent AS (PARTITION BY market ORDER BY atMs RANGE BETWEEN ${windows.recentMs - 1} PRECEDING AND CURRENT ROW),
      after AS (PARTITION BY market, atMs ORDER BY block DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  )
  SELECT market, min(block) AS block FROM sums WHERE recentNet > 0 AND recentBuys > 0 AND ${rule} GROUP BY market`

function ofChainA(folder: string): BurstQueries {
  const { main, youngMsMin, youngMsMax, oldMsMax, ...windows } = chainANumbers.bursts
  const trades = `
    WITH facts AS (FROM ${filesOf(folder, 'chain-a-facts')}),
      pools AS (SELECT pool, hooks AS hook, blockAtMs AS createdAtMs FROM facts WHERE type = 'PoolCreated')
    SELECT pool AS market, blockNumber AS block, blockAtMs AS atMs, atMs - createdAtMs AS ageMs, ethWei::HUGEINT AS amount,
      "offset" AS place, NULL AS leftRaw
    FROM facts JOIN pools USING (pool)
    WHERE type = 'Swap' AND amount != 0 AND tick > ${priceTickMin} AND tick < ${priceTickMax - 1}
      AND sender IS DISTINCT FROM hook AND ageMs <= ${oldMsMax}`
  const rule = `windowNet >= ${weiOf(main.inflowEthMin)} AND windowBuys >= ${main.buysMin}
    AND ageMs BETWEEN ${youngMsMin} AND ${youngMsMax}`
  return {
    first: firstBursts(trades, windows, rule),
    recorded: `SELECT pool AS market, min(blockNumber) AS block FROM ${filesOf(folder, 'chain-a-derived')}
      WHERE type = 'Burst' AND tier = 'main' GROUP BY pool`,
  }
}

function ofChainB(folder: string): BurstQueries {
  const { inflowLamportsMin, ageMsMin, ageMsMax, fillBpsMin, fillBpsMax, ...windows } = chainBNumbers.bursts
  const soldAt = (bps: number) => (forSaleRaw * BigInt(bps)) / 10_000n
  const trades = `
    WITH facts AS (FROM ${filesOf(folder, 'chain-b-facts')}),
      curves AS (
        SELECT key, arg_min(CASE type WHEN 'CurveFound' THEN launchAtMs ELSE blockAtMs END, "offset") AS launchedAtMs
        FROM facts WHERE type IN ('CurveLaunched', 'CurveFound') AND quoteMint IS NULL AND lateAtMs IS NULL GROUP BY key
      )
    SELECT key AS market, blockNumber AS block, blockAtMs AS atMs, atMs - launchedAtMs AS ageMs, quoteRaw::HUGEINT AS amount,
      "offset" AS place, realTokenRaw::HUGEINT AS leftRaw
    FROM facts JOIN curves USING (key)
    WHERE type = 'CurveTraded' AND lateAtMs IS NULL AND ageMs > ${ageMsMin - windows.windowMs} AND ageMs <= ${ageMsMax}`
  const rule = `windowNet >= ${inflowLamportsMin} AND ageMs >= ${ageMsMin}
    AND ${forSaleRaw} - leftRaw BETWEEN ${soldAt(fillBpsMin)} AND ${soldAt(fillBpsMax)}`
  return {
    first: firstBursts(trades, windows, rule),
    recorded: `SELECT key AS market, min(slot) AS block FROM ${filesOf(folder, 'chain-b-derived')}
      WHERE type = 'Burst' GROUP BY key`,
  }
}

export const burstQueries = { 'chain-a': ofChainA, 'chain-b': ofChainB } as const
