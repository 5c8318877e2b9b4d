/** The prices of the last hour, from which the path of a copy is read when its hour is over. */
import { lastUntil } from '../../last-until.ts'

/** Older entries stay until there are more than this many and more than half of all, so removing them is cheap on average. */
const staleCountMax = 32

/** Parallel arrays, oldest first: the price after the last trade of an instant. */
export type PriceHistory = { atMs: number[]; px: number[] }

type Priced = Readonly<{ atMs: number; px: number }>

export const noHistory = (): PriceHistory => ({ atMs: [], px: [] })

export function addPrice(history: PriceHistory, { atMs, px }: Priced, windowMs: number): void {
  const last = history.atMs.length - 1
  if (history.atMs[last] === atMs) {
    history.px[last] = px
    return
  }
  history.atMs.push(atMs)
  history.px.push(px)
  const stale = history.atMs.length >> 1
  // The path of a buy of exactly an hour ago is still to be read, from the price at its first mark or before.
  if (stale < staleCountMax || (history.atMs[stale] ?? 0) >= atMs - windowMs) return
  history.atMs = history.atMs.slice(stale)
  history.px = history.px.slice(stale)
}

/** The path after a buy that left this price: the price at each mark is that after the last trade until then. */
export function pathAfter({ atMs, px }: PriceHistory, buy: Priced, marksMs: readonly number[]): number[] {
  const { atMs: buyAtMs, px: buyPx } = buy
  const path = new Array<number>(marksMs.length)
  let index = lastUntil(atMs, buyAtMs)
  for (let mark = 0; mark < marksMs.length; mark++) {
    const markAtMs = buyAtMs + (marksMs[mark] ?? 0)
    while ((atMs[index + 1] ?? Number.POSITIVE_INFINITY) <= markAtMs) index++
    path[mark] = (px[index] ?? buyPx) / buyPx - 1
  }
  return path
}
