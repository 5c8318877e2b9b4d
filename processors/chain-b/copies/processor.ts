import { copyRules, shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { curveFill } from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact, CurveMigrated } from '../../../schemas/chain-b/facts.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import type { BlockFields } from '../../../schemas/stage.ts'
import { completes, isLate, launchOf, type Opening, opens } from '../mints/mint.ts'
import type { ChainBContext, ChainBProcessor } from '../processor.ts'
import { closeAtMs, stopAtMs } from './copy.ts'
import { addSale } from './holdings.ts'
import { feeRatesOf, lamportsPerToken, moveInPool, moveOnCurve, type Trade } from './market.ts'
import { addCopy, closeUpTo, fillUpTo, followPrice, openShadows, type Shadows, stopUpTo } from './shadows.ts'

type Mint = {
  readonly launchAtMs: number | null
  completedAtMs: number | null
  isMigrated: boolean
  /** Null while no copy is open: then only the size of a trade is read. */
  shadows: Shadows | null
}

/** `mint`: null also if its buys are not followed. */
type CopiesState = { isOpen: boolean; mint: Mint | null }

/** Follows each buy that is large enough for an hour, and what a copy of it would have brought. */
export const copies: ChainBProcessor<CopiesState> = {
  name: 'copies',
  initialState: () => ({ isOpen: false, mint: null }),
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded'],
  readsDerived: ['MintClosed'],
  onFact(state, fact, context) {
    if (opens(fact, state.isOpen)) Object.assign(state, { isOpen: true, mint: mintOf(fact) })
    else if (state.mint !== null) follow(state.mint, fact, context)
  },
  onDerived(state, record) {
    if (record.type === 'MintClosed') Object.assign(state, { isOpen: false, mint: null })
  },
  onWake({ mint }, dueAtMs, context) {
    if (!mint?.shadows) return
    stopUpTo(mint.shadows, dueAtMs)
    for (const data of closeUpTo(mint.shadows, dueAtMs)) context.emit({ type: 'CopyClosed', data })
    wakeForNext(mint.shadows, context)
    if (mint.shadows.copies.length === 0) mint.shadows = null
  },
  isEmpty: (state) => !state.isOpen,
}

function mintOf(opening: Opening): Mint | null {
  const { quoteMint, isMayhem } = opening.data
  if (quoteMint !== null || isMayhem) return null
  return { launchAtMs: launchOf(opening).launchAtMs, completedAtMs: null, isMigrated: false, shadows: null }
}

function follow(mint: Mint, fact: ChainBFact, context: ChainBContext): void {
  if ('lateAtMs' in fact.data && isLate(fact.data)) return
  if (fact.type === 'CurveTraded' && mint.completedAtMs === null) followTrade(mint, fact.data, context)
  if (fact.type === 'PoolTraded' && mint.isMigrated && !fact.data.isBeforeMigration)
    followTrade(mint, fact.data, context)
  if (mint.completedAtMs === null && completes(fact)) complete(mint, fact.data)
  if (fact.type === 'CurveMigrated' && !mint.isMigrated) migrate(mint, fact.data)
}

function followTrade(mint: Mint, trade: Trade, context: ChainBContext): void {
  const lamports = Number(trade.quoteRaw)
  const isLarge = lamports >= shadowRules.lamportsMin
  const isFollowed = isLarge && isInTime(mint, trade.blockAtMs)
  if (mint.shadows === null && !isFollowed) return
  mint.shadows ??= openShadows({ isPool: mint.isMigrated, tradableFromSlot: 0, quoteRaw: 0, tokenRaw: 0, leftRaw: 0 })
  const { shadows } = mint
  fillUpTo(shadows, trade.blockNumber - 1)
  if ('poolQuoteRaw' in trade) {
    if (isLarge) shadows.poolRates = feeRatesOf(trade)
    moveInPool(shadows.market, trade)
  } else moveOnCurve(shadows.market, trade)
  followPrice(shadows, trade.blockAtMs)
  if (lamports < 0) addSale(shadows.holdings, trade)
  if (isFollowed) openCopy(mint, { shadows, trade, lamports }, context)
}

/** Whether the hour of a buy ends before the mint is closed. */
const isInTime = ({ completedAtMs }: Mint, atMs: number): boolean =>
  completedAtMs === null || atMs + shadowRules.windowMs < completedAtMs + graduatedLifeMs

type Buy = Readonly<{ shadows: Shadows; trade: Trade; lamports: number }>

function openCopy(mint: Mint, { shadows, trade, lamports }: Buy, context: ChainBContext): void {
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
  addCopy(shadows, {
    opened,
    isBig: lamports >= shadowRules.bigLamportsMin,
    isPoolBuy: mint.isMigrated,
    tokenRaw: Number(trade.tokenRaw),
    lamportsPerToken: lamportsPerToken(trade),
    rates: feeRatesOf(trade),
    isHit: null,
    sale: null,
    fill: null,
    exit: null,
  })
  if (shadows.unstoppedFrom === shadows.copies.length - 1) context.wakeAt(atMs + copyRules.timeStopMs)
}

/** There is one timer for the next time stop and one for the next close, which comes after a time stop. */
function wakeForNext({ copies, unstoppedFrom }: Shadows, context: ChainBContext): void {
  const [unstopped, oldest] = [copies[unstoppedFrom], copies[0]]
  if (unstopped) context.wakeAt(stopAtMs(unstopped))
  if (oldest) context.wakeAt(closeAtMs(oldest))
}

function complete(mint: Mint, place: BlockFields): void {
  mint.completedAtMs = place.blockAtMs
  if (mint.shadows === null) return
  fillUpTo(mint.shadows, place.blockNumber - 1)
  mint.shadows.market.tradableFromSlot = Number.POSITIVE_INFINITY
}

function migrate(mint: Mint, migrated: CurveMigrated): void {
  mint.isMigrated = true
  if (mint.shadows === null) return
  const { market } = mint.shadows
  moveInPool(market, migrated)
  market.isPool = true
  market.tradableFromSlot = migrated.blockNumber
  followPrice(mint.shadows, migrated.blockAtMs)
}
