/** What is known at a cut: the facts of the log up to the last tick that was known by then, by mint. */
import type { ChainBRecord, CurveMigrated, CurveTraded, PoolTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import type { Hex } from '../../../../schemas/units.ts'

type LoggedRecord = Readonly<{ key: string; record: ChainBRecord }>
/** Each partition's records in their order. */
export type FactLog = readonly (readonly LoggedRecord[])[]

/** `order` numbers the facts of a mint, so that those of one slot can be told apart. */
type Placed<Data> = Data & Readonly<{ order: number }>
export type CurveTrade = Placed<CurveTraded>
type PoolTrade = Placed<PoolTraded>
type Answer = Extract<ChainBRecord, { type: 'HoldersAnswered' }>['data']
/** `tick`: the first one behind the answer. */
export type KnownAnswer = Readonly<{ answer: Answer; tick: Tick }>

/** How the mint came to be known: launched, or found while it was traded. */
type Origin = Readonly<{
  curve: Hex
  sinceMs: number
  launchAtMs: number | null
  supplyRaw: bigint | null
  /** Null: SOL. */
  quoteMint: Hex | null
  isMayhem: boolean
  /** Tokens for sale before the first trade that is known. */
  realTokenRaw: bigint
}>

/** All that happened to a mint, in order. */
export type MintStory = Readonly<{
  mint: string
  origin: Origin
  trades: readonly CurveTrade[]
  /** Where the curve was complete. */
  completion: Readonly<{ slot: number; atMs: number }> | null
  migration: Placed<CurveMigrated> | null
  poolTrades: readonly PoolTrade[]
  /** The first to each question. */
  answers: ReadonlyMap<string, KnownAnswer>
}>

/** `tick`: the last one; null: nothing is known yet. */
export type Known = Readonly<{
  cutAtMs: number
  tick: Tick | null
  ticks: readonly Tick[]
  stories: readonly MintStory[]
}>

export function knownAt(log: FactLog, cutAtMs: number): Known {
  const stories = new Map<string, MutableStory>()
  let ticks: readonly Tick[] = []
  for (const partition of log) ticks = readPartition(partition, cutAtMs, stories)
  return { cutAtMs, tick: ticks.at(-1) ?? null, ticks, stories: [...stories.values()] }
}

type MutableStory = {
  readonly mint: string
  readonly origin: Origin
  readonly trades: CurveTrade[]
  completion: MintStory['completion']
  migration: MintStory['migration']
  readonly poolTrades: PoolTrade[]
  readonly answers: Map<string, KnownAnswer>
}

/** Returns the ticks, which are the same in every partition. */
function readPartition(
  records: readonly LoggedRecord[],
  cutAtMs: number,
  stories: Map<string, MutableStory>,
): readonly Tick[] {
  const ticks: Tick[] = []
  let open: LoggedRecord[] = []
  for (const [order, { key, record }] of records.entries()) {
    if (record.type !== 'Tick') {
      open.push({ key, record })
      continue
    }
    if (record.data.knownAtMs > cutAtMs) break
    ticks.push(record.data)
    for (const [index, one] of open.entries())
      tell(stories, one, { order: order - open.length + index, tick: record.data })
    open = []
  }
  return ticks
}

type Standing = Readonly<{ order: number; tick: Tick }>

/** A late fact counts nowhere, and nothing does of a mint that is not tracked yet or no more. */
function tell(stories: Map<string, MutableStory>, { key, record }: LoggedRecord, { order, tick }: Standing): void {
  if ('lateSlot' in record.data && record.data.lateSlot !== null) return
  const story = stories.get(key) ?? beginStory(key, record)
  if (story === null) return
  stories.set(key, story)
  if ('blockAtMs' in record.data) {
    if (isClosed(story, record.data.blockAtMs)) return
    if (completes(record)) story.completion ??= { slot: record.data.blockNumber, atMs: record.data.blockAtMs }
  }
  if (record.type === 'CurveTraded') story.trades.push({ ...record.data, order })
  if (record.type === 'CurveMigrated') story.migration = { ...record.data, order }
  if (record.type === 'PoolTraded' && story.migration !== null && !record.data.isBeforeMigration)
    story.poolTrades.push({ ...record.data, order })
  if (record.type === 'HoldersAnswered' && !story.answers.has(record.data.questionId))
    story.answers.set(record.data.questionId, { answer: record.data, tick })
}

function beginStory(mint: string, { type, data }: ChainBRecord): MutableStory | null {
  if (type !== 'CurveLaunched' && type !== 'CurveFound') return null
  const { curve, supplyRaw, realTokenRaw, quoteMint, isMayhem, blockAtMs } = data
  const launchAtMs = type === 'CurveLaunched' ? blockAtMs : data.launchAtMs
  const origin = { curve, supplyRaw, realTokenRaw, quoteMint, isMayhem, launchAtMs, sinceMs: blockAtMs }
  return { mint, origin, trades: [], completion: null, migration: null, poolTrades: [], answers: new Map() }
}

/** Graduated mints are followed for so long. */
export const followedMs = 65 * 60_000

const isClosed = ({ completion }: MutableStory, atMs: number): boolean =>
  completion !== null && atMs > completion.atMs + followedMs

const completes = ({ type, data }: ChainBRecord): boolean =>
  type === 'CurveCompleted' || type === 'CurveMigrated' || (type === 'CurveTraded' && data.realTokenRaw === 0n)

/** When a slot was known. */
export const tickOfSlot = ({ ticks }: Known, slot: number): Tick | null =>
  ticks.find(({ blockNumber }) => blockNumber >= slot) ?? null

/** When block time was known to be later than this. */
export const tickAfter = ({ ticks }: Known, atMs: number): Tick | null =>
  ticks.find(({ blockAtMs }) => blockAtMs > atMs) ?? null
