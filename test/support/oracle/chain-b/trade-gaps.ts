/** The gaps in the trades of a mint, from its facts: what is missing, and whether it was read later. */
import type { TradeGap } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact, GapRepaired } from '../../../../schemas/chain-b/facts.ts'
import type { MintStory } from './stories.ts'

type Data<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>['data']

/** All facts since the opening, also late ones. */
type Told = Readonly<{ story: MintStory; facts: readonly ChainBFact[] }>

/** `all` are the facts of the mint in the log. `stories` are its stories, in order. */
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

/** The gaps that the last fact adds or changes. */
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

/** The time of the newest trade that was read in time, or of the opening. */
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

/** The gaps before trades that no repair has ended, oldest first. */
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
  // The gap before the next trade may already be found. Both gaps begin at the same time.
  return [{ ...openAt(repaired, openGapsOf(past).at(-1)?.fromAtMs ?? newestAtMs(past)), ...state }]
}

/** Another gap already has the late trades. */
const nothing = { trades: 0, volumeRaw: 0n }

/** The sums of the trades that were read late since the last repair. Null: there were none. */
function lateTradesOf({ facts }: Told) {
  const since = facts.slice(facts.findLastIndex(({ type }) => type === 'GapRepaired') + 1)
  const trades = tradesIn(since).filter(isLate)
  if (trades.length === 0) return null
  const times = trades.map(({ data: { lateAtMs } }) => lateAtMs ?? Number.NaN)
  const volumeRaw = trades.reduce((total, { data }) => total + sizeOf(data.quoteRaw), 0n)
  return { fromAtMs: Math.min(...times), toAtMs: Math.max(...times), trades: trades.length, volumeRaw }
}

const sellsLast = ({ data }: Extract<ChainBFact, { type: 'CurveTraded' }>): boolean => data.realTokenRaw === 0n

/** A curve migrates after its last token is sold. The agent of mayhem mode leaves tokens. */
function beforeMigration(told: Told, migrated: Data<'CurveMigrated'>): readonly TradeGap[] {
  const { opening } = told.story
  const isSoldOut = opening.data.realTokenRaw === 0n || tradesIn(told.facts).some(sellsLast)
  if (migrated.lateAtMs !== null || opening.data.isMayhem || isSoldOut) return []
  return [openAt(migrated, newestAtMs(told))]
}

/** The first late trade after a migration that sells the last token ends the gap before the migration. */
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
