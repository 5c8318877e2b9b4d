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

/** Parallel arrays of standings, oldest first: a kept object for each trade would cost more than the rules. */
export type Path = { atMs: number[]; px: number[]; left: number[]; endedAtMs: number | null }

/** Most standings kept of a market: a flood of trades shortens the memory, not the desk. */
export const standingsMax = 4096
/** So few are never looked through. */
const fewStandings = 32

export const newPath = (): Path => ({ atMs: [], px: [], left: [], endedAtMs: null })

/** The market after the price or pull. Null: a pull of a market that never had a price. */
export function addMove(path: Path, move: Extract<Move, { type: 'price' | 'pull' }>): Standing | null {
  const { atMs } = move
  const last = path.atMs.length - 1
  if (move.type === 'pull' && last < 0) return null
  const px = move.type === 'price' ? move.px : (path.px[last] as number)
  const left = (last < 0 ? 1 : (path.left[last] as number)) * (move.type === 'pull' ? move.ratio : 1)
  path.atMs.push(atMs)
  path.px.push(px)
  path.left.push(left)
  forget(path, atMs)
  return { atMs, px, left }
}

/** Looks only now and then, so forgetting is cheap on average. */
function forget(path: Path, nowMs: number): void {
  const { length } = path.atMs
  if (length <= fewStandings) return
  const half = length >> 1
  const isOld = (path.atMs[half] ?? 0) < nowMs - deskRules.memoryMs
  if (isOld || length > standingsMax) dropBefore(path, half)
}

function dropBefore(path: Path, index: number): void {
  path.atMs = path.atMs.slice(index)
  path.px = path.px.slice(index)
  path.left = path.left.slice(index)
}

/** What a market without trades still has to say: its last price. */
export function forgetAllBut(path: Path, nowMs: number): void {
  const last = path.atMs.length - 1
  if (last > 0 && (path.atMs[last] as number) < nowMs - deskRules.memoryMs) dropBefore(path, last)
}

/** How the market stood at the end of the instant. Null: it had ended, had no price, was empty, or it is too long ago. */
export function standingAt(path: Path, atMs: number): Standing | null {
  if (path.endedAtMs !== null && path.endedAtMs <= atMs) return null
  const index = path.atMs.findLastIndex((its) => its <= atMs)
  if (index === -1) return null
  const found = standingOf(path, index)
  return found.px > 0 && found.left > 0 ? found : null
}

export function standingsAfter(path: Path, atMs: number): readonly Standing[] {
  const from = path.atMs.findIndex((its) => its > atMs)
  return from === -1 ? [] : path.atMs.slice(from).map((_, index) => standingOf(path, from + index))
}

const standingOf = ({ atMs, px, left }: Path, index: number): Standing => ({
  atMs: atMs[index] as number,
  px: px[index] as number,
  left: left[index] as number,
})
