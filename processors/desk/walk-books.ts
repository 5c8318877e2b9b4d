/** What moves and timers do to the books of a token. */
import { deskRules } from '../../schemas/desk/rules.ts'
import { type Books, deepestMarket, pathOf, type Shell } from './books.ts'
import { watchEndMs } from './calls.ts'
import { judgeHeld, leaveInTime, leaveMarket, open } from './held.ts'
import { isInBand } from './lanes.ts'
import { addMove, forgetAllBut, type Move, movedAtMs, newestOf, newPath, type Path, standingAt } from './moves.ts'
import { endShadow, followShadow, shadowDueAtMs, shadowOf } from './shadow.ts'
import { fillDue } from './signals.ts'
import { nextTwinAtMs } from './twin.ts'

export function takeMove(books: Books, move: Move, shell: Shell): void {
  if (move.type === 'graduated' || move.type === 'closed') endMarket(books, move, shell)
  else followMove(books, move, shell)
}

function followMove(books: Books, move: Extract<Move, { type: 'price' | 'pull' }>, shell: Shell): void {
  const { market, atMs } = move
  const path = pathOf(books, market) ?? openPath(books, market)
  if (path.endedAtMs !== null || !addMove(path, move)) return
  awaitTwins(books, atMs, shell)
  const { held, shadows } = books
  if (held.length + shadows.length === 0) return
  const standing = newestOf(path)
  judgeHeld(books, { market, standing }, shell)
  for (const shadow of shadows) if (shadow.market === market) followShadow(shadow, standing)
}

/** A list of its exact length, because most tokens stay with one market. */
function openPath(books: Books, market: Move['market']): Path {
  const path = newPath(market)
  books.paths = [...books.paths, path]
  return path
}

/** A complete curve is remembered for fills that were due before, a closed market is not. */
function endMarket(books: Books, { type, market, atMs }: Move, shell: Shell): void {
  const path = pathOf(books, market)
  if (path === undefined) return
  path.endedAtMs ??= atMs
  leaveMarket(books, { market, why: type === 'graduated' ? 'graduated' : 'time', atMs }, shell)
  for (const shadow of books.shadows) if (shadow.market === market) endShadow(shadow, atMs)
  if (type !== 'closed') return
  books.paths = books.paths.filter((known) => known !== path)
  publishShadows(books, (shadow) => shadow.market === market, shell)
}

/** Timers that were due at the same instant are one. */
export function wake(books: Books, dueAtMs: number, shell: Shell): void {
  leaveInTime(books, dueAtMs, shell)
  fillDue(books, dueAtMs, shell)
  publishShadows(books, (shadow) => shadowDueAtMs(shadow) <= dueAtMs, shell)
  if (books.call !== null && watchEndMs(books.call) <= dueAtMs) books.call = null
  if (books.twinsDueAtMs === dueAtMs) openTwins(books, dueAtMs, shell)
}

function publishShadows(books: Books, isOver: (shadow: Books['shadows'][number]) => boolean, { context }: Shell): void {
  if (books.shadows.length === 0) return
  const over = books.shadows.filter(isOver)
  if (over.length === 0) return
  books.shadows = books.shadows.filter((shadow) => !isOver(shadow))
  for (const shadow of over) context.emit({ type: 'DeskShadow', data: shadowOf(shadow) })
}

function awaitTwins(books: Books, atMs: number, { context }: Shell): void {
  if (books.twinsDueAtMs !== null) return
  books.twinsDueAtMs = nextTwinAtMs(context.token, atMs)
  context.wakeAt(books.twinsDueAtMs)
}

/** A token that moves no more waits for its next move, and keeps little until then. */
function openTwins(books: Books, atMs: number, shell: Shell): void {
  let isActive = false
  for (const path of books.paths) {
    isActive ||= isMoving(path, atMs)
    forgetAllBut(path, atMs)
  }
  books.twinsDueAtMs = null
  if (!isActive) return
  awaitTwins(books, atMs, shell)
  const market = deepestMarket(shell)
  const path = market && pathOf(books, market.market)
  const standing = path && isMoving(path, atMs) ? standingAt(path, atMs) : null
  if (market === null || !standing) return
  for (const { name: lane, twins } of shell.desk.lanes)
    if (!('sameAs' in twins) && isInBand(twins, market, atMs) && !hasTwin(books, lane))
      open(books, { lane, signalAtMs: null, market: market.market, openedAtMs: atMs, standing }, shell)
}

const isMoving = (path: Path, atMs: number): boolean =>
  path.endedAtMs === null && movedAtMs(path) >= atMs - deskRules.twinIdleMs

const hasTwin = ({ held }: Books, lane: string): boolean =>
  held.some((one) => one.signalAtMs === null && one.lane === lane)
