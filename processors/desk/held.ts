/** Positions: how they are opened, judged at each move, and left. */
import assert from 'node:assert/strict'
import type { DeskExit } from '../../schemas/desk/derived.ts'
import type { Desk, Lane } from '../../schemas/desk/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import type { Books, Held, Shell } from './books.ts'
import type { Standing } from './moves.ts'
import { closePosition, judge, openPosition, timeOutAtMs } from './trade.ts'

function laneOf({ lanes }: Desk, name: string): Lane {
  for (const lane of lanes) if (lane.name === name) return lane
  return assert.fail(`the desk has no lane ${name}`)
}

/** `signalAtMs`: null for a twin. */
type Opening = Readonly<{
  lane: string
  signalAtMs: number | null
  market: Hex
  openedAtMs: number
  standing: Standing
}>

/** At the price that stands. A twin’s opening is not told. */
export function open(books: Books, { lane, signalAtMs, standing, openedAtMs, market }: Opening, shell: Shell): Held {
  const held = { ...openPosition({ openedAtMs, market }, standing), lane, signalAtMs }
  books.held.push(held)
  const { book, exit } = laneOf(shell.desk, lane)
  shell.context.wakeAt(timeOutAtMs(held, exit))
  if (signalAtMs !== null)
    shell.context.emit({ type: 'DeskOpened', data: { book, lane, signalAtMs, openedAtMs, market } })
  return held
}

type Moved = Readonly<{ market: Hex; standing: Standing }>

/** The positions of the market, after a move. */
export function judgeHeld(books: Books, { market, standing }: Moved, shell: Shell): void {
  const { held: known } = books
  let over: Held[] | null = null
  for (const held of known) {
    if (held.market !== market || isStillHeld(held, standing, shell)) continue
    over ??= []
    over.push(held)
  }
  if (over !== null) books.held = known.filter((held) => !over.includes(held))
}

/** Whether the position is held after a move. If not, it is left there. */
export function isStillHeld(held: Held, standing: Standing, shell: Shell): boolean {
  const why = judge(held, standing, laneOf(shell.desk, held.lane).exit)
  if (why !== null) leave(held, { why, atMs: standing.atMs }, shell)
  return why === null
}

/** At the last price. */
export function leaveMarket(
  books: Books,
  { market, ...leaving }: Leaving & Readonly<{ market: Hex }>,
  shell: Shell,
): void {
  books.held = books.held.filter((held) => held.market !== market || !leave(held, leaving, shell))
}

/** Those whose time was over by the instant, at the last price. */
export function leaveInTime(books: Books, dueAtMs: number, shell: Shell): void {
  if (books.held.length === 0) return
  books.held = books.held.filter((held) => {
    const atMs = timeOutAtMs(held, laneOf(shell.desk, held.lane).exit)
    return atMs > dueAtMs || !leave(held, { why: 'time', atMs }, shell)
  })
}

type Leaving = Readonly<{ why: DeskExit; atMs: number }>

function leave(held: Held, leaving: Leaving, { desk, context }: Shell): true {
  const { lane, signalAtMs } = held
  const closed = closePosition(held, { ...leaving, costs: desk.costs })
  const { book } = laneOf(desk, lane)
  if (signalAtMs === null) context.emit({ type: 'DeskTwin', data: { lane, ...closed } })
  else context.emit({ type: 'DeskTrade', data: { book, lane, signalAtMs, ...closed } })
  return true
}
