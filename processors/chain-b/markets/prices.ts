/**
 * Describes the market of a token that is traded against SOL: its curve or, after the migration, the pool
 * that replaces the curve.
 */
import assert from 'node:assert/strict'
import { curveFill } from '../../../schemas/chain-b/curve.ts'
import type { CurveMigrated, CurveTraded, PoolTraded } from '../../../schemas/chain-b/facts.ts'
import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import type { Address, EpochMs, MarketId } from '../../../schemas/units.ts'
import type { Market, Prices } from '../../markets/prices.ts'
import { completes, isLate, launchOf, type Opening, opens } from '../mints/mint.ts'

/**
 * The market of a token. Amounts are doubles, which represent the reserves of any curve or pool against SOL
 * exactly.
 */
type PricedMint = {
  readonly curve: Address
  readonly launchAtMs: EpochMs | null
  readonly supplyRaw: number | null
  /**
   * The virtual part of the curve's SOL reserve, in lamports. It counts in the price, but the curve does not
   * hold it.
   */
  readonly virtualOnly: number
  /** The raw tokens that the curve has left for sale. */
  leftRaw: number
  /** The pool that replaced the curve. Null until then. */
  pool: Readonly<{ pool: Address; openedAtMs: EpochMs }> | null
  /** The reserves that give the price: those of the pool, or of the curve if there is no pool. */
  quoteRaw: number
  tokenRaw: number
  completedAtMs: EpochMs | null
}

/**
 * `isOpen`: the token is tracked. If `mint` is then null, the token is traded against another coin than SOL.
 */
export type ChainBPrices = { isOpen: boolean; mint: PricedMint | null }

export const createChainBPrices = (lives: ChainBNumbers['mints']): Prices<ChainBPrices, ChainBTypes> => ({
  reads: ['CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded'],
  readsDerived: ['MintClosed'],
  initialState: () => ({ isOpen: false, mint: null }),
  onFact(state, fact) {
    if (opens(fact, state.isOpen)) return openMint(state, fact)
    const { mint } = state
    if (mint === null) return null
    if (completes(fact)) mint.completedAtMs ??= fact.data.blockAtMs
    switch (fact.type) {
      case 'CurveTraded':
        return takeTrade(mint, fact.data)
      case 'PoolTraded':
        return takePoolTrade(mint, fact.data)
      case 'CurveMigrated':
        return openPool(mint, fact.data)
      default:
        return null
    }
  },
  closingOf(state, record) {
    assert(record.type === 'MintClosed', 'the record does not close a market')
    const { mint } = state
    if (mint !== null) return { market: marketIn(mint), closedAtMs: record.data.closedAtMs, next: null }
    // The token is traded against another coin than SOL, so it has no market to close.
    state.isOpen = false
    return null
  },
  forget(state, market) {
    if (mintIn(state, market) !== null) Object.assign(state, { isOpen: false, mint: null })
  },
  completedBy: ({ mint }, fact) => (mint !== null && completes(fact) ? mint.curve : null),
  isEmpty: ({ isOpen }) => !isOpen,
  pxOf(state, market) {
    const mint = mintIn(state, market)
    return mint && pxIn(mint)
  },
  fillOf({ mint }, market) {
    assert(mint?.curve === market, 'the market is not the curve of the mint, so it has no fill')
    return fillIn(mint)
  },
  marketOf(state, market) {
    const mint = mintIn(state, market)
    assert(mint !== null, 'the mint has no such market')
    return marketOfMint(mint, lives)
  },
  liquidity: null,
})

export const chainBPrices = createChainBPrices(chainBNumbers.mints)

/**
 * Begins to track a token. A `CurveFound` replaces what is known about it. Before the first trade, the price
 * comes from the reserves in this fact.
 */
function openMint(state: ChainBPrices, opening: Opening): MarketId | null {
  const { curve, supplyRaw, quoteMint, virtualQuoteRaw, realQuoteRaw, virtualTokenRaw, realTokenRaw } = opening.data
  state.isOpen = true
  state.mint = null
  if (quoteMint !== null) return null
  state.mint = {
    curve,
    launchAtMs: launchOf(opening).launchAtMs,
    supplyRaw: supplyRaw === null ? null : Number(supplyRaw),
    virtualOnly: Number(virtualQuoteRaw - realQuoteRaw),
    leftRaw: Number(realTokenRaw),
    pool: null,
    quoteRaw: Number(virtualQuoteRaw),
    tokenRaw: Number(virtualTokenRaw),
    completedAtMs: null,
  }
  return curve
}

function takeTrade(mint: PricedMint, trade: CurveTraded): MarketId | null {
  if (mint.pool !== null || isLate(trade)) return null
  mint.quoteRaw = Number(trade.virtualQuoteRaw)
  mint.tokenRaw = Number(trade.virtualTokenRaw)
  mint.leftRaw = Number(trade.realTokenRaw)
  return mint.curve
}

/** Opens the pool of a token. From now on the price comes from the pool instead of the curve. */
function openPool(mint: PricedMint, migrated: CurveMigrated): MarketId | null {
  if (mint.pool !== null || isLate(migrated) || migrated.quoteMint !== null) return null
  mint.pool = { pool: migrated.pool, openedAtMs: migrated.blockAtMs }
  mint.quoteRaw = Number(migrated.poolQuoteRaw)
  mint.tokenRaw = Number(migrated.poolTokenRaw)
  return mint.pool.pool
}

/**
 * Takes in a trade in the pool. A trade with `isBeforeMigration` is ignored. It is the rest of a purchase
 * that completed the curve.
 */
function takePoolTrade(mint: PricedMint, trade: PoolTraded): MarketId | null {
  if (mint.pool === null || isLate(trade) || trade.isBeforeMigration) return null
  mint.quoteRaw = Number(trade.poolQuoteRaw)
  mint.tokenRaw = Number(trade.poolTokenRaw)
  return mint.pool.pool
}

const marketIn = ({ pool, curve }: PricedMint): MarketId => pool?.pool ?? curve

/** Returns the token's state if the token's price comes from this market. Otherwise returns null. */
const mintIn = ({ mint }: ChainBPrices, market: MarketId): PricedMint | null =>
  (mint?.pool?.pool ?? mint?.curve) === market ? mint : null

/** Returns the price in SOL per raw token unit. Null: a reserve is empty. */
const pxIn = ({ quoteRaw, tokenRaw }: PricedMint): number | null =>
  quoteRaw > 0 && tokenRaw > 0 ? quoteRaw / lamportsPerSol / tokenRaw : null

const fillIn = ({ leftRaw }: PricedMint): number => curveFill(BigInt(leftRaw))

function marketOfMint(mint: PricedMint, { curveLifeMs, graduatedLifeMs }: ChainBNumbers['mints']): Market {
  const { pool, quoteRaw, supplyRaw, launchAtMs, virtualOnly, completedAtMs } = mint
  const px = pxIn(mint)
  assert(px !== null, 'a mint without a price must not count as a market')
  const isCurve = pool === null
  assert(isCurve || completedAtMs !== null, 'the curve has a pool but is not complete')
  return {
    market: marketIn(mint),
    px,
    supplyRaw,
    idleLifeMs: curveLifeMs,
    source: isCurve ? 'curve' : 'pool',
    depth: (quoteRaw - (isCurve ? virtualOnly : 0)) / lamportsPerSol,
    openedAtMs: isCurve ? launchAtMs : pool.openedAtMs,
    fill: isCurve ? fillIn(mint) : null,
    forgottenAtMs: isCurve || completedAtMs === null ? null : completedAtMs + graduatedLifeMs,
  }
}
