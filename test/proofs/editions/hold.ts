/**
 * Checks the hourly lists of calls, callers and wallets against the simulated events. Each list must be
 * complete up to the hour that it names.
 */
import type { Reached } from './run-start.ts'
import { marks, type Truth } from './truth.ts'

export const hourMs = 3_600_000
const soldAgeMsMax = 3 * hourMs
/**
 * A score is due one hour after its first price. This is the longest time from a post to its first price, in
 * milliseconds.
 */
const anchorMs = 123_000

export type Sold = Readonly<{ path: string; cutAtMs: number; body: Body }>
type Body = Readonly<{ rebuiltAt: number; ageSec: number; generatedAt: number }> &
  Partial<{
    calls:
      | readonly (Readonly<{ mint: string; calledAt: number; done: boolean }> & Readonly<Record<string, unknown>>)[]
      | number
    method: Readonly<{ replays?: number }>
    wallet: string
    summary: Readonly<{ buys: number; shadowed: number }>
  }>

/** One sentence for each fault. */
export function faultsOf({ path, cutAtMs, body }: Sold, truth: Truth, reached: readonly Reached[]): readonly string[] {
  const { rebuiltAt, ageSec } = body
  const isOldest = rebuiltAt >= cutAtMs - soldAgeMsMax
  const complete = completeAt(path, reached, cutAtMs)
  return [
    ...(ageSec === Math.floor((cutAtMs - rebuiltAt) / 1000) ? [] : [`ageSec ${ageSec}`]),
    ...(isOldest ? [] : ['older than three hours']),
    ...(rebuiltAt < complete ? [] : [`complete up to ${complete} only`]),
    ...(path.includes('outcomes') ? ofOutcomes(body, truth) : []),
    ...(path.includes('leaderboard') ? ofBoard(body, truth) : []),
    ...(path.includes('leaders') && !path.includes('leaderboard') ? ofLeaders(body, truth) : []),
    ...(path.includes('copy-stats') ? ofCopies(body, truth) : []),
  ]
}

/** Returns the block time up to which the service knew everything that the answer needs, at the time `atMs`. */
export function completeAt(path: string, reached: readonly Reached[], atMs: number): number {
  const last = reached.findLast(({ knownAtMs }) => knownAtMs <= atMs)
  if (last === undefined) return Number.NEGATIVE_INFINITY
  const { completeAtMs } = last
  return path.includes('/wallets/') ? (completeAtMs.get('chain-b') ?? 0) : Math.min(...completeAtMs.values())
}

function ofOutcomes({ rebuiltAt, calls }: Body, truth: Truth): readonly string[] {
  const rows = typeof calls === 'object' ? calls : []
  const listed = new Map(rows.map((row) => [`${row.mint} ${row.calledAt}`, row]))
  const tokens = new Set(rows.map(({ mint }) => mint))
  const isAsked = (atMs: number) => atMs > rebuiltAt - 48 * hourMs && atMs <= rebuiltAt - hourMs
  const missing = [...truth.posts].filter(([token, postedAtMs]) => isAsked(postedAtMs) && !tokens.has(token))
  return [
    ...missing.map(([token, postedAtMs]) => `${token}, posted at ${postedAtMs}, is missing`),
    ...rows.flatMap(({ calledAt }) => (calledAt > rebuiltAt - hourMs ? [`a call of ${calledAt} is too young`] : [])),
    ...truth.calls
      .filter(({ calledAtMs }) => isAsked(calledAtMs))
      .flatMap((call) => ofCall(call, listed.get(`${call.token} ${call.calledAtMs}`), rebuiltAt)),
  ]
}

function ofCall(
  { token, calledAtMs, ...known }: Truth['calls'][number],
  row: Readonly<Record<string, unknown>> | undefined,
  rebuiltAt: number,
): readonly string[] {
  const name = `${token} of ${calledAtMs}`
  if (row === undefined) return [`${name} is missing`]
  return (Object.entries(marks) as readonly [keyof typeof marks, number][]).flatMap(([mark, hours]) => {
    const isDue = calledAtMs + hours * hourMs <= rebuiltAt
    if (isDue) return known[mark] && row[mark] === null ? [`${name} has no ${mark}`] : []
    return row[mark] === null ? [] : [`${name} has ${mark} already`]
  })
}

function ofBoard({ rebuiltAt, calls }: Body, truth: Truth): readonly string[] {
  const countTo = (toMs: number) =>
    truth.scores.filter(({ postedAtMs }) => postedAtMs > rebuiltAt - 24 * hourMs && postedAtMs <= toMs).length
  const [least, most] = [countTo(rebuiltAt - hourMs - anchorMs), countTo(rebuiltAt - hourMs)]
  return Number(calls) >= least && Number(calls) <= most ? [] : [`${calls} calls, not ${least} to ${most}`]
}

function ofLeaders({ rebuiltAt, method }: Body, truth: Truth): readonly string[] {
  const count = truth.copies.filter(({ atMs, isReplayed }) => isReplayed && atMs <= rebuiltAt - hourMs).length
  return method?.replays === count ? [] : [`${method?.replays} replays of ${count}`]
}

function ofCopies({ rebuiltAt, wallet, summary }: Body, truth: Truth): readonly string[] {
  const own = truth.copies.filter((copy) => copy.wallet === wallet)
  const buys = own.filter(({ atMs }) => atMs <= rebuiltAt).length
  const closed = own.filter(({ atMs, isClosed }) => isClosed && atMs <= rebuiltAt - hourMs).length
  const told = `${summary?.buys} buys, ${summary?.shadowed} over`
  const expected = `${buys} buys, ${closed} over`
  return told === expected ? [] : [`${told}, not ${expected}`]
}

/**
 * Returns true if the service learned of a call only after the whole hour whose list should have the call.
 * The earlier rule did not wait for such calls, so its list would have lacked the call.
 */
export function formerlyLacked({ calls }: Truth, cutAtMs: number): boolean {
  const hour = Math.floor(cutAtMs / hourMs) * hourMs
  return calls.some(
    ({ calledAtMs, knownAtMs }) => calledAtMs > hour - 48 * hourMs && calledAtMs <= hour - hourMs && knownAtMs > hour,
  )
}
