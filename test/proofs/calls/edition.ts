/**
 * Finds the cut (the time with what was known then) for which an hourly list about calls was computed. The
 * list has everything that was due by its hour. So the cut is the minute in which the last due part became
 * known.
 */
import type { Asking } from './asking.ts'
import type { Recount } from './recount.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The time for posts and prices to settle after the last source has passed the hour. */
const settleMs = 30_000

/** Returns the cut for the list of the whole hour `toldAtMs`, in the version that is sold at `soldAtMs`. */
export function editionAt(counted: Recount, toldAtMs: number, soldAtMs: number): Asking {
  const passedAtMs = ['chats', 'chain-a', 'chain-b'].map(
    (source) => counted.facts.ticksOf(source).find(({ blockAtMs }) => blockAtMs > toldAtMs)?.knownAtMs ?? 0,
  )
  let cutAtMs = Math.ceil((Math.max(...passedAtMs) + settleMs) / minuteMs) * minuteMs
  for (let atMs = cutAtMs; atMs + minuteMs <= soldAtMs; atMs += minuteMs)
    if (dueAt(counted, toldAtMs, atMs) < dueAt(counted, toldAtMs, atMs + minuteMs)) cutAtMs = atMs + minuteMs
  return { counted, cutAtMs, toldAtMs }
}

/** Counts the returns, ends and scores that were due by the hour and are known at `knownAtMs`. */
function dueAt({ rowsAt, scores, rules }: Recount, toldAtMs: number, knownAtMs: number): number {
  const returns = rowsAt(knownAtMs).flatMap(({ calledAtMs, ret1h, ret4h, ret12h, ret24h, ret48h, isDone }) => {
    const marks = [
      [1, ret1h],
      [4, ret4h],
      [12, ret12h],
      [24, ret24h],
      [48, ret48h],
      [48, isDone || null],
      [0, 1],
    ] as const
    return marks.filter(([hours, ret]) => ret !== null && calledAtMs + hours * hourMs <= toldAtMs)
  })
  const dueMs = rules.scoreMs + rules.anchorLimitMs
  const scored = scores.filter((score) => score.knownAtMs <= knownAtMs && score.mention.postedAtMs + dueMs <= toldAtMs)
  return returns.length + scored.length
}
