/** Selects new curves, the fullest curves, and the minutes of one mint, for the front page and the pages of tokens. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { hourMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { whole } from '../../key-conditions.ts'
import { selectRowsAt } from '../../rows-at-cut.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBMints } from '../tables/chain-b-mints.ts'
import { chainBMinutes } from '../tables/chain-b-minutes.ts'
import type { LaunchRow, MintRow, NewCurveRow, TradedCurveRow } from './chain-b-queries.ts'
import { since } from './since.ts'

type Launched = Omit<LaunchRow, 'launchAtMs'> & Readonly<{ launchAtMs: string }>

/** The newest minute of a mint, and the sums of the last hour. */
type LastHour = Readonly<{ mint: string; fill: number | null; minuteAtMs: string; buys: string; sells: string }>

/** The launch of a mint is looked for in this time. Older launches have no name on the page. */
const namedMs = 48 * hourMs

/** Selects the mints that were launched in the last hour, newest first. Mints of the same time are ordered by address. */
export async function selectNewCurves(
  { database, gaps }: GapReading,
  cut: StageCut,
  { limit }: Readonly<{ limit: number }>,
): Promise<readonly NewCurveRow[]> {
  const range = since(cut, hourMs)
  const mints = await database.query<Launched>(
    `SELECT mint, name, symbol, assumeNotNull(launch_at_ms) AS launchAtMs
     FROM ${atCut(chainBMints, cut.atMs, { opened_at_ms: range })}
     WHERE launch_at_ms >= ${whole(range.from)} ORDER BY launchAtMs DESC, mint LIMIT ${whole(limit)}`,
  )
  const hours =
    mints.length === 0
      ? []
      : await selectHours(
          database,
          cut,
          mints.map(({ mint }) => mint),
        )
  const hourOf = new Map(hours.map((hour) => [hour.mint, hour]))
  const rows = mints.map(({ launchAtMs, ...launch }) => {
    const hour = hourOf.get(launch.mint)
    const last = hour === undefined ? null : { minuteAtMs: Number(hour.minuteAtMs), fill: hour.fill }
    return { ...launch, launchAtMs: Number(launchAtMs), last, ...tradesOf(hour) }
  })
  return gaps.withGaps(cut, rows, ({ mint }) => lastHourOf(mint, cut))
}

/**
 * Selects the curves with a trade in the last hour that are not complete, the fullest first. Equally full curves are
 * ordered by address.
 */
export async function selectFullestCurves(
  { database, gaps }: GapReading,
  cut: StageCut,
  { limit }: Readonly<{ limit: number }>,
): Promise<readonly TradedCurveRow[]> {
  // A minute without a fill is one in the pool, so the curve is complete.
  const hours = await database.query<LastHour & Readonly<{ fill: number }>>(
    `${hoursSql(cut)} HAVING fill < 1 ORDER BY fill DESC, mint LIMIT ${whole(limit)}`,
  )
  const launches = await Promise.all(hours.map(({ mint }) => selectLaunch(database, cut, mint)))
  const rows = hours.map((hour, index) => {
    const last = { minuteAtMs: Number(hour.minuteAtMs), fill: hour.fill }
    return { ...(launches[index] ?? unknownLaunch(hour.mint)), last, ...tradesOf(hour) }
  })
  return gaps.withGaps(cut, rows, ({ mint }) => lastHourOf(mint, cut))
}

const unknownLaunch = (mint: string): LaunchRow => ({ mint, name: null, symbol: null, launchAtMs: null })

const tradesOf = (hour: LastHour | undefined) => ({
  buys60m: Number(hour?.buys ?? 0),
  sells60m: Number(hour?.sells ?? 0),
})

const lastHourOf = (mint: string, { blockAtMs }: StageCut) => ({
  ...{ token: mint, afterMs: blockAtMs - hourMs, toMs: blockAtMs },
})

const selectHours = (database: Database, cut: StageCut, mints: readonly string[]): Promise<readonly LastHour[]> =>
  database.query<LastHour>(hoursSql(cut, { mint: { sql: 'IN {mints:Array(String)}' } }), { mints })

/** `argMax` skips nulls, so the fill is in a tuple. */
const hoursSql = (cut: StageCut, among: Readonly<{ mint?: Readonly<{ sql: string }> }> = {}): string =>
  `SELECT mint, argMax(tuple(fill), minute_at_ms).1 AS fill, max(minute_at_ms) AS minuteAtMs,
      sum(buys) AS buys, sum(sells) AS sells
    FROM ${atCut(chainBMinutes, cut.atMs, { minute_at_ms: since(cut, hourMs), ...among })} GROUP BY mint`

/** Returns what is known of the launch. If the mint was opened several times, it is what the newest opening said. */
async function selectLaunch(database: Database, cut: StageCut, mint: string): Promise<LaunchRow | null> {
  const { rows } = await selectRowsAt(database, chainBMints, {
    atMs: cut.atMs,
    conditions: { mint: { sql: '= {mint:String}' }, opened_at_ms: since(cut, namedMs) },
    parameters: { mint },
  })
  const [newest] = [...rows].sort((left, right) => right.openedAtMs - left.openedAtMs)
  if (newest === undefined) return null
  const { name, symbol, launchAtMs } = newest
  return { mint, name, symbol, launchAtMs }
}

/** Selects a mint with its minutes of the last `hours`. */
export async function selectMintMinutes(
  { database, gaps }: GapReading,
  cut: StageCut,
  { mint, hours }: Readonly<{ mint: string; hours: number }>,
): Promise<MintRow | null> {
  const { from, to } = since(cut, hours * hourMs)
  const [known, { rows }] = await Promise.all([
    selectLaunch(database, cut, mint),
    selectRowsAt(database, chainBMinutes, {
      atMs: cut.atMs,
      conditions: { mint: { sql: '= {mint:String}' }, minute_at_ms: { from, to } },
      parameters: { mint },
    }),
  ])
  if (known === null && rows.length === 0) return null
  const minutes = rows
    .map(({ minuteAtMs, lastPx, fill }) => ({ minuteAtMs, lastPx, fill }))
    .sort((left, right) => left.minuteAtMs - right.minuteAtMs)
  const row = { ...(known ?? unknownLaunch(mint)), minutes }
  const [found = null] = await gaps.withGaps(cut, [row], () => ({ token: mint, afterMs: from - 1, toMs: to }))
  return found
}
