/**
 * A token that can have bursts: its recent trades, the burst whose price is followed, and the lookups of its
 * holders.
 */
import { curveFill, forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import type { Burst } from '../../../schemas/chain-b/derived.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { Address, EpochMs, TokenRaw } from '../../../schemas/units.ts'
import { noItems } from '../../lean-list.ts'
import type { Question } from '../anatomy/question.ts'
import { launchOf, type Opening } from '../mints/mint.ts'
import { virtualSolOf, type Watch } from '../outcomes/outcome.ts'
import { type BurstLimits, isBurst } from './burst.ts'
import { addToWindow, emptyWindow, leftAtStartOf, slideTo, type TradeWindow } from './window.ts'

export type Candidate = {
  readonly launchAtMs: EpochMs
  readonly curve: Address
  readonly supplyRaw: TokenRaw | null
  pool: Address | null
  isComplete: boolean
  /**
   * The trades of the current slot. A trade may be a view of the bytes of a log record, which are valid only
   * for a short time. This is safe, because the list is emptied at the end of the slot.
   */
  slotTrades: CurveTraded[]
  /** Null: no trade is in the window. */
  window: TradeWindow | null
  /** The followed burst, if any. */
  watch: Watch | null
  questions: readonly Question[]
}

/**
 * Builds the candidate of a token. Returns null if the token cannot have bursts, because it is not traded
 * against SOL or its launch time is not known.
 */
export function candidateOf(opening: Opening): Candidate | null {
  const { curve, supplyRaw, quoteMint } = opening.data
  const { launchAtMs } = launchOf(opening)
  if (quoteMint !== null || launchAtMs === null) return null
  return {
    launchAtMs,
    curve,
    supplyRaw,
    pool: null,
    isComplete: false,
    slotTrades: [],
    window: null,
    watch: null,
    questions: noItems,
  }
}

/**
 * Returns whether a trade at `atMs` can be in the window of a burst. Half of all trades are in the first
 * minutes of a token and are too early.
 */
export const isInReach = ({ launchAtMs }: Candidate, atMs: EpochMs, limits: BurstLimits): boolean =>
  atMs - launchAtMs > limits.ageMsMin - limits.windowMs && atMs - launchAtMs <= limits.ageMsMax

/**
 * Adds the trades of the slot to the window, and checks at the end of the slot whether there is a burst.
 * Returns null if there is none.
 */
export function judgeSlot(candidate: Candidate, slot: Block, limits: BurstLimits): Burst | null {
  const { slotTrades, launchAtMs } = candidate
  const last = slotTrades.at(-1)
  if (last === undefined || !isInReach(candidate, slot.atMs, limits)) return null
  candidate.window ??= emptyWindow()
  const { window } = candidate
  for (const trade of slotTrades) addToWindow(window, trade)
  slideTo(window, slot.atMs, limits)
  if (candidate.watch !== null) return null
  const soldRaw = Number(forSaleRaw) - Number(last.realTokenRaw)
  if (!isBurst(window, { ageMs: slot.atMs - launchAtMs, soldRaw }, limits)) return null
  return {
    atMs: slot.atMs,
    slot: slot.number,
    slotHash: slot.hash,
    inflowLamports: BigInt(window.netLamports),
    windowSec: limits.windowMs / 1000,
    fillFrom: curveFill(BigInt(leftAtStartOf(window))),
    fillAt: curveFill(last.realTokenRaw),
    launchAtMs,
    virtualSol: virtualSolOf(last),
  }
}
