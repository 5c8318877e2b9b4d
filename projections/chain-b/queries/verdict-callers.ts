import type { Database } from '../../../infra/clickhouse/database.ts'
import { callersRules } from '../../../schemas/calls/callers.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chainBVerdictRules } from '../../../schemas/chain-b/verdict.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { callTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { type KeptState, keepAtCut } from '../../keep-at-cut.ts'
import { type RowAtCut, versionsKnownIn } from '../../rows-at-cut.ts'
import type { SubjectQuestion, SubjectRows } from '../../rows-of-subject.ts'
import { since } from './since.ts'

/**
 * The number of callers (chat posters) of a mint, and their mean win rate `win35`. The rate of each caller is
 * first shrunk (moved) toward the rate of all callers. `win35` is null if there are no callers, or if no call
 * has a score yet.
 */
type MintCallers = Readonly<{ count: number; win35: number | null }>

const { windowMs, k } = chainBVerdictRules.callers
const { Call, CallScored } = callTablesOf(chainBStage.name)

export type MintCallersAt = (cut: StageCut, known: SubjectRows) => Promise<MintCallers>

/** The tables with the callers of a mint, with the time span of the rows. */
export const callersTables = (cut: StageCut): SubjectQuestion['tables'] => [[Call, since(cut, callRules.watchMs)]]

/**
 * Returns a function that finds the callers (chat posters) of a mint in the last 48 h, and their win rate.
 * `known` has the rows of the mint in `callersTables`.
 */
export function createMintCallers(database: Database): MintCallersAt {
  const scoresAt = createScores(database)
  return async (cut, known) => {
    const callers = callersOf((await known.of(Call)).rows)
    return { count: callers.length, win35: callers.length === 0 ? null : meanOf(callers, await scoresAt(cut), cut) }
  }
}

/** Returns the distinct names of the callers of the mint, ordered by chat, then by poster. */
function callersOf(rows: readonly Pick<RowAtCut<typeof Call>, 'chats'>[]): readonly string[] {
  const callers = rows.flatMap(({ chats }) =>
    chats.flatMap(({ chat, posters }) => posters.map((poster) => ({ chat, poster }))),
  )
  callers.sort((left, right) => compareBytes(left.chat, right.chat) || compareBytes(left.poster, right.poster))
  return [...new Set(callers.map(nameOf))]
}

const compareBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

function meanOf(callers: readonly string[], scores: Scores, cut: StageCut): number | null {
  const own = new Map(callers.map((caller) => [caller, createTally()]))
  const all = createTally()
  const { from, to } = since(cut, windowMs)
  for (const score of scores.values()) {
    if (!score.isCounted || score.postedAtMs < from || score.postedAtMs > to) continue
    all.add(score)
    own.get(score.caller)?.add(score)
  }
  const total = all.sums()
  if (total.calls === 0) return null
  const rate = total.wins / total.calls
  const rates = callers.map((caller) => {
    const { wins, calls } = own.get(caller)?.sums() ?? { wins: 0, calls: 0 }
    return (wins + k * rate) / (calls + k)
  })
  return rates.reduce((sum, one) => sum + one, 0) / rates.length
}

const nameOf = ({ chat, poster }: Readonly<{ chat: string; poster: string }>): string => JSON.stringify([chat, poster])

/**
 * The number of units in a call weight of 1. Weights are whole units, because a sum of doubles would depend
 * on the order of the rows.
 */
const units = 1e12

type Score = Readonly<{
  caller: string
  postedAtMs: EpochMs
  /** False if the call has no result, or if the row of the call is withdrawn. */
  isCounted: boolean
  isWin: boolean
  /** The number of tokens that share the weight of the post. 1 if the call has a weight of 1. */
  sharedBy: number
}>

/** The last version of each call's score, by the key of the call. */
type Scores = ReadonlyMap<string, Score>

function createTally() {
  let [calls, wins] = [0, 0]
  let [callUnits, winUnits] = [0n, 0n]
  return {
    add({ isWin, sharedBy }: Score) {
      if (sharedBy === 1) {
        calls++
        if (isWin) wins++
        return
      }
      const weight = BigInt(Math.floor(units / sharedBy))
      callUnits += weight
      if (isWin) winUnits += weight
    },
    sums: () => ({ calls: inCalls(calls, callUnits), wins: inCalls(wins, winUnits) }),
  }
}

const inCalls = (whole: number, parts: bigint): number => Number(BigInt(whole) * BigInt(units) + parts) / units

type Kept = { fromMs: EpochMs; readonly scores: Map<string, Score> }

/**
 * Keeps the scores of calls in the window in memory. All scores are selected again if the cut is earlier than
 * the last cut, or if the window begins earlier than the scores in memory.
 */
function createScores(database: Database): (cut: StageCut) => Promise<Scores> {
  const advance = async (kept: KeptState<Kept> | null, cut: StageCut): Promise<Kept> => {
    const fromMs = since(cut, windowMs).from
    const state =
      kept !== null && kept.state.fromMs <= fromMs ? kept.state : { fromMs, scores: new Map<string, Score>() }
    const rows = await selectScores(database, cut, state === kept?.state ? kept.cut.atMs : -1)
    for (const { key, score } of rows) state.scores.set(key, score)
    for (const [key, { postedAtMs }] of state.scores) if (postedAtMs < fromMs) state.scores.delete(key)
    state.fromMs = fromMs
    return state
  }
  const keptAt = keepAtCut<Kept>({ database, tables: [CallScored], advance })
  return async (cut) => {
    const kept = await keptAt(cut)
    if (kept !== null) return kept.scores
    return new Map((await selectScores(database, cut, -1)).map(({ key, score }) => [key, score]))
  }
}

/**
 * Selects the last version of each score that became known in `(afterMs, cut.atMs]`. Versions that withdraw a
 * score are included.
 */
async function selectScores(
  database: Database,
  cut: StageCut,
  afterMs: number,
): Promise<readonly Readonly<{ key: string; score: Score }>[]> {
  const { from } = since(cut, windowMs)
  type Found = Readonly<{
    key: string
    chat: string
    poster: string
    postedAtMs: string
    isCounted: 0 | 1
    isWin: 0 | 1
    tokens: number
  }>
  const rows = await database.query<Found>(
    versionsKnownIn(
      CallScored,
      { afterMs, toMs: cut.atMs },
      {
        conditions: { posted_at_ms: { sql: `>= ${from}` } },
        columns: {
          key: `concat(token, ' ', toString(posted_at_ms), ' ', chat, ' ', toString(post))`,
          ...{ chat: 'chat', poster: 'poster', postedAtMs: 'posted_at_ms', tokens: 'token_count' },
          isCounted: 'withdrawn = 0 AND unscored IS NULL',
          isWin: 'ifNull(is_win_35, 0) = 1',
        },
      },
    ),
  )
  return rows.map(({ key, postedAtMs, isCounted, isWin, tokens, ...caller }) => ({
    key,
    score: {
      caller: nameOf(caller),
      postedAtMs: Number(postedAtMs),
      isCounted: isCounted === 1,
      isWin: isWin === 1,
      sharedBy: tokens > callersRules.tokensMax ? tokens : 1,
    },
  }))
}
