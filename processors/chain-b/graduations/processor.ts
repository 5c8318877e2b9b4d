import assert from 'node:assert/strict'
import type { Burst, Graduation } from '../../../schemas/chain-b/derived.ts'
import type { ChainBFact, PoolTraded } from '../../../schemas/chain-b/facts.ts'
import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { noItems } from '../../lean-list.ts'
import { completes, isLate, launchOf, type Opening, opens } from '../mints/mint.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { addToHistory, type FillHistory, historyOf, pathOf, trimHistory } from './path.ts'
import { addReturn, followPost, isPostWhole, openPost, type Post, postMs } from './post.ts'

type Followed = {
  readonly launchAtMs: EpochMs | null
  /** The fill of the curve over time. Null after the graduation (completion) of the curve. */
  history: FillHistory | null
  /**
   * The two newest bursts of the token, newest first. If the newest burst has the time of the graduation, the
   * record uses the other one.
   */
  bursts: readonly NonNullable<Graduation['burst']>[]
  /**
   * The raw tokens that the curve has left after the last trade of the current slot. Null: the slot has no
   * trade.
   */
  leftInSlotRaw: number | null
  gradAtMs: EpochMs | null
  post: Post | null
  /** The last pool trade of the current slot. It may be a view of the bytes of a log record. */
  slotPoolTrade: PoolTraded | null
}

type GraduationsState = { followed: Followed | null }

/**
 * Creates the processor that publishes the graduation (completion) of a token's curve at the end of its slot,
 * and later the returns of the token in its pool.
 */
export const createGraduations = (rules: ChainBNumbers['graduations']): ChainBProcessor<GraduationsState> => ({
  name: 'graduations',
  initialState: () => ({ followed: null }),
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded'],
  readsDerived: ['MintClosed', 'Burst'],
  onFact(state, fact) {
    if (opens(fact, state.followed !== null)) state.followed = followedOf(fact)
    else if (state.followed !== null && fact.type === 'PoolTraded') followPool(state.followed, fact.data)
    else if (state.followed !== null) followCurve(state.followed, fact)
  },
  onDerived(state, record) {
    if (record.type === 'MintClosed') state.followed = null
    if (record.type === 'Burst' && state.followed !== null) addBurst(state.followed, record.data)
  },
  onBlockEnd({ followed }, slot, context) {
    if (followed !== null) endSlot(followed, slot, { rules, context })
  },
  onWake({ followed }, dueAtMs, context) {
    if (followed?.post && addReturn(followed.post, dueAtMs)) publishPost(followed, context)
  },
  trim({ followed }, atMs) {
    if (followed !== null && followed.history !== null) trimHistory(followed.history, atMs, rules)
  },
  isEmpty: (state) => state.followed === null,
})

export const graduations = createGraduations(chainBNumbers.graduations)

type RuleContext = Readonly<{ rules: ChainBNumbers['graduations']; context: ChainBContext }>

const followedOf = (opening: Opening): Followed => ({
  launchAtMs: launchOf(opening).launchAtMs,
  history: historyOf(opening),
  bursts: noItems,
  leftInSlotRaw: null,
  gradAtMs: null,
  post: null,
  slotPoolTrade: null,
})

function addBurst(followed: Followed, { atMs, inflowLamports, fillAt }: Burst): void {
  followed.bursts = [{ atMs, inflowLamports, fillAt }, ...followed.bursts.slice(0, 1)]
}

function followCurve(followed: Followed, fact: ChainBFact): void {
  if (followed.gradAtMs === null && completes(fact)) followed.gradAtMs = fact.data.blockAtMs
  if (fact.type === 'CurveTraded' && !isLate(fact.data)) followed.leftInSlotRaw = Number(fact.data.realTokenRaw)
  if (fact.type === 'CurveMigrated' && !isLate(fact.data)) followed.post ??= openPost(fact.data)
}

/**
 * Takes in a trade in the pool. A trade with `isBeforeMigration` is ignored. It is the rest of a purchase
 * that completed the curve.
 */
function followPool(followed: Followed, trade: PoolTraded): void {
  const { post } = followed
  if (post !== null && !isPostWhole(post) && !isLate(trade) && !trade.isBeforeMigration) followed.slotPoolTrade = trade
}

function endSlot(followed: Followed, slot: Block, { rules, context }: RuleContext): void {
  const { gradAtMs, history, post, leftInSlotRaw, slotPoolTrade } = followed
  if (post !== null && slotPoolTrade !== null) followPost(post, slotPoolTrade)
  followed.slotPoolTrade = null
  followed.leftInSlotRaw = null
  if (history !== null && leftInSlotRaw !== null)
    addToHistory(history, { atMs: slot.atMs, leftRaw: leftInSlotRaw }, rules)
  if (history !== null && gradAtMs !== null) {
    followed.history = null
    const burst = followed.bursts.find(({ atMs }) => atMs < gradAtMs) ?? null
    const { launchAtMs } = followed
    const path = pathOf(history, gradAtMs, rules)
    context.emit({ type: 'Graduation', data: { gradAtMs, slot: slot.number, launchAtMs, path, burst } })
  }
  if (post !== null && !post.isPublished) openPool(followed, post, context)
}

function openPool(followed: Followed, post: Post, context: ChainBContext): void {
  post.isPublished = true
  for (const afterMs of Object.values(postMs)) context.wakeAt(post.published.anchorAtMs + afterMs)
  publishPost(followed, context)
}

function publishPost({ gradAtMs, post }: Followed, context: ChainBContext): void {
  assert(gradAtMs !== null, 'the curve is not complete after its migration')
  assert(post !== null)
  context.emit({ type: 'GraduationPost', data: { gradAtMs, ...post.published } })
}
