/** Selects the rows about one token: the grade from its cards, and the trades before its call. */
import { callRules } from '../../../schemas/calls/rules.ts'
import { atCut } from '../../at-cut.ts'
import type { Cut } from '../../cuts.ts'
import { detailsOf, rowOf, type Selected, selectOf, stampIn, stampOf } from '../../select.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import { chainOfToken } from '../called-chain.ts'
import { callTablesOf, precallTablesOf } from '../tables.ts'
import type { CallsReading } from './call-rows.ts'
import type { GradeRow, PrecallRow } from './calls-queries.ts'
import { before, chatsClockMs } from './clock.ts'

const isToken = { sql: '= {token:String}' } as const

/** The newest grade, if its last card is of the last 48 h. `token` is text from outside. */
export async function selectGrade(
  { database, chains }: CallsReading,
  cut: Cut,
  token: string,
): Promise<GradeRow | null> {
  const { from, to } = before(chatsClockMs(cut), callRules.watchMs)
  const chain = chainOfToken(chains, token)
  const stageCut = chain && cut.stages[chain.stage.name]
  if (!stageCut) return null
  const { ScannerGrade: table } = callTablesOf(chain.stage.name)
  const [row] = await database.query<Selected>(
    `SELECT ${selectOf(table, 'g')} FROM ${atCut(table, stageCut.atMs, { token: isToken })} AS g
     WHERE g.last_card_at_ms BETWEEN ${from} AND ${to} ORDER BY g.last_card_at_ms DESC, g.graded_since_ms DESC LIMIT 1`,
    { token },
  )
  return row ? { ...rowOf(table, 'g', row), ...stampOf('g', row) } : null
}

const weiPerEth = 1e18

/** The trades before the newest call of the last 48 h. `token` is text from outside. */
export async function selectPrecall(
  { database, chains }: CallsReading,
  cut: Cut,
  token: string,
): Promise<PrecallRow | null> {
  const chain = chainOfToken(chains, token)
  const stageCut = chain && cut.stages[chain.stage.name]
  if (!chain?.hasPrecalls || !stageCut) return null
  const { Precall, PrecallBuyers } = precallTablesOf(chain.stage.name)
  const { atMs } = stageCut
  const clockMs = chatsClockMs(cut)
  const keys = { token: isToken, posted_at_ms: before(clockMs, callRules.watchMs) }
  const [row] = await database.query<Selected>(
    `SELECT ${selectOf(Precall, 'p')}, ${selectOf(PrecallBuyers, 'b')}
     FROM ${atCut(Precall, atMs, keys)} AS p
     LEFT JOIN ${atCut(PrecallBuyers, atMs, keys)} AS b ON b.token = p.token AND b.posted_at_ms = p.posted_at_ms
     ORDER BY p.posted_at_ms DESC LIMIT 1`,
    { token },
  )
  if (!row) return null
  const precall = rowOf(Precall, 'p', row)
  const buyers = detailsOf(PrecallBuyers, 'b', row)
  const isTooEarly = clockMs < precall.postedAtMs + callRules.buyersAfterMs
  const bare = {
    ...precall,
    ...stampOf('p', row),
    buyEth: Number(BigInt(precall.buyWei)) / weiPerEth,
    buyers: isTooEarly ? null : buyers,
    filled: { seconds: isTooEarly ? null : stampIn('b', row), outcome: null },
  }
  const [found] = await chain.tradeGaps.withGaps(stageCut, [bare], tradedBefore)
  return found ?? null
}

/** Returns the hour before the post, in which trades are counted. Null: the token was not tracked, so no trades were counted. */
const tradedBefore = ({ token, isTracked, postedAtMs }: Omit<PrecallRow, 'gaps'>): Traded | null =>
  isTracked ? { token, afterMs: postedAtMs - callRules.runMs, toMs: postedAtMs } : null
