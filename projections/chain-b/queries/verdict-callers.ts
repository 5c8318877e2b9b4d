import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { callersRule } from '../../../schemas/chain-b/verdict.ts'
import { atCut } from '../../at-cut.ts'
import { chainBCallScores } from '../../calls/tables/call-scores.ts'
import { chainBCalls } from '../../calls/tables/calls.ts'
import type { StageCut } from '../../cuts.ts'
import { since } from './since.ts'

/** `win35`: the mean of their rates, each shrunk toward that of all callers; null without callers, or while nothing is scored. */
type MintCallers = Readonly<{ count: number; win35: number | null }>

/** Who called the mint in the last 48 h, and how often calls of theirs won, as far as it is known. `mint` is foreign text. */
export async function selectMintCallers(database: Database, cut: StageCut, mint: string): Promise<MintCallers> {
  const callers = callersOf(cut)
  const [row] = await database.query<{ count: string }>(`SELECT count() AS count FROM (${callers})`, { mint })
  const count = Number(row?.count ?? 0)
  if (count === 0) return { count, win35: null }
  const source = scoresAt(cut)
  const [[pooled], own] = await Promise.all([
    database.query<Tally>(`SELECT ${tallySql} FROM ${source}`),
    database.query<Tally>(
      `SELECT ${tallySql} FROM ${source} WHERE (chat, poster) IN (${callers})
       GROUP BY chat, poster ORDER BY chat, poster`,
      { mint },
    ),
  ])
  const all = callsOf(pooled)
  if (all.calls === 0) return { count, win35: null }
  const rate = all.wins / all.calls
  const rates = own.map((tally) => {
    const { wins, calls } = callsOf(tally)
    return (wins + callersRule.k * rate) / (calls + callersRule.k)
  })
  // Nothing is scored of the others: they are expected to be like all.
  const sum = rates.reduce((total, one) => total + one, (count - rates.length) * rate)
  return { count, win35: sum / count }
}

/** Distinct `chat, poster` of its calls. */
const callersOf = (cut: StageCut): string => {
  const called = { called_at_ms: since(cut, callRules.watchMs), token: { sql: '= {mint:String}' } }
  return `SELECT DISTINCT tupleElement(one, 1) AS chat, arrayJoin(tupleElement(one, 5)) AS poster
    FROM (SELECT arrayJoin(chats) AS one FROM ${atCut(chainBCalls, cut.atMs, called)})`
}

/** Sums must not depend on the order of their rows, so a call weighs whole units. */
const units = 1e12

type Tally = Readonly<{ ownUnits: string; wonUnits: string }>

const tallySql = 'sum(weight) AS ownUnits, sumIf(weight, isWin) AS wonUnits'

const callsOf = (tally: Tally | undefined) => ({
  calls: Number(tally?.ownUnits ?? 0) / units,
  wins: Number(tally?.wonUnits ?? 0) / units,
})

/** Scored calls of the window: who made them, what they weigh, and whether they won. */
const scoresAt = (cut: StageCut): string =>
  `(SELECT chat, poster, is_win_35 = 1 AS isWin,
      if(token_count > ${callersRule.manyTokens}, intDiv(${units}, token_count), ${units}) AS weight
    FROM ${atCut(chainBCallScores, cut.atMs, { posted_at_ms: since(cut, callersRule.windowMs) })}
    WHERE unscored IS NULL)`
