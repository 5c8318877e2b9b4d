/** Signals, from the instant that they are known to their fill. */
import { deskRules, type Lane } from '../../schemas/desk/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import { type Books, deepestMarket, pathOf, type Shell, type SignalKind, type Waiting } from './books.ts'
import { isStillHeld, leaveMarket, open } from './held.ts'
import { type Path, type Standing, standingAt, standingsAfter } from './moves.ts'
import { endShadow, followShadow, openShadow, shadowDueAtMs } from './shadow.ts'
import { isRug } from './trade.ts'

/** `isShadowed`: what becomes of it is told, traded or not. */
type Signal = Readonly<{
  kind: SignalKind
  atMs: number
  market: Hex | null
  lanes: readonly Lane[]
  isShadowed: boolean
}>

/** Lanes that hold or await a position of the token let the signal go. */
export function takeSignal(books: Books, { kind, atMs, market, ...signal }: Signal, { context }: Shell): void {
  const lanes = signal.lanes.map(({ name }) => name).filter((name) => !isBusy(books, name))
  const isShadowed = signal.isShadowed && !isTold(books, kind, atMs)
  if (lanes.length === 0 && !isShadowed) return
  const dueAtMs = atMs + deskRules.fillDelayMs
  books.waiting.push({ kind, signalAtMs: atMs, dueAtMs, market, lanes, isShadowed })
  context.wakeAt(dueAtMs)
}

const isBusy = ({ waiting, held }: Books, lane: string): boolean =>
  waiting.some(({ lanes }) => lanes.includes(lane)) || held.some((one) => one.signalAtMs !== null && one.lane === lane)

const isTold = ({ waiting, shadows }: Books, kind: SignalKind, signalAtMs: number): boolean =>
  waiting.some((one) => one.isShadowed && one.kind === kind && one.signalAtMs === signalAtMs) ||
  shadows.some((one) => one.signal === kind && one.signalAtMs === signalAtMs)

/** Fills what was due by the instant, which may be some time ago: then what came since is followed at once. */
export function fillDue(books: Books, dueAtMs: number, shell: Shell): void {
  if (books.waiting.length === 0) return
  const due = books.waiting.filter((one) => one.dueAtMs <= dueAtMs)
  if (due.length === 0) return
  books.waiting = books.waiting.filter((one) => one.dueAtMs > dueAtMs)
  for (const waiting of due) fill(books, waiting, shell)
}

function fill(books: Books, waiting: Waiting, shell: Shell): void {
  const market = waiting.market ?? deepestMarket(shell)?.market
  const path = market === undefined ? undefined : pathOf(books, market)
  const standing = path && standingAt(path, waiting.dueAtMs)
  if (market === undefined || !path || !standing || wasPulled(path, waiting, standing)) return
  const fills = { market, path, standing, waiting }
  for (const lane of waiting.lanes) take(books, { ...fills, lane }, shell)
  if (waiting.isShadowed) shadow(books, fills, shell)
}

/** Whether nobody could have bought any more, because the liquidity was pulled since the signal. */
function wasPulled(path: Path, { signalAtMs }: Waiting, { left }: Standing): boolean {
  const atSignal = standingAt(path, signalAtMs)
  return atSignal !== null && isRug(atSignal.left, left)
}

type Filled = Readonly<{ market: Hex; path: Path; standing: Standing; waiting: Waiting }>

function take(books: Books, { lane, ...filled }: Filled & Readonly<{ lane: string }>, shell: Shell): void {
  const { market, path, standing, waiting } = filled
  const { signalAtMs, dueAtMs: openedAtMs } = waiting
  const held = open(books, { lane, signalAtMs, market, openedAtMs, standing }, shell)
  for (const later of standingsAfter(path, openedAtMs)) {
    if (isStillHeld(held, later, shell)) continue
    books.held = books.held.filter((one) => one !== held)
    return
  }
  if (path.endedAtMs !== null) leaveMarket(books, { market, why: 'graduated', atMs: path.endedAtMs }, shell)
}

function shadow(books: Books, { market, path, standing, waiting }: Filled, { context }: Shell): void {
  const { signalAtMs, kind: signal, dueAtMs: anchorAtMs } = waiting
  const opened = openShadow({ signalAtMs, signal, anchorAtMs, market }, standing)
  for (const later of standingsAfter(path, anchorAtMs)) followShadow(opened, later)
  if (path.endedAtMs !== null) endShadow(opened, path.endedAtMs)
  books.shadows.push(opened)
  context.wakeAt(shadowDueAtMs(opened))
}
