/**
 * Selects the rows about one token: its grade from the cards of scanner bots, and the summary of the trades
 * before its newest call.
 */
import { callRules } from '../../../schemas/calls/rules.ts'
import type { Cut } from '../../cuts.ts'
import { selectSubject } from '../../rows-of-subject.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import { chainOfToken } from '../called-chain.ts'
import { callTablesOf, precallTablesOf } from '../tables.ts'
import { type CallsReading, callOf } from './call-rows.ts'
import type { CallOfToken, GradeRow, PrecallRow } from './calls-queries.ts'
import { before, chatsClockMs } from './clock.ts'
import { findNewestPrecall, precallTablesIn } from './newest-precall.ts'

/**
 * Returns the newest grade of the token, if the last scanner card for this grade is from the last 48 h.
 * `token` is text from outside.
 */
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
  const question = { topic: chain.stage.derivedTopic.name, kind: 'token', subjects: [token] } as const
  const known = await selectSubject(database, { ...question, atMs: stageCut.atMs, tables: [[table, null]] })
  const { rows } = await known.of(table)
  const [newest] = rows
    .filter(({ lastCardAtMs }) => lastCardAtMs >= from && lastCardAtMs <= to)
    .sort((left, right) => right.lastCardAtMs - left.lastCardAtMs || right.gradedSinceMs - left.gradedSinceMs)
  return newest ?? null
}

const weiPerEth = 1e18

/**
 * Returns the summary of the trades before the token's newest call of the last 48 h. `token` is text from
 * outside.
 */
export async function selectPrecall(
  { database, chains }: CallsReading,
  cut: Cut,
  token: string,
): Promise<PrecallRow | null> {
  const chain = chainOfToken(chains, token)
  const stageCut = chain && cut.stages[chain.stage.name]
  if (!chain?.hasPrecalls || !stageCut) return null
  const clockMs = chatsClockMs(cut)
  const tables = precallTablesOf(chain.stage.name)
  const known = await selectSubject(database, {
    ...{ topic: chain.stage.derivedTopic.name, kind: 'token', subjects: [token], atMs: stageCut.atMs },
    tables: precallTablesIn(tables, before(clockMs, callRules.watchMs)),
  })
  const newest = await findNewestPrecall(known, tables)
  if (newest === null) return null
  const { precall, buyers, buyersStamp } = newest
  const isTooEarly = clockMs < precall.postedAtMs + callRules.buyersAfterMs
  const bare = {
    ...precall,
    buyEth: Number(BigInt(precall.buyWei)) / weiPerEth,
    buyers: isTooEarly ? null : buyers,
    filled: { seconds: isTooEarly ? null : buyersStamp, outcome: null },
  }
  const [found] = await chain.tradeGaps.withGaps(stageCut, [bare], tradedBefore)
  return found ?? null
}

/**
 * Returns the time span in which trades before the post are counted, which is one hour. Null: the token was
 * not tracked, so no trades were counted.
 */
const tradedBefore = ({ token, isTracked, postedAtMs }: Omit<PrecallRow, 'gaps'>): Traded | null =>
  isTracked ? { token, afterMs: postedAtMs - callRules.runMs, toMs: postedAtMs } : null

/** Returns the calls of the token in the last 48 h, newest first. `token` is text from outside. */
export async function selectCallsOfToken(
  { database, chains }: CallsReading,
  cut: Cut,
  token: string,
): Promise<readonly CallOfToken[]> {
  const chain = chainOfToken(chains, token)
  const stageCut = chain && cut.stages[chain.stage.name]
  if (!stageCut) return []
  const { Call: table } = callTablesOf(chain.stage.name)
  const known = await selectSubject(database, {
    ...{ topic: chain.stage.derivedTopic.name, kind: 'token', subjects: [token], atMs: stageCut.atMs },
    tables: [[table, before(chatsClockMs(cut), callRules.watchMs)]],
  })
  const { rows } = await known.of(table)
  return rows.map(callOf).sort((left, right) => right.calledAtMs - left.calledAtMs)
}
