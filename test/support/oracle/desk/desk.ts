/**
 * Computes the trades of the desk (simulated trading) in a token a second time, from `schemas/desk/rules.ts`.
 * Each position is found separately, by a search of all price changes and without any state. A token has one
 * `Story` for each of its markets (pools and curves).
 */
import { type Band, type Desk, deskRules, type Lane } from '../../../../schemas/desk/rules.ts'

/** The market after a trade or a pull (removal of liquidity). `left` is the share of liquidity that is left. */
export type Told = Readonly<{ atMs: number; px: number; left: number }>

/**
 * The time at which the service knew an event, and the newest block time then. If absent, the service knew
 * the event at once.
 */
export type Learned = Readonly<{ knownAtMs: number; blockAtMs: number }>

type Burst = Readonly<{
  learned?: Learned
  atMs: number
  tier: string | null
  shape: string | null
  fill: number | null
}>
type Post = Readonly<{ learned?: Learned; atMs: number; chat: string }>

/** The numbers that are the same for all lanes. A lane is one trading rule of the desk. */
export type Numbers = typeof deskRules
const numbersOf = ({ numbers = deskRules }: Pick<Story, 'numbers'>): Numbers => numbers

export type Story = Readonly<{
  desk: Desk
  /** The shared numbers. By default, they are those of the service. */
  numbers?: Numbers
  token: string
  source: 'curve' | 'pool'
  /** Null: the time is not known. */
  openedAtMs: number | null
  moves: readonly Told[]
  fillAt?: (atMs: number) => number
  graduatedAtMs: number | null
  closedAtMs: number | null
  bursts: readonly Burst[]
  /** The posts of kind `call` that were read in time. */
  posts: readonly Post[]
  endMs: number
  /** Returns true if this is the deepest market at `atMs`. Absent: there is no other market. */
  isFilledHere?: (atMs: number) => boolean
  /**
   * Returns the time at which the liquidity of a call's market was pulled before the desk bought, or null.
   * The call's market is the market that was deepest when the desk accepted the call. If this function is
   * absent, the market of the story is meant.
   */
  callPulledAtMs?: (call: Readonly<{ atMs: number; takenAtMs: number; dueAtMs: number }>) => number | null
}>

export type Position = Readonly<{
  lane: string
  book: string | null
  signalAtMs: number | null
  openedAtMs: number
  closedAtMs: number
  ret: number
  peakRet: number
  exit: string
}>

const minuteMs = 60_000

const lastAt = ({ moves }: Story, atMs: number): Told | undefined => moves.filter((move) => move.atMs <= atMs).at(-1)

const endOf = ({ graduatedAtMs, closedAtMs }: Story): number =>
  Math.min(graduatedAtMs ?? Number.POSITIVE_INFINITY, closedAtMs ?? Number.POSITIVE_INFINITY)

/** Returns the reason and the price of an exit after a price change. Null: the position stays open. */
function exitAt(
  { exit, rugLeftMax }: Lane & Readonly<{ rugLeftMax: number }>,
  entry: Told,
  { high, ...move }: Told & { high: number },
): readonly [why: string, px: number] | null {
  if (move.left / entry.left <= rugLeftMax + 1e-12) return ['rug', 0]
  if (move.px <= exit.stopRatio * entry.px) return ['stop', move.px]
  if (high >= exit.trailFromRatio * entry.px && move.px <= exit.trailRatio * high) return ['trail', move.px]
  return move.px >= exit.takeProfitRatio * entry.px ? ['take_profit', move.px] : null
}

function positionFrom(story: Story, lane: Lane, openedAtMs: number): Omit<Position, 'signalAtMs' | 'book'> | null {
  const entry = lastAt(story, openedAtMs)
  if (entry === undefined || endOf(story) <= openedAtMs || !(entry.left > 0 && entry.px > 0)) return null
  const bounded = { ...lane, rugLeftMax: numbersOf(story).rugLeftRatioMax }
  const outAtMs = openedAtMs + lane.exit.timeMs
  const untilMs = Math.min(outAtMs, endOf(story))
  const path = story.moves.filter(({ atMs }) => atMs > openedAtMs && atMs <= untilMs)
  const highAt = (index: number) => Math.max(entry.px, ...path.slice(0, index + 1).map(({ px }) => px))
  const exits = path.map((move, index) => exitAt(bounded, entry, { ...move, high: highAt(index) }))
  const at = exits.findIndex((exit) => exit !== null)
  const [why, px] = exits[at] ?? [endOf(story) === story.graduatedAtMs && untilMs < outAtMs ? 'graduated' : 'time']
  const high = highAt(why === 'rug' ? at - 1 : at === -1 ? path.length : at)
  const of = (price: number) => price / entry.px - 1 - story.desk.costRatio
  return {
    ...{ lane: lane.name, openedAtMs, closedAtMs: path[at]?.atMs ?? untilMs },
    ...{ ret: of(px ?? path.at(-1)?.px ?? entry.px), peakRet: of(high), exit: why },
  }
}

/**
 * A signal to buy. The desk accepts it at `takenAtMs` and buys at `dueAtMs`. `dueAtMs` is null if the service
 * knew the signal too late.
 */
type Signal = Readonly<{
  atMs: number
  takenAtMs: number
  dueAtMs: number | null
  lanes: readonly Lane[]
  kind: 'burst' | 'call'
  isFirst: boolean
}>

const dueOf = (
  { knownWithinMs, fillDelayMs }: Numbers,
  atMs: number,
  { knownAtMs, blockAtMs }: Learned = { knownAtMs: atMs, blockAtMs: atMs },
): number | null => (knownAtMs - atMs > knownWithinMs ? null : Math.max(atMs, knownAtMs, blockAtMs) + fillDelayMs)

function burstSignals(story: Story): readonly Signal[] {
  const { desk, bursts } = story
  return bursts.map(({ atMs, tier, shape, fill, learned }) => ({
    ...{ atMs, takenAtMs: atMs, dueAtMs: dueOf(numbersOf(story), atMs, learned), kind: 'burst', isFirst: true },
    lanes: desk.lanes.filter(
      ({ entry }) =>
        entry.signal === 'burst' &&
        (entry.tiers === null || entry.tiers.some((one) => one === tier)) &&
        (entry.shapes === null || entry.shapes.some((one) => one === shape)) &&
        (entry.fillMax === null || (fill !== null && fill <= entry.fillMax)),
    ),
  }))
}

function callSignals(story: Story): readonly Signal[] {
  const { desk, posts, isFilledHere = () => true } = story
  const signals: Signal[] = []
  let first = Number.NEGATIVE_INFINITY
  let chats = new Set<string>()
  for (const { atMs, chat, learned } of posts) {
    if (atMs >= first + 48 * 60 * minuteMs) {
      first = atMs
      chats = new Set()
    } else if (chats.has(chat) || atMs > first + numbersOf(story).callWindowMs) continue
    chats.add(chat)
    const lanes = desk.lanes.filter(({ entry }) => entry.signal === 'call' && entry.chats === chats.size)
    const dueAtMs = dueOf(numbersOf(story), atMs, learned)
    const times = { atMs, takenAtMs: learned?.blockAtMs ?? atMs }
    const isHere = dueAtMs !== null && isFilledHere(dueAtMs)
    signals.push({ ...times, dueAtMs: isHere ? dueAtMs : null, lanes, kind: 'call', isFirst: chats.size === 1 })
  }
  return signals
}

/**
 * Returns the time at which the market was pulled, after `fromMs` and up to `untilMs`. If the market had no
 * liquidity at `fromMs`, returns `fromMs`. Liquidity that is added again later does not count. Null: the
 * market was not pulled.
 */
export function pulledAtMs(story: Story, fromMs: number, untilMs: number): number | null {
  const before = lastAt(story, fromMs)
  if (before === undefined) return null
  if (!(before.left > 0)) return fromMs
  const after = story.moves.filter(({ atMs }) => atMs > fromMs && atMs <= untilMs)
  const pull = after.find(({ left }) => left / before.left <= numbersOf(story).rugLeftRatioMax + 1e-12)
  return pull?.atMs ?? null
}

/** Returns the time at which a pull cancels the signal before its fill. Null: no pull cancels it. */
function droppedAtMs(story: Story, { kind, atMs, takenAtMs }: Signal, dueAtMs: number): number | null {
  if (kind === 'call' && story.callPulledAtMs) return story.callPulledAtMs({ atMs, takenAtMs, dueAtMs })
  return pulledAtMs(story, atMs, dueAtMs)
}

/** Returns the trades in all markets of a token. A lane (one trading rule) has at most one open position. */
export function tradesOf(...stories: readonly Story[]): readonly Position[] {
  const trades: Position[] = []
  const busy = new Map<string, IsBusy>()
  const signals = stories
    .flatMap((story) => [...burstSignals(story), ...callSignals(story)].map((signal) => ({ story, signal })))
    .sort((one, other) => one.signal.takenAtMs - other.signal.takenAtMs)
  for (const { story, signal } of signals)
    for (const lane of signal.lanes) {
      const { dueAtMs, takenAtMs, atMs: signalAtMs } = signal
      if (dueAtMs === null || busy.get(lane.name)?.(takenAtMs)) continue
      const droppedMs = droppedAtMs(story, signal, dueAtMs)
      const positions = droppedMs === null ? [positionFrom(story, lane, dueAtMs)].filter(isPosition) : []
      busy.set(lane.name, positions.map(holding)[0] ?? busyUntil(droppedMs, dueAtMs))
      trades.push(...positions.map((position) => ({ ...position, book: lane.book, signalAtMs })))
    }
  return trades.filter(({ closedAtMs }) => closedAtMs < endOfLog(stories))
}

const isPosition = <Its>(position: Its | null): position is Its => position !== null

/** Returns true if a lane has a position or a pending fill at `atMs`. */
type IsBusy = (atMs: number) => boolean

const busyUntil =
  (droppedMs: number | null, dueAtMs: number): IsBusy =>
  (atMs) =>
    droppedMs === null ? atMs <= dueAtMs : atMs < droppedMs

/**
 * Returns a function that tells whether a position is held at a given time. With exit `time`, the position is
 * still held at `closedAtMs`.
 */
const holding =
  ({ exit, closedAtMs }: Pick<Position, 'exit' | 'closedAtMs'>): IsBusy =>
  (atMs) =>
    exit === 'time' ? atMs <= closedAtMs : atMs < closedAtMs

const endOfLog = (stories: readonly Story[]): number => Math.max(...stories.map(({ endMs }) => endMs))

/**
 * Computes the second of a slot at which a twin (a random trade for comparison) may open, with the FNV-1a
 * hash.
 */
function secondOf(token: string, slot: number, twinSlotMs: number): number {
  let hash = 2_166_136_261n
  for (const byte of Buffer.from(`${token}:${slot}`)) hash = ((hash ^ BigInt(byte)) * 16_777_619n) % 2n ** 32n
  return Number(hash % BigInt(twinSlotMs / 1000))
}

function isIn(story: Story, { source, ageMs, fill }: Band, atMs: number): boolean {
  const within = (range: readonly [number, number], value: number) => range[0] <= value && value <= range[1]
  if (source !== null && source !== story.source) return false
  if (ageMs !== null && (story.openedAtMs === null || !within(ageMs, atMs - story.openedAtMs))) return false
  return fill === null || (story.fillAt !== undefined && within(fill, story.fillAt(atMs)))
}

/** Returns the twins: random trades for comparison, on the deepest market of the token. */
export function twinsOf(...stories: readonly Story[]): readonly Position[] {
  const [{ desk, token, ...shared }] = stories as readonly [Story, ...Story[]]
  const { twinSlotMs } = numbersOf(shared)
  const twins: Position[] = []
  const firstMs = Math.min(...stories.flatMap(({ moves: [first] }) => first?.atMs ?? []))
  // All lanes open their twins at the same times.
  const times: { atMs: number; deepest: Story | undefined }[] = []
  for (let slot = Math.floor(firstMs / twinSlotMs); slot * twinSlotMs < endOfLog(stories); slot++) {
    const atMs = slot * twinSlotMs + 1000 * secondOf(token, slot, twinSlotMs)
    times.push({ atMs, deepest: stories.find(({ isFilledHere = () => true }) => isFilledHere(atMs)) })
  }
  for (const lane of desk.lanes) {
    let freeFromMs = Number.NEGATIVE_INFINITY
    for (const { atMs, deepest } of times) {
      const position = deepest === undefined || atMs < freeFromMs ? null : twinAt(deepest, lane, atMs)
      if (position === null) continue
      freeFromMs = position.closedAtMs
      twins.push({ ...position, book: null, signalAtMs: null })
    }
  }
  return twins.filter(({ closedAtMs }) => closedAtMs < endOfLog(stories))
}

function twinAt(story: Story, lane: Lane, atMs: number): ReturnType<typeof positionFrom> {
  const moved = lastAt(story, atMs)
  if (moved === undefined || moved.atMs < atMs - numbersOf(story).twinIdleMs) return null
  return 'sameAs' in lane.twins || !isIn(story, lane.twins, atMs) ? null : positionFrom(story, lane, atMs)
}

export type Shadowed = Readonly<{
  signal: string
  signalAtMs: number
  anchorAtMs: number
  returns: readonly (number | null)[]
  mfe: number
  mae: number
}>

export function shadowsOf(story: Story): readonly Shadowed[] {
  const seen = new Set<string>()
  const { rugLeftRatioMax, shadowMs } = numbersOf(story)
  return [...burstSignals(story), ...callSignals(story)].flatMap((signal) => {
    const { atMs, dueAtMs: anchorAtMs, kind, isFirst } = signal
    if (anchorAtMs === null) return []
    const anchor = lastAt(story, anchorAtMs)
    const name = `${kind} ${atMs}`
    if (!isFirst || seen.has(name) || anchor === undefined || endOf(story) <= anchorAtMs) return []
    if (!(anchor.left > 0 && anchor.px > 0) || droppedAtMs(story, signal, anchorAtMs) !== null) return []
    if (anchorAtMs + shadowMs >= story.endMs) return []
    seen.add(name)
    const rugged = story.moves.find(
      (move) => move.atMs > anchorAtMs && move.left / anchor.left <= rugLeftRatioMax + 1e-12,
    )
    const pxAt = (until: number) => {
      if (rugged !== undefined && rugged.atMs <= until) return 0
      return lastAt(story, until)?.px ?? anchor.px
    }
    const returns = [1, 5, 15, 60].map((minutes) => {
      const markAtMs = anchorAtMs + minutes * minuteMs
      return endOf(story) <= markAtMs ? null : pxAt(markAtMs) / anchor.px - 1
    })
    const path = story.moves
      .filter((move) => move.atMs > anchorAtMs && move.atMs <= Math.min(anchorAtMs + shadowMs, endOf(story)))
      .map((move) => (rugged !== undefined && story.moves.indexOf(move) >= story.moves.indexOf(rugged) ? 0 : move.px))
    const all = [anchor.px, ...path].map((px) => px / anchor.px - 1)
    return [{ signal: kind, signalAtMs: atMs, anchorAtMs, returns, mfe: Math.max(...all), mae: Math.min(...all) }]
  })
}
