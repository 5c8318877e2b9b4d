/**
 * Checks that no return is positive after the liquidity of a market was pulled. Reads every version of every
 * row, and buys answers for many times. See `property.ts`.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Shop } from '../answers/shop.ts'
import { type Logged, openWholeShop } from './derive/project.ts'
import {
  anchorsOf,
  examineMarks,
  lastOfTicks,
  marksOf,
  marksOfBursts,
  marksOfSold,
  marksOfVerdict,
} from './property.ts'
import { type Pulls, pullsOf } from './pulls.ts'

const hourMs = 3_600_000
const cutsMost = 24
const verdictsMost = 24
const shownMost = 12

type Examining = Readonly<{ world: Logged; selling: Database; cutAtMs: number; print: (text: string) => void }>

/** Returns false if a return after a pull is positive, or if no return was checked. */
export async function examinePulls({ world, selling, cutAtMs, print }: Examining): Promise<boolean> {
  const pulls = await pullsOf(world)
  const told = lastOfTicks(pulls.told)
  const shop = await openWholeShop(selling)
  const sold = await soldMarks(shop, pulls, cutAtMs)
  await shop.close()
  const { checked, wrong, before } = examineMarks(pulls, [...told.flatMap(marksOf), ...sold])
  for (const [kind, count] of checked) print(`marks behind a pull, ${kind}: ${count}`)
  print(`positive before the pull: ${before}; positive behind it: ${wrong.length}`)
  for (const one of wrong.slice(0, shownMost)) print(`  ${one}`)
  return wrong.length === 0 && before > 0 && checked.size > 0
}

type Body = Readonly<Record<string, unknown>>
type Rows = readonly Body[]

/**
 * Buys answers for evenly spaced times, one or more hours apart, before `untilMs`. Buys verdicts only for
 * `untilMs`.
 */
async function soldMarks(shop: Shop, { told }: Pulls, untilMs: number) {
  const anchors = anchorsOf(told)
  const firstMs = Math.min(...told.map(({ tickAtMs }) => tickAtMs))
  const step = Math.max(1, Math.floor((untilMs - firstMs) / hourMs / cutsMost)) * hourMs
  const marks: ReturnType<typeof marksOfSold>[number][] = []
  for (let cutAtMs = untilMs; cutAtMs > firstMs + hourMs; cutAtMs -= step) {
    const buy = async (path: string) => (await shop.buy(path, cutAtMs)) as Body
    const live = await buy('/v1/sol/calls/live?minutes=120')
    const outcomes = await buy('/v1/sol/calls/outcomes?hours=48&limit=2000')
    const snapshot = await buy('/v1/snapshot?minutes=240')
    const bursts = (snapshot.chainA as Body).bursts as Rows
    marks.push(...marksOfSold([...(live.calls as Rows), ...(outcomes.calls as Rows)], { anchors, cutAtMs }))
    marks.push(...marksOfBursts(bursts, cutAtMs))
  }
  const tokens = [...new Set(told.flatMap(({ record, token }) => (record.type === 'DeskShadow' ? [token] : [])))]
  for (const token of tokens.slice(-verdictsMost)) {
    const body = await shop.seek(`/v1/rh/token/${token}/verdict`, untilMs)
    if (body !== null) marks.push(...marksOfVerdict(body as Body, told))
  }
  return marks
}
