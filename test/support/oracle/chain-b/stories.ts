/**
 * Reads the facts that the service knew at a given time, up to the last tick (the record that closes a time
 * step). The facts are split into stories. A story is one period in which the service tracks one mint.
 */
import {
  type ChainBFact,
  type ChainBRecord,
  type CurveMigrated,
  type CurveTraded,
  isAnswer,
  type PoolTraded,
} from '../../../../schemas/chain-b/facts.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import { type Rules, rules as rulesAsTheyAre } from './rules.ts'

export type LoggedRecord = Readonly<{ key: string; record: ChainBRecord }>
/** The records of each partition, in order. */
export type FactLog = readonly (readonly LoggedRecord[])[]

type FactOf<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>
type Answer = Extract<ChainBRecord, { type: 'HoldersAnswered' }>['data']
/** An answer with the first tick after it. */
export type KnownAnswer = Readonly<{ answer: Answer; tick: Tick }>

/**
 * The facts of a mint from its opening until the service stops tracking the mint or finds it again. At or
 * after `untilMs`, no records are derived.
 */
export type MintStory = Readonly<{
  mint: string
  opening: FactOf<'CurveLaunched' | 'CurveFound'>
  launchAtMs: number | null
  /** The facts in order, without facts that were read late. */
  facts: readonly ChainBFact[]
  trades: readonly CurveTraded[]
  /** When the curve was complete. */
  completion: Readonly<{ slot: number; atMs: number }> | null
  migration: CurveMigrated | null
  poolTrades: readonly PoolTraded[]
  /** The first answer to each request for the holders, by the id of the request. */
  answers: ReadonlyMap<string, KnownAnswer>
  /**
   * The time at which the service stopped tracking the mint. Null: the mint was found again before that, or
   * the log ended.
   */
  closedAtMs: number | null
  untilMs: number
}>

/** What the service knew at the time `cutAtMs`. `tick` is the last known tick, or null if there was none. */
export type Known = Readonly<{
  cutAtMs: number
  tick: Tick | null
  ticks: readonly Tick[]
  stories: readonly MintStory[]
}>

export function knownAt(log: FactLog, cutAtMs: number, rules: Rules = rulesAsTheyAre): Known {
  const parts = log.map((records) => {
    const isLater = ({ record }: LoggedRecord) => record.type === 'Tick' && record.data.knownAtMs > cutAtMs
    const end = records.findIndex(isLater)
    const its = end === -1 ? records : records.slice(0, end)
    return its.slice(0, its.findLastIndex(({ record }) => record.type === 'Tick') + 1)
  })
  // All partitions have the same ticks, so those of the last partition are enough.
  const ticks = (parts.at(-1) ?? []).flatMap(({ record }) => (record.type === 'Tick' ? [record.data] : []))
  return { cutAtMs, tick: ticks.at(-1) ?? null, ticks, stories: parts.flatMap((part) => storiesIn(part, rules)) }
}

/** Returns the stories in the records of one partition. */
export function storiesIn(records: readonly LoggedRecord[], rules: Rules): readonly MintStory[] {
  const facts = new Map<string, ChainBFact[]>()
  const answers = new Map<string, KnownAnswer[]>()
  let open: Readonly<{ key: string; answer: Answer }>[] = []
  let endMs = 0
  for (const { key, record } of records) {
    if (record.type === 'Tick') {
      for (const { key: mint, answer } of open) listIn(answers, mint).push({ answer, tick: record.data })
      open = []
      endMs = record.data.blockAtMs
    } else if (record.type === 'HoldersAnswered') open.push({ key, answer: record.data })
    else if (!isAnswer(record)) listIn(facts, key).push(record)
  }
  return [...facts].flatMap(([mint, its]) =>
    storiesOf({ mint, facts: its, endMs, answers: answers.get(mint) ?? [] }, rules),
  )
}

function listIn<Value>(lists: Map<string, Value[]>, name: string): Value[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}

type Mint = Readonly<{ mint: string; facts: readonly ChainBFact[]; endMs: number; answers: readonly KnownAnswer[] }>

const isLate = ({ data }: ChainBFact): boolean => 'lateAtMs' in data && data.lateAtMs !== null

function storiesOf(mint: Mint, rules: Rules): readonly MintStory[] {
  const facts = mint.facts.filter((fact) => rules.lateFactsCount || !isLate(fact))
  const stories: MintStory[] = []
  let from = 0
  while (from < facts.length) {
    const opening = facts[from]
    if (opening?.type !== 'CurveLaunched' && opening?.type !== 'CurveFound') from += 1
    else {
      const { its, closeAtMs, next } = tracked(facts, from, rules)
      const after = facts[next]
      const again = after !== undefined && after.data.blockAtMs <= closeAtMs ? after.data : null
      stories.push(storyOf({ mint, opening, its, closeAtMs, again }))
      from = next
    }
  }
  return stories
}

/**
 * Returns the facts until the service stops tracking the mint or finds it again, and the index of the next
 * fact.
 */
function tracked(facts: readonly ChainBFact[], from: number, rules: Rules) {
  const its: ChainBFact[] = []
  let closeAtMs = Number.POSITIVE_INFINITY
  let isComplete = false
  let next = from
  for (; next < facts.length; next++) {
    const fact = facts[next] as ChainBFact
    const { blockAtMs } = fact.data
    if (blockAtMs > closeAtMs || (next > from && fact.type === 'CurveFound')) break
    its.push(fact)
    const isAboutGaps = fact.type === 'GapFound' || fact.type === 'GapRepaired'
    if (isComplete || isAboutGaps) continue
    isComplete = completes(fact)
    closeAtMs = blockAtMs + (isComplete ? rules.graduatedLifeMs : rules.idleLifeMs)
  }
  return { its, closeAtMs, next }
}

const completes = ({ type, data }: ChainBFact): boolean =>
  type === 'CurveCompleted' || type === 'CurveMigrated' || (type === 'CurveTraded' && data.realTokenRaw <= 0n)

type Tracked = Readonly<{
  mint: Mint
  opening: MintStory['opening']
  its: readonly ChainBFact[]
  closeAtMs: number
  /** The find that ends this story. */
  again: ChainBFact['data'] | null
}>

function storyOf({ mint: { mint, endMs, answers }, opening, its, closeAtMs, again }: Tracked): MintStory {
  const facts = its.filter(({ data }) => again === null || data.blockNumber < again.blockNumber)
  const completion = facts.find(completes)?.data
  const migrated = facts.findIndex(({ type }) => type === 'CurveMigrated')
  const behind = migrated === -1 ? [] : facts.slice(migrated)
  const isInStory = ({ tick }: KnownAnswer): boolean =>
    again === null ? tick.blockAtMs <= closeAtMs : tick.blockNumber < again.blockNumber
  return {
    mint,
    opening,
    launchAtMs: opening.type === 'CurveLaunched' ? opening.data.blockAtMs : opening.data.launchAtMs,
    facts,
    trades: facts.flatMap(({ type, data }) => (type === 'CurveTraded' ? [data] : [])),
    completion: completion === undefined ? null : { atMs: completion.blockAtMs, slot: completion.blockNumber },
    migration: behind.flatMap(({ type, data }) => (type === 'CurveMigrated' ? [data] : []))[0] ?? null,
    poolTrades: behind.flatMap(({ type, data }) => (type === 'PoolTraded' && !data.isBeforeMigration ? [data] : [])),
    answers: new Map(
      answers
        .filter(isInStory)
        .toReversed()
        .map((its) => [its.answer.questionId, its]),
    ),
    closedAtMs: again === null && closeAtMs < endMs ? closeAtMs : null,
    untilMs: Math.min(closeAtMs, again?.blockAtMs ?? endMs, endMs),
  }
}

/** Returns the tick with which a slot became known. */
export const tickOfSlot = ({ ticks }: Known, slot: number): Tick | null =>
  ticks.find(({ blockNumber }) => blockNumber >= slot) ?? null

/** Returns the first tick with a block time after `atMs`. */
export const tickAfter = ({ ticks }: Known, atMs: number): Tick | null =>
  ticks.find(({ blockAtMs }) => blockAtMs > atMs) ?? null
