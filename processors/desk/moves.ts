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

/** What is remembered of a market. */
export type Path = {
  readonly market: Hex
  /** `atMs`, `px` and `left` of each, oldest first. One list: an object or three lists for each would cost more than the rules. */
  standings: number[]
  endedAtMs: number | null
}

/** Numbers of a standing in the list. */
const width = 3

/** Most standings kept of a market: a flood of trades shortens the memory, not the desk. */
export const standingsMax = 4096
/** So few are never looked through. */
const fewStandings = 32

export const newPath = (market: Hex): Path => ({ market, standings: [], endedAtMs: null })

/** Adds the market after the price or pull. False: a pull of a market that never had a price. */
export function addMove(path: Path, move: Extract<Move, { type: 'price' | 'pull' }>): boolean {
  const { standings } = path
  const last = standings.length - width
  if (move.type === 'pull' && last < 0) return false
  const px = move.type === 'price' ? move.px : (standings[last + 1] as number)
  const left = (last < 0 ? 1 : (standings[last + 2] as number)) * (move.type === 'pull' ? move.ratio : 1)
  standings.push(move.atMs, px, left)
  forget(path, move.atMs)
  return true
}

/** Looks only now and then, so forgetting is cheap on average. */
function forget(path: Path, nowMs: number): void {
  const count = path.standings.length / width
  if (count <= fewStandings) return
  const half = count >> 1
  const isOld = atMsOf(path, half) < nowMs - deskRules.memoryMs
  if (isOld || count > standingsMax) dropBefore(path, half)
}

function dropBefore(path: Path, index: number): void {
  path.standings = path.standings.slice(index * width)
}

/** What a market without trades still has to say: its last price. */
export function forgetAllBut(path: Path, nowMs: number): void {
  const last = path.standings.length / width - 1
  if (last > 0 && atMsOf(path, last) < nowMs - deskRules.memoryMs) dropBefore(path, last)
}

/** The market after its newest move. */
export const newestOf = (path: Path): Standing => standingOf(path, path.standings.length / width - 1)

/** When the market last moved; before all time where it never did. */
export const movedAtMs = ({ standings }: Path): number => standings.at(-width) ?? Number.NEGATIVE_INFINITY

/** How the market stood at the end of the instant. Null: it had ended, had no price, was empty, or it is too long ago. */
export function standingAt(path: Path, atMs: number): Standing | null {
  if (path.endedAtMs !== null && path.endedAtMs <= atMs) return null
  const index = firstAfter(path, atMs) - 1
  if (index < 0) return null
  const found = standingOf(path, index)
  return found.px > 0 && found.left > 0 ? found : null
}

export function standingsAfter(path: Path, atMs: number): readonly Standing[] {
  const later: Standing[] = []
  for (let index = firstAfter(path, atMs); index < path.standings.length / width; index++)
    later.push(standingOf(path, index))
  return later
}

/** The index of the first standing later than the instant; their number where there is none. Mostly asked of what is new. */
function firstAfter(path: Path, atMs: number): number {
  let index = path.standings.length / width
  while (index > 0 && atMsOf(path, index - 1) > atMs) index--
  return index
}

const atMsOf = ({ standings }: Path, index: number): number => standings[index * width] as number

const standingOf = ({ standings }: Path, index: number): Standing => ({
  atMs: standings[index * width] as number,
  px: standings[index * width + 1] as number,
  left: standings[index * width + 2] as number,
})
