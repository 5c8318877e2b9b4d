/**
 * Builds facts (decoded chain events) of chain B for tests. A test gives the fields that matter. By default,
 * two fifths of a curve's tokens are sold after a trade.
 */
import { forSaleRaw, launchProduct, launchReserves, unsoldVirtualRaw } from '../../../schemas/chain-b/curve.ts'
import type { ChainBEvent, ChainBFact, HoldersAnswer, SafetyAnswer } from '../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import { buildHash, chainPlaceOf, testStartAtMs } from '../builders/build-facts.ts'
import { createGiven } from '../given.ts'

/** An address of chain B has 32 bytes. */
export const buildKey = (number: number): Hex => buildHash(0xb000_0000 + number)

export const testMint = '7GCihgDB8fe6KNjn2MYtkzZcRjQy3t9GHdC8uHYmW2hr'
export const testCurve = buildKey(0xcf)
export const testPool = buildKey(0xb0)

export const given = createGiven({ stage: chainBStage, token: testMint, startAtMs: testStartAtMs })

export const lamports = (sol: number): bigint => BigInt(Math.round(sol * 1e9))

type Fact<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>
type Fields<Type extends ChainBFact['type']> = Partial<Fact<Type>['data']>

const onTime = { lateSlot: null, lateAtMs: null }
const terms = { quoteMint: null, isMayhem: false }

/**
 * Returns a possible state of a standard curve. All reserves follow from the number of tokens that are left.
 */
export function reservesWith(realTokenRaw: bigint) {
  const virtualTokenRaw = realTokenRaw + unsoldVirtualRaw
  const virtualQuoteRaw = (launchProduct + virtualTokenRaw - 1n) / virtualTokenRaw
  return { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw: virtualQuoteRaw - launchReserves.quoteRaw, realTokenRaw }
}

/** Returns the raw tokens that are left for sale when the curve is filled to `fill`, between 0 and 1. */
export const leftAt = (fill: number): bigint => forSaleRaw - (forSaleRaw * BigInt(Math.round(fill * 1e6))) / 1_000_000n

export const buildCurveLaunched = (fields: Fields<'CurveLaunched'> = {}): Fact<'CurveLaunched'> => ({
  type: 'CurveLaunched',
  data: {
    curve: testCurve,
    launcher: buildKey(0xde),
    creator: buildKey(0xc0),
    name: 'Test',
    symbol: 'TEST',
    supplyRaw: 10n ** 15n,
    ...reservesWith(forSaleRaw),
    ...terms,
    ...onTime,
    ...chainPlaceOf(fields),
    ...fields,
  },
})

export const buildCurveFound = (fields: Fields<'CurveFound'> = {}): Fact<'CurveFound'> => ({
  type: 'CurveFound',
  data: {
    curve: testCurve,
    creator: buildKey(0xc0),
    launchSlot: null,
    launchAtMs: null,
    supplyRaw: 10n ** 15n,
    ...reservesWith(leftAt(0.3)),
    ...terms,
    ...chainPlaceOf(fields),
    ...fields,
  },
})

export type TradeFields = Fields<'CurveTraded'> & Readonly<{ sol?: number; fill?: number }>

/**
 * A positive `sol` is the SOL paid in by a buy. The default is 0.1. A negative `sol` is the SOL taken out by
 * a sell. `fill` is the fill of the curve after the trade.
 */
export function buildCurveTraded({ sol = 0.1, fill = 0.4, ...fields }: TradeFields = {}): Fact<'CurveTraded'> {
  const quoteRaw = fields.quoteRaw ?? lamports(sol)
  return {
    type: 'CurveTraded',
    data: {
      trader: buildKey(0x7a),
      quoteRaw,
      tokenRaw: quoteRaw * 20_000n,
      ...reservesWith(fields.realTokenRaw ?? leftAt(fill)),
      feeRaw: 0n,
      creatorFeeRaw: 0n,
      rewardsRaw: 0n,
      ...terms,
      ...onTime,
      ...chainPlaceOf(fields),
      ...fields,
    },
  }
}

export const buildCurveCompleted = (fields: Fields<'CurveCompleted'> = {}): Fact<'CurveCompleted'> => ({
  type: 'CurveCompleted',
  data: { ...onTime, ...chainPlaceOf(fields), ...fields },
})

export const buildCurveMigrated = (fields: Fields<'CurveMigrated'> = {}): Fact<'CurveMigrated'> => ({
  type: 'CurveMigrated',
  data: {
    pool: testPool,
    poolQuoteRaw: lamports(84.990359301),
    poolTokenRaw: 206_900_000_000_000n,
    migrationFeeRaw: 15_000_001n,
    quoteMint: null,
    ...onTime,
    ...chainPlaceOf(fields),
    ...fields,
  },
})

/** Builds a pool trade. By default, the reserves after the trade are those with which the pool opened. */
export const buildPoolTraded = (fields: Fields<'PoolTraded'> = {}): Fact<'PoolTraded'> => ({
  type: 'PoolTraded',
  data: {
    trader: buildKey(0x7b),
    quoteRaw: lamports(1),
    tokenRaw: 1_000_000n,
    poolQuoteRaw: lamports(84.990359301),
    poolTokenRaw: 206_900_000_000_000n,
    virtualQuoteRaw: 0n,
    lpFeeRaw: 0n,
    feeRaw: 0n,
    creatorFeeRaw: 0n,
    rewardsRaw: 0n,
    isBeforeMigration: false,
    quoteMint: null,
    ...onTime,
    ...chainPlaceOf(fields),
    ...fields,
  },
})

export const buildGapFound = (fields: Fields<'GapFound'> = {}): Fact<'GapFound'> => ({
  type: 'GapFound',
  data: { lastSlot: 1, missingQuoteRaw: 1n, missingTokenRaw: 1n, ...chainPlaceOf(fields), ...fields },
})

/**
 * Builds the record that a gap (a row of missing trades) is repaired. By default, all missing trades were
 * read, and no trade follows the gap.
 */
export const buildGapRepaired = (fields: Fields<'GapRepaired'> = {}): Fact<'GapRepaired'> => ({
  type: 'GapRepaired',
  data: {
    ...{ gapTxHash: null, gapLogIndex: null, lateCount: 1, isWhole: true, failure: null },
    ...chainPlaceOf(fields),
    ...fields,
  },
})

/** Makes an event late: it is published in its block, but happened at second 0. */
export const late = <Event extends ChainBEvent>(event: Event): Event => ({
  ...event,
  data: { ...event.data, lateSlot: 1, lateAtMs: testStartAtMs },
})

export const buildHoldersAnswered = (fields: Partial<HoldersAnswer['data']> = {}): HoldersAnswer => ({
  type: 'HoldersAnswered',
  data: {
    questionId: `${testMint}:${testStartAtMs}`,
    revision: 0,
    holders: [],
    failure: null,
    answeredAtMs: testStartAtMs,
    ...fields,
  },
})

/** Builds an answer of the safety provider. By default, the provider could not be reached. */
export const buildSafetyAnswered = (fields: Partial<SafetyAnswer['data']> = {}): SafetyAnswer => ({
  type: 'SafetyAnswered',
  data: {
    questionId: `${testMint}:${testStartAtMs}`,
    revision: 0,
    provider: 'provider.example',
    report: null,
    failure: 'it is away',
    answeredAtMs: testStartAtMs,
    ...fields,
  },
})
