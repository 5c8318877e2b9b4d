import type { Database } from '../../../infra/clickhouse/database.ts'
import { callersRules } from '../../../schemas/calls/callers.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chainBVerdictRules } from '../../../schemas/chain-b/verdict.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import { callTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { since } from './since.ts'

/**
 * `win35` is the mean win rate of the callers. The rate of each caller is shrunk toward the rate of all callers. Null: there are no
 * callers, or no call is scored yet.
 */
type MintCallers = Readonly<{ count: number; win35: number | null }>

const { windowMs, k } = chainBVerdictRules.callers
const { Call, CallScored } = callTablesOf(chainBStage.name)

export type MintCallersAt = (cut: StageCut, mint: string) => Promise<MintCallers>

/**
 * Finds the callers of a mint in the last 48 h, and their win rate. The results of all callers are read once per cut, for all mints. `mint`
 * is text from outside.
 */
export function createMintCallers(database: Database): MintCallersAt {
  let last: Readonly<{ atMs: EpochMs; records: Promise<Records> }> | null = null
  const recordsAt = (cut: StageCut): Promise<Records> => {
    if (last?.atMs === cut.atMs) return last.records
    const entry = { atMs: cut.atMs, records: selectRecords(database, cut) }
    last = entry
    // Failures are not cached.
    entry.records.catch(() => {
      if (last === entry) last = null
    })
    return entry.records
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

/** SQL for the distinct pairs of `chat` and `poster` of the mint's calls. */
const callersOf = (cut: StageCut): string => {
  const called = { called_at_ms: since(cut, callRules.watchMs), token: { sql: '= {mint:String}' } }
  return `SELECT DISTINCT tupleElement(one, 1) AS chat, arrayJoin(tupleElement(one, 5)) AS poster
    FROM (SELECT arrayJoin(chats) AS one FROM ${atCut(Call, cut.atMs, called)})`
}

/** The number of units in a weight of 1. Weights are whole units, because a sum of doubles would depend on the order of rows. */
const units = 1e12

type Tally = Readonly<{ ownUnits: string; wonUnits: string }>

const callsOf = ({ ownUnits, wonUnits }: Tally): Calls => ({
  calls: Number(ownUnits) / units,
  wins: Number(wonUnits) / units,
})

/** A subquery for the scored calls of the window, with the caller, the weight of the call, and whether the call won. */
const scoresAt = (cut: StageCut): string =>
  `(SELECT chat, poster, is_win_35 = 1 AS isWin,
      if(token_count > ${callersRules.tokensMax}, intDiv(${units}, token_count), ${units}) AS weight
    FROM ${atCut(CallScored, cut.atMs, { posted_at_ms: since(cut, windowMs) })}
    WHERE unscored IS NULL)`
