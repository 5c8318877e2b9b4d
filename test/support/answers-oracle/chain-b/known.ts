/** What is known at a cut: the facts of the log up to the last tick that was known by then, by mint. */
import type { ChainBRecord, CurveMigrated, CurveTraded, PoolTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Tick } from '../../../../schemas/tick.ts'

export type LoggedRecord = Readonly<{ key: string; record: ChainBRecord }>
/** Each partition's records in their order. */
export type FactLog = readonly (readonly LoggedRecord[])[]

/** `order` numbers the facts of a mint, so that those of one slot can be told apart. */
type Placed<Data> = Data & Readonly<{ order: number }>
export type CurveTrade = Placed<CurveTraded>
export type PoolTrade = Placed<PoolTraded>
type Launch = Extract<ChainBRecord, { type: 'CurveLaunched' }>['data']
type Answer = Extract<ChainBRecord, { type: 'HoldersAnswered' }>['data']
/** `tick`: the first one behind the answer. */
export type KnownAnswer = Readonly<{ answer: Answer; tick: Tick }>

/** All that happened to a mint, in order. */
export type MintStory = Readonly<{
  mint: string
  launch: Placed<Launch> | null
  trades: readonly CurveTrade[]
  /** Where the curve was complete. */
  completion: Readonly<{ slot: number; atMs: number }> | null
  migration: Placed<CurveMigrated> | null
  poolTrades: readonly PoolTrade[]
  /** The first to each question. */
  answers: ReadonlyMap<string, KnownAnswer>
}>

export type Known = Readonly<{ ticks: readonly Tick[]; stories: readonly MintStory[] }>

export function knownAt(log: FactLog, cutAtMs: number): Known {
  const stories = new Map<string, MutableStory>()
  let ticks: readonly Tick[] = []
  for (const partition of log) ticks = readPartition(partition, cutAtMs, stories)
  return { ticks, stories: [...stories.values()] }
}

type MutableStory = {
  mint: string
  launch: MintStory['launch']
  trades: CurveTrade[]
  completion: MintStory['completion']
  migration: MintStory['migration']
  poolTrades: PoolTrade[]
  answers: Map<string, KnownAnswer>
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
      tell(storyOf(stories, one.key), one.record, { order: order - open.length + index, tick: record.data })
    open = []
  }
  return ticks
}

function storyOf(stories: Map<string, MutableStory>, mint: string): MutableStory {
  const nothing = { launch: null, trades: [], completion: null, migration: null, poolTrades: [], answers: new Map() }
  const story = stories.get(mint) ?? { mint, ...nothing }
  stories.set(mint, story)
  return story
}

/** A late fact counts nowhere. */
function tell(story: MutableStory, record: ChainBRecord, { order, tick }: Readonly<{ order: number; tick: Tick }>) {
  if ('lateSlot' in record.data && record.data.lateSlot !== null) return
  if (record.type === 'CurveLaunched') story.launch = { ...record.data, order }
  if (record.type === 'CurveTraded') story.trades.push({ ...record.data, order })
  if (record.type === 'CurveMigrated') story.migration = { ...record.data, order }
  if (record.type === 'PoolTraded' && story.migration !== null && !record.data.isBeforeMigration)
    story.poolTrades.push({ ...record.data, order })
  if (record.type === 'HoldersAnswered' && !story.answers.has(record.data.questionId))
    story.answers.set(record.data.questionId, { answer: record.data, tick })
  const isComplete =
    record.type === 'CurveCompleted' ||
    record.type === 'CurveMigrated' ||
    (record.type === 'CurveTraded' && record.data.realTokenRaw === 0n)
  if (isComplete) story.completion ??= { slot: record.data.blockNumber, atMs: record.data.blockAtMs }
}

/** When a slot was known. */
export const tickOfSlot = ({ ticks }: Known, slot: number): Tick | null =>
  ticks.find(({ blockNumber }) => blockNumber >= slot) ?? null

/** When block time was known to be later than this. */
export const tickAfter = ({ ticks }: Known, atMs: number): Tick | null =>
  ticks.find(({ blockAtMs }) => blockAtMs > atMs) ?? null
