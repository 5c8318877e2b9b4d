/**
 * Computes the expected ranked list of callers for a cut (the time for which the route answers), from the
 * recount of the facts.
 */
import { type Asking, callerId, chatId, clockOf, hourMs } from './asking.ts'
import type { ScoreRow } from './recount.ts'

type Row = Readonly<Record<string, unknown>>

const windows = { '24h': 24, '7d': 168, '30d': 720 } as const
export type Window = keyof typeof windows
const rates = ['hit15', 'win35', 'x2', 'rug'] as const
const medians = ['ret1', 'ret5', 'ret15', 'ret60', 'mfe', 'mae'] as const
type Rate = (typeof rates)[number]
type Median = (typeof medians)[number]
export type K = Readonly<Record<Rate | Median, number>>

type Scored = Readonly<Record<Median, number | null>> &
  Readonly<Record<Rate, boolean>> &
  Readonly<{ chat: string; poster: string; chatName: string | null; posted: number; weight: number }>

export type Board = Readonly<{
  calls: number
  callers: number
  /** The number of calls that were scored with prices from a lookup. */
  asked: number
  /** The number of calls that are not scored, by reason. */
  left: ReadonlyMap<string, number>
  rows: ReadonlyMap<string, Row>
  pooled: Row
}>

const weightPast = 3

function scoredOf({ mention, ...score }: ScoreRow): Scored {
  const { chat, poster, chatName, postedAtMs: posted, tokenCount } = mention
  const { ret1 = null, ret5 = null, ret15 = null, ret60 = null } = score
  const [mfe, mae] = [score.mfe ?? 0, score.mae ?? 0]
  return {
    ...{ chat, poster, chatName, posted, ret1, ret5, ret15, ret60, mfe, mae },
    weight: tokenCount > weightPast ? 1 / tokenCount : 1,
    ...{ hit15: mfe >= 0.15, win35: score.isWin35 === true, x2: mfe >= 1, rug: mae <= -0.8 },
  }
}

const byPost = (one: ScoreRow, other: ScoreRow): number =>
  one.mention.postedAtMs - other.mention.postedAtMs ||
  compare(one.mention.chat, other.mention.chat) ||
  one.mention.post - other.mention.post ||
  compare(one.token, other.token)

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Returns the expected rows by caller. `k` is the weight of the pooled value, and is taken from the sold
 * answer. Other tests check the choice of `k`.
 */
export function boardOf(asking: Asking, window: Window, k: K): Board {
  const { counted, cutAtMs } = asking
  const { rules } = counted
  const clock = clockOf(asking)
  const inWindow = counted.scores.filter(
    ({ knownAtMs, mention: { postedAtMs } }) =>
      knownAtMs <= cutAtMs && postedAtMs > clock - windows[window] * hourMs && postedAtMs <= clock - rules.scoreMs,
  )
  const scored = inWindow
    .filter(({ unscored }) => unscored === null)
    .sort(byPost)
    .map(scoredOf)
  const left = new Map<string, number>()
  for (const { unscored } of inWindow) if (unscored !== null) left.set(unscored, (left.get(unscored) ?? 0) + 1)
  const byCaller = new Map<string, Scored[]>()
  for (const one of scored) {
    const name = `${one.chat}:${one.poster}`
    byCaller.set(name, [...(byCaller.get(name) ?? []), one])
  }
  const all = weightOf(scored)
  const pooled = valuesOf(scored)
  const rows = [...byCaller.values()].map((its) => {
    const [{ chat, poster }, last] = [its[0] as Scored, its.at(-1) as Scored]
    const own = weightOf(its)
    const raw = valuesOf(its)
    const others = scored.filter((one) => one.chat !== chat || one.poster !== poster)
    const toward = own > 0.05 * all && others.length > 0 ? valuesOf(others) : pooled
    const shrunk = (name: Rate | Median) => {
      const [value, pool, its] = [raw[name] ?? null, toward[name] ?? null, k[name] * rules.kFactor]
      return value === null || pool === null ? value : (own * value + its * pool) / (own + its)
    }
    const row: Row = {
      ...{
        callerId: callerId(chat, poster),
        chatId: chatId(chat),
        n: its.length,
        weight: Number(own.toFixed(12)),
        gapCalls: 0,
        raw,
      },
      ...{ chat: last.chatName === null ? null : `@${last.chatName}`, lastCallAt: last.posted },
      ...Object.fromEntries(rates.map((name) => [name, shrunk(name)])),
      median: Object.fromEntries(medians.map((name) => [name, shrunk(name)])),
    }
    return [String(row.callerId), row] as const
  })
  return {
    calls: scored.length,
    callers: rows.length,
    asked: inWindow.filter(({ unscored, isAsked }) => unscored === null && isAsked === true).length,
    left,
    rows: new Map(rows),
    pooled,
  }
}

const weightOf = (scored: readonly Scored[]): number => scored.reduce((sum, { weight }) => sum + Number(weight), 0)

function valuesOf(scored: readonly Scored[]): Readonly<Record<string, number | null>> {
  const all = weightOf(scored)
  const rateOf = (name: Rate) => scored.reduce((sum, one) => sum + Number(one[name]) * Number(one.weight), 0) / all
  return {
    ...Object.fromEntries(rates.map((name) => [name, all === 0 ? null : rateOf(name)])),
    ...Object.fromEntries(medians.map((name) => [name, medianOf(scored.map((one) => one[name]))])),
  }
}

function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((one, other) => one - other)
  const middle = (known.length - 1) / 2
  const [low, high] = [known[Math.floor(middle)], known[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
