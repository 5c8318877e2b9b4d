/**
 * Computes the gaps in the trades of a mint from its facts. A gap tells how much is missing, and whether the
 * missing trades were read later.
 */
import type { TradeGap } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact, GapRepaired } from '../../../../schemas/chain-b/facts.ts'
import type { MintStory } from './stories.ts'

type Data<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>['data']

/** A story with all facts since its opening, including facts that were read late. */
type Told = Readonly<{ story: MintStory; facts: readonly ChainBFact[] }>

/**
 * Returns all versions of all gaps. `all` are the facts of the mint in the log. `stories` are the stories of
 * the mint, in order.
 */
export const tradeGapsOf = (all: readonly ChainBFact[], stories: readonly MintStory[]): readonly TradeGap[] =>
  stories.flatMap((story, index) => {
    const next = stories[index + 1]
    const end = next === undefined ? all.length : all.indexOf(next.opening)
    const isBeforeClose = ({ data }: ChainBFact) => data.blockAtMs <= (story.closedAtMs ?? Number.POSITIVE_INFINITY)
    const facts = all.slice(all.indexOf(story.opening) + 1, end).filter(isBeforeClose)
    return facts.flatMap((_, place) => versionsAt({ story, facts: facts.slice(0, place + 1) }).map(asSold(story)))
  })

const asSold =
  ({ opening }: MintStory) =>
  (gap: TradeGap): TradeGap =>
    opening.data.quoteMint === null ? gap : { ...gap, volumeRaw: null }

/** Returns the gaps that the last fact adds or changes. */
function versionsAt(told: Told): readonly TradeGap[] {
  const fact = told.facts.at(-1)
  if (fact?.type === 'GapFound') return [foundAt(told, fact.data)]
  if (fact?.type === 'GapRepaired') return repairedAt(told, fact.data)
  if (fact?.type === 'CurveMigrated') return beforeMigration(told, fact.data)
  return fact?.type === 'CurveTraded' ? lastTradeReadLate(told, fact.data) : []
}

const isLate = ({ data }: ChainBFact): boolean => 'lateAtMs' in data && data.lateAtMs !== null
const tradesIn = (facts: readonly ChainBFact[]) => facts.flatMap((fact) => (fact.type === 'CurveTraded' ? [fact] : []))
const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/**
 * Returns the time of the newest trade that was read in time. If there is none, returns the time of the
 * opening.
 */
const newestAtMs = ({ story, facts }: Told): number =>
  tradesIn(facts).findLast((fact) => !isLate(fact))?.data.blockAtMs ?? story.opening.data.blockAtMs

const before = ({ story, facts }: Told, count = 1): Told => ({ story, facts: facts.slice(0, facts.length - count) })

const openAt = ({ blockAtMs, txHash, logIndex }: ChainBFact['data'], fromAtMs: number): TradeGap => ({
  ...{ atMs: blockAtMs, txHash, logIndex, fromAtMs, toAtMs: blockAtMs },
  ...{ trades: null, volumeRaw: null, state: 'open', failure: null },
})

const foundAt = (told: Told, found: Data<'GapFound'>): TradeGap => ({
  ...openAt(found, newestAtMs(told)),
  volumeRaw: sizeOf(found.missingQuoteRaw),
})

/**
 * Returns the gaps that a `GapFound` fact showed and that no `GapRepaired` fact has ended, the oldest first.
 */
const openGapsOf = ({ story, facts }: Told): readonly TradeGap[] =>
  facts.flatMap(({ type, data }, index): readonly TradeGap[] => {
    if (type !== 'GapFound') return []
    const gap = foundAt({ story, facts: facts.slice(0, index) }, data)
    const isEnded = facts.slice(index).some((later) => later.type === 'GapRepaired' && isNamedBy(later.data, gap))
    return isEnded ? [] : [gap]
  })

const isNamedBy = ({ gapTxHash, gapLogIndex }: GapRepaired, { txHash, logIndex }: TradeGap): boolean =>
  txHash === gapTxHash && logIndex === gapLogIndex

function repairedAt(told: Told, repaired: GapRepaired): readonly TradeGap[] {
  const past = before(told)
  const { isWhole, failure } = repaired
  const late = lateTradesOf(past)
  const state = isWhole ? ({ state: 'late', failure: null } as const) : ({ state: 'given_up', failure } as const)
  if (repaired.gapTxHash !== null) {
    const gap = openGapsOf(past).find((open) => isNamedBy(repaired, open))
    return gap === undefined ? [] : [{ ...gap, ...(isWhole ? (late ?? nothing) : {}), ...state }]
  }
  if (isWhole) return late === null ? [] : [{ ...openAt(repaired, 0), ...late, ...state }]
  // The next trade may have shown this gap already. Then both gaps begin at the same time.
  return [{ ...openAt(repaired, openGapsOf(past).at(-1)?.fromAtMs ?? newestAtMs(past)), ...state }]
}

/** The sums of a gap whose late trades are already counted in another gap. */
const nothing = { trades: 0, volumeRaw: 0n }

/**
 * Returns the sums of the trades that were read late since the last repair. Null: there were no late trades.
 */
function lateTradesOf({ facts }: Told) {
  const since = facts.slice(facts.findLastIndex(({ type }) => type === 'GapRepaired') + 1)
  const trades = tradesIn(since).filter(isLate)
  if (trades.length === 0) return null
  const times = trades.map(({ data: { lateAtMs } }) => lateAtMs ?? Number.NaN)
  const volumeRaw = trades.reduce((total, { data }) => total + sizeOf(data.quoteRaw), 0n)
  return { fromAtMs: Math.min(...times), toAtMs: Math.max(...times), trades: trades.length, volumeRaw }
}

const sellsLast = ({ data }: Extract<ChainBFact, { type: 'CurveTraded' }>): boolean => data.realTokenRaw === 0n

/**
 * Returns the gap that a migration shows. A curve migrates after its last token is sold, so an unsold token
 * means a missing trade. This is not true in mayhem mode, whose agent leaves tokens.
 */
function beforeMigration(told: Told, migrated: Data<'CurveMigrated'>): readonly TradeGap[] {
  const { opening } = told.story
  const isSoldOut = opening.data.realTokenRaw === 0n || tradesIn(told.facts).some(sellsLast)
  if (migrated.lateAtMs !== null || opening.data.isMayhem || isSoldOut) return []
  return [openAt(migrated, newestAtMs(told))]
}

/**
 * Returns the gap before the migration, with the state `late`, if `trade` ends it. The first late trade after
 * the migration that sells the last token ends the gap.
 */
function lastTradeReadLate(told: Told, trade: Data<'CurveTraded'>): readonly TradeGap[] {
  if (trade.lateAtMs === null || trade.realTokenRaw !== 0n) return []
  const { story, facts } = before(told)
  const migrated = facts.findLastIndex(({ type, data }) => type === 'CurveMigrated' && data.lateAtMs === null)
  const fact = facts[migrated]
  if (fact?.type !== 'CurveMigrated' || tradesIn(facts.slice(migrated)).some((its) => isLate(its) && sellsLast(its)))
    return []
  const gaps = beforeMigration({ story, facts: facts.slice(0, migrated + 1) }, fact.data)
  return gaps.map((gap) => ({ ...gap, ...nothing, state: 'late' }))
}
