/**
 * Chooses the tokens for which verdicts are bought, with some tokens for each kind of rule. The database
 * tables only help to find tokens. The expected verdicts come from the recorded facts. The last tokens come
 * from the log, even if they are not tracked.
 */
import type { Database } from '../../../../infra/clickhouse/database.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]
const tokensMost = 64

/** `someTokens` are tokens of the log, in any order. */
export type Sampling = Readonly<{ database: Database; cutAtMs: number; someTokens: readonly string[] }>

const strangeToken = `0x${'5e'.repeat(20)}`

/** A query for tokens in some order, and the number of tokens to take. */
type Kind = readonly [sql: string, count: number]

export async function sampleOfChainA(sampling: Sampling): Promise<readonly string[]> {
  const { cutAtMs } = sampling
  const known = `known_at_ms <= ${cutAtMs}`
  const since = (ms: number) => cutAtMs - ms
  const ofDay = `${known} AND created_at_ms > ${since(23 * hourMs)}`
  const profile = (what: string) =>
    `SELECT token FROM pool_profiles WHERE ${ofDay}
     GROUP BY token HAVING argMax(${what}, known_at_ms) ORDER BY cityHash64(token)`
  const trade = (what: string) =>
    `SELECT token FROM desk_trades WHERE chain = 'chain-a' AND ${known} AND closed_at_ms > ${since(23 * hourMs)} AND ${what}
     GROUP BY token ORDER BY max(closed_at_ms) DESC`
  const precall = (what: string) =>
    `SELECT p.token AS token FROM precalls AS p LEFT JOIN precall_buyers AS w
       ON w.token = p.token AND w.posted_at_ms = p.posted_at_ms
     WHERE p.known_at_ms <= ${cutAtMs} AND p.posted_at_ms > ${since(23 * hourMs)} AND ${what} GROUP BY token ORDER BY cityHash64(token)`
  const pool = (what: string) =>
    `SELECT token FROM pools WHERE ${known} AND ${what} GROUP BY token ORDER BY cityHash64(token)`
  const kinds: readonly Kind[] = [
    [
      `SELECT token FROM desk_shadows WHERE chain = 'chain-a' AND ${known} AND signal_at_ms > ${since(12 * hourMs)} GROUP BY token
       HAVING argMin(mae, signal_at_ms) BETWEEN -0.79 AND -0.25 ORDER BY min(signal_at_ms) DESC`,
      3,
    ],
    [precall('p.age_at_call_ms BETWEEN 1800000 AND 1919999'), 3],
    [profile('insider_share BETWEEN 0.2 AND 0.49'), 4],
    [profile('insider_share BETWEEN 0.5 AND 0.59'), 2],
    [profile('insider_share BETWEEN 0.6 AND 0.89'), 1],
    [profile("class = 'unknown'"), 2],
    [profile("class = 'safe'"), 2],
    [profile("class = 'empty'"), 2],
    [pool(`dex = 'v3' AND created_at_ms > ${since(20 * hourMs)}`), 3],
    [curvesOf(cutAtMs), 2],
    [
      `SELECT token FROM launch_curves WHERE ${known} GROUP BY token HAVING max(grad_block) > 0 ORDER BY max(read_at_ms) DESC`,
      2,
    ],
    [
      `SELECT token FROM bursts WHERE ${known} AND (pool, at_ms) IN
         (SELECT pool, at_ms FROM burst_outcomes WHERE ${known} AND rug_at_sec > 900) ORDER BY at_ms DESC`,
      2,
    ],
    [
      `SELECT token FROM bursts WHERE ${known} AND (pool, at_ms) IN
         (SELECT pool, at_ms FROM burst_outcomes WHERE ${known} AND rug_lp_removed < 0.95) ORDER BY at_ms DESC`,
      2,
    ],
    [trade("exit = 'rug'"), 2],
    [trade("exit = 'stop'"), 2],
    [trade('1'), 2],
    [precall('p.run_60 BETWEEN 2 AND 3'), 2],
    [precall('p.run_60 >= 3'), 1],
    [precall('w.same_block_wallets > 1 AND w.same_block_wallets < 5'), 3],
    [precall('w.same_block_wallets > 4'), 2],
    [precall(`p.is_tracked = 0 AND token IN (SELECT token FROM pools WHERE ${ofDay})`), 2],
    [precall(`p.is_tracked = 0 AND token IN (SELECT token FROM launch_curves WHERE ${known})`), 1],
    [precall('p.is_tracked = 0'), 1],
    [pool(`created_at_ms < ${since(25 * hourMs)}`), 2],
  ]
  return withOthers(await found(sampling, kinds, 'chain-a'), [strangeToken, ...sampling.someTokens])
}

/**
 * The query for curves. Curves with the newest trades come first, because answers do not show these trades
 * yet.
 */
const curvesOf = (cutAtMs: number): string =>
  `SELECT token FROM launch_curves WHERE known_at_ms <= ${cutAtMs} AND grad_block IS NULL GROUP BY token ORDER BY max(read_at_ms) DESC`

/** Returns some tokens of chain A with one time for all of them. At this time, the newest pool is just too old to count as young. */
export async function aimedCut(
  database: Database,
  untilMs: number,
): Promise<readonly Readonly<{ token: string; cutAtMs: number }>[]> {
  type Created = Readonly<{ token: string; createdAtMs: string }>
  const [pool] = await database.query<Created>(
    `SELECT token, created_at_ms AS createdAtMs FROM pools WHERE created_at_ms < ${untilMs - 32 * minuteMs}
     ORDER BY created_at_ms DESC LIMIT 1`,
  )
  if (pool === undefined) return []
  const cutAtMs = Number(pool.createdAtMs) + 31.5 * minuteMs
  const curves = await database.query<Created>(`${curvesOf(cutAtMs)} LIMIT 9`)
  return [pool, ...curves].map(({ token }) => ({ token, cutAtMs }))
}

export async function sampleOfChainB(sampling: Sampling): Promise<readonly string[]> {
  const { cutAtMs } = sampling
  const known = `known_at_ms <= ${cutAtMs}`
  const safety = (what: string) =>
    `SELECT mint AS token FROM chain_b_safety WHERE ${known} AND ${what} ORDER BY checked_at_ms DESC`
  const unchecked = (table: string, mint: string, where = '1') =>
    `SELECT DISTINCT ${mint} AS token FROM ${table} WHERE ${where} AND ${known} AND known_at_ms < ${cutAtMs - 3 * minuteMs}
     AND ${mint} NOT IN (SELECT mint FROM chain_b_safety WHERE ${known}) ORDER BY cityHash64(token)`
  const afterGraduation = `SELECT s.mint AS token FROM chain_b_safety AS s
    INNER JOIN chain_b_graduations AS g ON g.mint = s.mint
    WHERE s.known_at_ms <= ${cutAtMs} AND g.known_at_ms <= ${cutAtMs} AND s.checked_at_ms >= g.grad_at_ms`
  const kinds: readonly Kind[] = [
    [safety('top_holder_share BETWEEN 0.3 AND 0.35'), 3],
    [safety('freeze_authority IS NOT NULL'), 2],
    [safety('mint_authority IS NOT NULL'), 2],
    [safety('is_rugged'), 2],
    [`${afterGraduation} AND s.lp_locked_share BETWEEN 0.5 AND 0.89`, 2],
    [safety('empty(fails) AND freeze_authority IS NULL'), 8],
    [afterGraduation, 2],
    [unchecked('chain_b_bursts', 'mint'), 2],
    [unchecked('scanner_grades', 'token', "chain = 'chain-b'"), 1],
    [
      `SELECT token FROM proof_mentions WHERE chain = 'chain-b' AND posted <= ${cutAtMs} AND tokens > 2
       GROUP BY token ORDER BY max(posted) DESC`,
      3,
    ],
    [
      `SELECT token FROM scanner_grades WHERE chain = 'chain-b' AND ${known} AND top_10_pct BETWEEN 0.2 AND 0.35 ORDER BY last_card_at_ms DESC`,
      4,
    ],
    [
      `SELECT token FROM desk_trades WHERE chain = 'chain-b' AND ${known} AND exit = 'stop' ORDER BY closed_at_ms DESC`,
      2,
    ],
    [
      `SELECT token FROM desk_trades WHERE chain = 'chain-b' AND ${known} AND exit = 'graduated' ORDER BY closed_at_ms DESC`,
      2,
    ],
    [`SELECT token FROM desk_trades WHERE chain = 'chain-b' AND ${known} ORDER BY closed_at_ms DESC`, 4],
    [`SELECT mint AS token FROM chain_b_graduations WHERE ${known} ORDER BY grad_at_ms DESC`, 3],
    [`SELECT mint AS token FROM chain_b_bursts WHERE ${known} AND at_ms < ${cutAtMs - 49 * hourMs}`, 2],
  ]
  return withOthers(await found(sampling, kinds, 'chain-b'), sampling.someTokens)
}

const others = 6

const withOthers = (tokens: ReadonlySet<string>, more: readonly string[]): readonly string[] => [
  ...new Set([...[...tokens].slice(0, tokensMost - others), ...more.slice(0, others)]),
]

/**
 * Returns the tokens of all kinds, and tokens with the newest calls. A call must be some minutes old, so that
 * the service knows everything about it.
 */
async function found(
  { database, cutAtMs }: Sampling,
  kinds: readonly Kind[],
  chain: string,
): Promise<ReadonlySet<string>> {
  const tokens = new Set<string>()
  const take = async ([sql, count]: Kind) => {
    let left = count
    for (const { token } of await database.query<Readonly<{ token: string }>>(`${sql} LIMIT ${2 * count}`)) {
      if (left === 0 || tokens.has(token)) continue
      tokens.add(token)
      left--
    }
  }
  for (const kind of kinds) await take(kind)
  await take([
    `SELECT token FROM proof_mentions WHERE chain = '${chain}' AND kind = 'call' AND posted <= ${cutAtMs - 3 * minuteMs}
     GROUP BY token ORDER BY min(posted) DESC`,
    20,
  ])
  const unsettled = await database.query<Readonly<{ token: string }>>(
    `SELECT token FROM proof_mentions WHERE chain = 'chain-a' AND kind = 'call' GROUP BY token
     HAVING min(posted) BETWEEN ${cutAtMs - 3 * minuteMs} AND ${cutAtMs} OR min(posted) BETWEEN ${cutAtMs - 49 * hourMs} AND ${cutAtMs - 47 * hourMs}`,
  )
  for (const { token } of unsettled) tokens.delete(token)
  return tokens
}
