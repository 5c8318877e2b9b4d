/** What happens on a market, as each chain tells the desk, and how the market stood at an instant of the last while. */
import { deskRules } from '../../schemas/desk/rules.ts'
import type { Hex } from '../../schemas/units.ts'

/**
 * `price`: after a trade. `pull`: a transaction changed the liquidity; the ratio is its coin side after / before. `graduated`:
 * the curve is complete. `closed`: the stage follows the market no longer.
 */
export type Move = Readonly<{ market: Hex; atMs: number }> &
  (
    | Readonly<{ type: 'price'; px: number }>
    | Readonly<{ type: 'pull'; ratio: number }>
    | Readonly<{ type: 'graduated' }>
    | Readonly<{ type: 'closed' }>
  )

/** A market after a move. `left`: of its liquidity, since the desk has known it; 0 for good once it was empty. */
export type Standing = Readonly<{ atMs: number; px: number; left: number }>

/** Oldest first. */
export type Path = { standings: Standing[]; endedAtMs: number | null }

/** Most standings kept of a market: a flood of trades shortens the memory, not the desk. */
export const standingsMax = 4096
/** So few are never looked through. */
const fewStandings = 32

export const newPath = (): Path => ({ standings: [], endedAtMs: null })

/** The market after the price or pull. Null: a pull of a market that never had a price. */
export function addMove(path: Path, move: Extract<Move, { type: 'price' | 'pull' }>): Standing | null {
  const last = path.standings.at(-1)
  if (move.type === 'pull' && last === undefined) return null
  const px = move.type === 'price' ? move.px : (last?.px ?? 0)
  const left = (last?.left ?? 1) * (move.type === 'pull' ? move.ratio : 1)
  const standing = { atMs: move.atMs, px, left }
  path.standings.push(standing)
  forget(path, move.atMs)
  return standing
}

/** Looks only now and then, so forgetting is cheap on average. */
function forget(path: Path, nowMs: number): void {
  const { length } = path.standings
  if (length <= fewStandings) return
  const half = length >> 1
  const isOld = (path.standings[half]?.atMs ?? 0) < nowMs - deskRules.memoryMs
  if (isOld || length > standingsMax) path.standings = path.standings.slice(half)
}

/** What a market without trades still has to say: its last price. */
export function forgetAllBut(path: Path, nowMs: number): void {
  const last = path.standings.at(-1)
  if (last !== undefined && path.standings.length > 1 && last.atMs < nowMs - deskRules.memoryMs) path.standings = [last]
}

/** How the market stood at the end of the instant. Null: it had ended, had no price, was empty, or it is too long ago. */
export function standingAt({ standings, endedAtMs }: Path, atMs: number): Standing | null {
  if (endedAtMs !== null && endedAtMs <= atMs) return null
  const found = standings.findLast((standing) => standing.atMs <= atMs)
  return found !== undefined && found.px > 0 && found.left > 0 ? found : null
}

export const standingsAfter = ({ standings }: Path, atMs: number): readonly Standing[] => {
  const from = standings.findIndex((standing) => standing.atMs > atMs)
  return from === -1 ? [] : standings.slice(from)
}
