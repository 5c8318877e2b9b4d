import assert from 'node:assert/strict'
import { curveFill } from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact, CurveMigrated } from '../../../schemas/chain-b/facts.ts'
import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { BlockFields } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { completes, isLate, launchOf, type Opening, opens } from '../mints/mint.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { type CopyLimits, closeAtMs, copyLimitsOf, stopAtMs } from './copy.ts'
import { copyAt, openCount } from './copy-rows.ts'
import { addSale } from './holdings.ts'
import { feeRatesOf, moveInPool, moveOnCurve, type Trade } from './market.ts'
import {
  addCopy,
  closeUpTo,
  fillUpTo,
  followPrice,
  openShadows,
  type Shadows,
  stopUpTo,
  trimShadows,
} from './shadows.ts'

type CopyRules = Pick<ChainBNumbers, 'shadow' | 'copy' | 'mints'>
type Limits = CopyLimits & Pick<ChainBNumbers['mints'], 'graduatedLifeMs'>

/** The rules, and the context of the current call. */
type RuleContext = Readonly<{ limits: Limits; context: ChainBContext }>

type Mint = {
  readonly launchAtMs: EpochMs | null
  completedAtMs: EpochMs | null
  isMigrated: boolean
  /**
   * The simulated purchases (copies) in progress. Null if there are none. Then only the amount of each trade
   * is read.
   */
  shadows: Shadows | null
}

/** `mint` is null if the token is not tracked, or if purchases of it are not followed. */
type CopiesState = { isOpen: boolean; mint: Mint | null }

/**
 * Creates the processor that follows each purchase of at least `lamportsMin` for an hour. It computes the
 * return of a copy: a simulated purchase shortly after it.
 */
export function createCopies(rules: CopyRules): ChainBProcessor<CopiesState> {
  const limits: Limits = { ...copyLimitsOf(rules), graduatedLifeMs: rules.mints.graduatedLifeMs }
  return {
    name: 'copies',
    stateVersion: 2,
    initialState: () => ({ isOpen: false, mint: null }),
    reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded'],
    readsDerived: ['MintClosed'],
    onFact(state, fact, context) {
      if (opens(fact, state.isOpen)) Object.assign(state, { isOpen: true, mint: mintOf(fact) })
      else if (state.mint !== null) follow(state.mint, fact, { limits, context })
    },
    onDerived(state, record) {
      assert(record.type === 'MintClosed')
      Object.assign(state, { isOpen: false, mint: null })
    },
    onWake({ mint }, dueAtMs, context) {
      if (!mint?.shadows) return
      stopUpTo(mint.shadows, dueAtMs, limits)
      for (const data of closeUpTo(mint.shadows, dueAtMs, limits)) context.emit({ type: 'CopyClosed', data })
      wakeForNext(mint.shadows, { limits, context })
      if (openCount(mint.shadows.copies) === 0) mint.shadows = null
    },
    trim({ mint }) {
      if (mint?.shadows) trimShadows(mint.shadows)
    },
    isEmpty: (state) => !state.isOpen,
  }
}

export const copies = createCopies(chainBNumbers)

function mintOf(opening: Opening): Mint | null {
  const { quoteMint, isMayhem } = opening.data
  if (quoteMint !== null || isMayhem) return null
  return { launchAtMs: launchOf(opening).launchAtMs, completedAtMs: null, isMigrated: false, shadows: null }
}

function follow(mint: Mint, fact: ChainBFact, ruleContext: RuleContext): void {
  assert('lateAtMs' in fact.data, 'a CurveFound came after its mint was opened')
  if (isLate(fact.data)) return
  if (fact.type === 'CurveTraded' && mint.completedAtMs === null) followTrade(mint, fact.data, ruleContext)
  if (fact.type === 'PoolTraded' && mint.isMigrated && !fact.data.isBeforeMigration)
    followTrade(mint, fact.data, ruleContext)
  if (mint.completedAtMs === null && completes(fact)) complete(mint, fact.data, ruleContext.limits)
  if (fact.type === 'CurveMigrated' && !mint.isMigrated) migrate(mint, fact.data, ruleContext.limits)
}

function followTrade(mint: Mint, trade: Trade, ruleContext: RuleContext): void {
  const { limits } = ruleContext
  const lamports = Number(trade.quoteRaw)
  const isLarge = lamports >= limits.lamportsMin
  const isFollowed = isLarge && isInTime(mint, trade.blockAtMs, limits)
  if (mint.shadows === null && !isFollowed) return
  mint.shadows ??= openShadows({ isPool: mint.isMigrated, tradableFromSlot: 0, quoteRaw: 0, tokenRaw: 0, leftRaw: 0 })
  const { shadows } = mint
  fillUpTo(shadows, trade.blockNumber - 1, limits)
  if ('poolQuoteRaw' in trade) {
    if (isLarge) shadows.poolRates = feeRatesOf(trade)
    moveInPool(shadows.market, trade)
  } else moveOnCurve(shadows.market, trade)
  followPrice(shadows, trade.blockAtMs, limits)
  if (lamports < 0) addSale(shadows.copies, trade)
  if (isFollowed) openCopy(mint, { shadows, trade, lamports }, ruleContext)
}

/** Returns whether the hour after a purchase at `atMs` ends before the token is closed (no longer tracked). */
const isInTime = ({ completedAtMs }: Mint, atMs: EpochMs, { windowMs, graduatedLifeMs }: Limits): boolean =>
  completedAtMs === null || atMs + windowMs < completedAtMs + graduatedLifeMs

type Buy = Readonly<{ shadows: Shadows; trade: Trade; lamports: number }>

function openCopy(mint: Mint, { shadows, trade, lamports }: Buy, { limits, context }: RuleContext): void {
  const { blockAtMs: atMs, txHash, logIndex, blockNumber: slot, trader: wallet } = trade
  const fillAt = 'realTokenRaw' in trade ? curveFill(trade.realTokenRaw) : 1
  const { launchAtMs } = mint
  const opened = {
    atMs,
    txHash,
    logIndex,
    slot,
    wallet,
    lamports: BigInt(lamports),
    fillAt,
    launchAtMs,
    px: shadows.px,
  }
  context.emit({ type: 'CopyOpened', data: opened })
  addCopy(shadows, trade, limits)
  if (shadows.unstoppedFrom === openCount(shadows.copies) - 1) context.wakeAt(atMs + limits.timeStopMs)
}

/**
 * Sets one timer for the next copy that is sold because of its time limit, and one for the next copy whose
 * hour is over. The hour is over only after the time limit.
 */
function wakeForNext({ copies, unstoppedFrom }: Shadows, { limits, context }: RuleContext): void {
  const [unstopped, oldest] = [copyAt(copies, unstoppedFrom), copyAt(copies, 0)]
  if (unstopped) context.wakeAt(stopAtMs(unstopped, limits))
  if (oldest) context.wakeAt(closeAtMs(oldest, limits))
}

function complete(mint: Mint, place: BlockFields, limits: Limits): void {
  mint.completedAtMs = place.blockAtMs
  if (mint.shadows === null) return
  fillUpTo(mint.shadows, place.blockNumber - 1, limits)
  mint.shadows.market.tradableFromSlot = Number.POSITIVE_INFINITY
}

function migrate(mint: Mint, migrated: CurveMigrated, limits: Limits): void {
  mint.isMigrated = true
  if (mint.shadows === null) return
  const { market } = mint.shadows
  moveInPool(market, migrated)
  market.isPool = true
  market.tradableFromSlot = migrated.blockNumber
  followPrice(mint.shadows, migrated.blockAtMs, limits)
}
