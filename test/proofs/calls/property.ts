/**
 * Checks this property: after the liquidity of a market is pulled, no row with a price of that market has a
 * positive return. The rows are calls, scores of calls, bursts, and the trades and simulated trades of the
 * trading desk. The check reads every version of every row, and the sold answers.
 */
import { minuteMs } from '../../support/oracle/calls/lines.ts'
import type { Pulls, Told } from './pulls.ts'

/** `where` names the row in a failure. */
type Mark = Readonly<{
  kind: string
  market: string
  anchorAtMs: number
  atMs: number
  ret: number | null
  where: string
}>

export type Found = Readonly<{
  /** The number of returns after a pull, by kind of row. */
  checked: ReadonlyMap<string, number>
  /** The rows with a positive return after a pull. */
  wrong: readonly string[]
  /**
   * The number of positive returns of the same rows before their pulls. A number above 0 shows that the check
   * can fail.
   */
  before: number
}>

const dust = 1e-9

export function examineMarks({ pulledAtMs }: Pulls, marks: readonly Mark[]): Found {
  const checked = new Map<string, number>()
  const wrong: string[] = []
  let before = 0
  for (const { kind, market, anchorAtMs, atMs, ret, where } of marks) {
    const pull = ret === null ? null : pulledAtMs(market, anchorAtMs)
    if (ret === null || pull === null) continue
    if (atMs <= pull.atMs) {
      if (ret > dust) before++
      continue
    }
    checked.set(kind, (checked.get(kind) ?? 0) + 1)
    if (ret > dust) wrong.push(`${kind} ${where}: ${ret} at ${atMs}, pulled at ${pull.atMs} (${pull.by})`)
  }
  return { checked, wrong, before }
}

/** Keeps the last version of a row in each tick, because earlier versions of the tick are never sold. */
export function lastOfTicks(told: readonly Told[]): readonly Told[] {
  const newest = new Map<string, Told>()
  for (const one of told) {
    const { data, type } = one.record
    const name = type === 'Call' ? data.calledAtMs : JSON.stringify(Object.values(data).slice(0, 4), textOf)
    newest.set(`${type} ${one.token} ${name} ${one.tickAtMs}`, one)
  }
  return [...newest.values()]
}

const textOf = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

export const marksOf = (told: Told): readonly Mark[] => {
  const { record, token } = told
  if (record.type === 'Call') return marksOfCall(told)
  const at = (kind: string, market: string, anchorAtMs: number) => (minutes: number, ret: number | null) => ({
    ...{ kind, market, anchorAtMs, ret, atMs: anchorAtMs + minutes * minuteMs, where: token },
  })
  if (record.type === 'CallScored') {
    const { market, anchorAtMs, ret1, ret5, ret15, ret60 } = record.data
    if (market === null || anchorAtMs === null) return []
    const mark = at('leaderboard input', market, anchorAtMs)
    return [mark(1, ret1), mark(5, ret5), mark(15, ret15), mark(60, ret60)]
  }
  if (record.type === 'DeskShadow') {
    const { market, anchorAtMs, ret1, ret5, ret15, ret60 } = record.data
    const mark = at('shadow', market, anchorAtMs)
    return [mark(1, ret1), mark(5, ret5), mark(15, ret15), mark(60, ret60)]
  }
  if (record.type === 'DeskTrade') {
    const { market, openedAtMs: anchorAtMs, closedAtMs, ret } = record.data
    // An exit is filled some seconds after its reason. So the return is dated 4 s before the fill.
    return [{ kind: 'desk trade', market, anchorAtMs, atMs: closedAtMs - 4_000, ret, where: token }]
  }
  if (record.type !== 'BurstOutcome') return []
  return [at('burst', record.data.pool, record.data.atMs)(30, record.data.ret30m)]
}

const marks = { ret1h: 1, ret4h: 4, ret12h: 12, ret24h: 24, ret48h: 48 } as const

function marksOfCall({ record, token, tickAtMs }: Told): readonly Mark[] {
  if (record.type !== 'Call') return []
  const { anchor, calledAtMs, lastRet, maxRet, maxAtMs, ...rets } = record.data
  if (anchor?.market == null) return []
  const its = { market: anchor.market, anchorAtMs: anchor.atMs, where: `${token} ${calledAtMs}` }
  const reached = Object.entries(marks).map(([name, hours]) => {
    const ret = rets[name as keyof typeof marks]
    return { ...its, kind: `call ${name}`, atMs: calledAtMs + hours * 60 * minuteMs, ret }
  })
  return [
    ...reached,
    { ...its, kind: 'call now', atMs: tickAtMs - 1000, ret: lastRet },
    { ...its, kind: 'call high', atMs: maxAtMs ?? 0, ret: maxRet },
  ]
}

type Row = Readonly<Record<string, unknown>>
export type Anchors = ReadonlyMap<string, Readonly<{ market: string; anchorAtMs: number }>>

/** The anchors of calls, by `token calledAt`. */
export function anchorsOf(told: readonly Told[]): Anchors {
  return new Map(
    told.flatMap(({ token, record }) => {
      if (record.type !== 'Call' || record.data.anchor?.market == null) return []
      const { market, atMs: anchorAtMs } = record.data.anchor
      return [[`${token} ${record.data.calledAtMs}`, { market, anchorAtMs }] as const]
    }),
  )
}

type Selling = Readonly<{ anchors: Anchors; cutAtMs: number }>

/** Returns the returns in rows of `calls/live` and `calls/outcomes`, which were sold at the time `cutAtMs`. */
export function marksOfSold(rows: readonly Row[], { anchors, cutAtMs }: Selling): readonly Mark[] {
  return rows.flatMap((row) => {
    const anchor = anchors.get(`${row.mint} ${row.calledAt}`)
    if (anchor === undefined) return []
    const its = { ...anchor, where: `${row.mint} ${row.calledAt} at ${cutAtMs}` }
    const reached = Object.entries(marks).flatMap(([name, hours]) => {
      const ret = row[name]
      const atMs = Number(row.calledAt) + hours * 60 * minuteMs
      return typeof ret === 'number' ? [{ ...its, kind: `sold ${name}`, atMs, ret }] : []
    })
    const now = typeof row.moveSince === 'number' ? [row.moveSince] : []
    // The service learns of a minute only after its end, so the newest price can be two minutes older than
    // the answer.
    return [...reached, ...now.map((ret) => ({ ...its, kind: 'sold moveSince', atMs: cutAtMs - 2 * minuteMs, ret }))]
  })
}

/** The marks of the bursts in a snapshot. */
export const marksOfBursts = (bursts: readonly Row[], cutAtMs: number): readonly Mark[] =>
  bursts.flatMap(({ pool, at, outcome }) => {
    const { ret30m } = outcome as Row
    const mark = { market: String(pool), anchorAtMs: Number(at), atMs: Number(at) + 30 * minuteMs }
    return typeof ret30m === 'number'
      ? [{ ...mark, kind: 'sold burst', ret: ret30m, where: `${pool} ${at} at ${cutAtMs}` }]
      : []
  })

/** The marks of the shadows in a verdict about a token of chain A. */
export function marksOfVerdict(body: Row, told: readonly Told[]): readonly Mark[] {
  const shadow = (body.desk as Row | null)?.firstShadow as Row | null | undefined
  if (!shadow) return []
  const found = told.find(
    ({ token, record }) =>
      token === body.token && record.type === 'DeskShadow' && record.data.signalAtMs === shadow.signalAt,
  )
  if (found?.record.type !== 'DeskShadow') return []
  const { market, anchorAtMs } = found.record.data
  return [1, 5, 15, 60].map((minutes) => ({
    ...{ kind: 'sold verdict', market, anchorAtMs, atMs: anchorAtMs + minutes * minuteMs },
    ...{ ret: (shadow[`ret${minutes}`] ?? null) as number | null, where: String(body.token) },
  }))
}
