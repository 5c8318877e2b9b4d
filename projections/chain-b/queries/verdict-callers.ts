import type { Database } from '../../../infra/clickhouse/database.ts'
import { callersRules } from '../../../schemas/calls/callers.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chainBVerdictRules } from '../../../schemas/chain-b/verdict.ts'
import { atCut } from '../../at-cut.ts'
import { callTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { since } from './since.ts'

/** `win35`: the mean of their rates, each shrunk toward that of all callers; null without callers, or while nothing is scored. */
type MintCallers = Readonly<{ count: number; win35: number | null }>

const { windowMs, k } = chainBVerdictRules.callers
const { Call, CallScored } = callTablesOf(chainBStage.name)

export type MintCallersAt = (cut: StageCut, mint: string) => Promise<MintCallers>

/**
 * Who called a mint in the last 48 h, and how often calls of theirs won, as far as it is known. The record of all callers is
 * read once for each cut, whatever is asked there. `mint` is foreign text.
 */
export function createMintCallers(database: Database): MintCallersAt {
  let last: Readonly<{ atMs: number; records: Promise<Records> }> | null = null
  const recordsAt = (cut: StageCut): Promise<Records> => {
    if (last?.atMs === cut.atMs) return last.records
    const asked = { atMs: cut.atMs, records: selectRecords(database, cut) }
    last = asked
    // A failure is not kept.
    asked.records.catch(() => {
      if (last === asked) last = null
    })
    return asked.records
  }
  return async (cut, mint) => {
    const callers = await database.query<Caller>(`SELECT chat, poster FROM (${callersOf(cut)}) ORDER BY chat, poster`, {
      mint,
    })
    return { count: callers.length, win35: callers.length === 0 ? null : meanOf(callers, await recordsAt(cut)) }
  }
}

function meanOf(callers: readonly Caller[], { ofCaller, all }: Records): number | null {
  if (all.calls === 0) return null
  const rate = all.wins / all.calls
  const rates = callers.map((caller) => {
    const { wins, calls } = ofCaller.get(nameOf(caller)) ?? { wins: 0, calls: 0 }
    return (wins + k * rate) / (calls + k)
  })
  return rates.reduce((sum, one) => sum + one, 0) / rates.length
}

type Caller = Readonly<{ chat: string; poster: string }>
type Calls = Readonly<{ calls: number; wins: number }>
type Records = Readonly<{ ofCaller: ReadonlyMap<string, Calls>; all: Calls }>

const nameOf = ({ chat, poster }: Caller): string => JSON.stringify([chat, poster])

async function selectRecords(database: Database, cut: StageCut): Promise<Records> {
  const source = scoresAt(cut)
  const rows = await database.query<Caller & Tally>(
    `SELECT chat, poster, sum(weight) AS ownUnits, sumIf(weight, isWin) AS wonUnits
     FROM ${source} GROUP BY chat, poster`,
  )
  const sumOf = (of: (tally: Tally) => string) => rows.reduce((sum, row) => sum + BigInt(of(row)), 0n).toString()
  return {
    ofCaller: new Map(rows.map((row) => [nameOf(row), callsOf(row)])),
    all: callsOf({ ownUnits: sumOf((row) => row.ownUnits), wonUnits: sumOf((row) => row.wonUnits) }),
  }
}

/** Distinct `chat, poster` of its calls. */
const callersOf = (cut: StageCut): string => {
  const called = { called_at_ms: since(cut, callRules.watchMs), token: { sql: '= {mint:String}' } }
  return `SELECT DISTINCT tupleElement(one, 1) AS chat, arrayJoin(tupleElement(one, 5)) AS poster
    FROM (SELECT arrayJoin(chats) AS one FROM ${atCut(Call, cut.atMs, called)})`
}

/** Sums must not depend on the order of their rows, so a call weighs whole units. */
const units = 1e12

type Tally = Readonly<{ ownUnits: string; wonUnits: string }>

const callsOf = ({ ownUnits, wonUnits }: Tally): Calls => ({
  calls: Number(ownUnits) / units,
  wins: Number(wonUnits) / units,
})

/** Scored calls of the window: who made them, what they weigh, and whether they won. */
const scoresAt = (cut: StageCut): string =>
  `(SELECT chat, poster, is_win_35 = 1 AS isWin,
      if(token_count > ${callersRules.tokensMax}, intDiv(${units}, token_count), ${units}) AS weight
    FROM ${atCut(CallScored, cut.atMs, { posted_at_ms: since(cut, windowMs) })}
    WHERE unscored IS NULL)`
