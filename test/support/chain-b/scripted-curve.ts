/**
 * Simulates a curve that a script trades, with the formulas of `schemas/chain-b/curve.ts`. Each fact is
 * stored with its slot.
 */
import {
  afterTrade,
  costOfTokens,
  forSaleRaw,
  launchReserves,
  proceedsOfTokens,
  tokensForCost,
} from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { afterPoolTrade, costInPool, proceedsInPool } from '../../../schemas/chain-b/pool.ts'
import type { Hex } from '../../../schemas/units.ts'
import { testStartAtMs } from '../builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildGapRepaired,
  buildPoolTraded,
  lamports,
} from './build-facts.ts'

const slotMs = 400
export const slotsPerSec = 1000 / slotMs

/**
 * Returns the time of a slot, rounded down to whole seconds. Several slots have the same time, as on the real
 * chain.
 */
export const slotTimeOf = (slot: number): number => testStartAtMs + Math.floor((slot * slotMs) / 1000) * 1000

/** `Math.min` does not take a bigint. */
function least(left: bigint, right: bigint): bigint {
  if (left < right) return left
  return right
}

const placeOf = (slot: number) => ({ blockNumber: slot, blockAtMs: slotTimeOf(slot) })

export type ScriptedFact = Readonly<{ slot: number; fact: ChainBFact }>

type Terms = Readonly<{ curve: Hex; pool: Hex; isMayhem: boolean; quoteMint: Hex | null; virtualQuoteRaw: bigint }>

export class ScriptedCurve {
  readonly facts: ScriptedFact[] = []
  readonly #terms: Terms
  #virtual: Readonly<{ quoteRaw: bigint; tokenRaw: bigint }>
  #realQuoteRaw = 0n
  #realTokenRaw = forSaleRaw
  #pool = { quoteRaw: 0n, tokenRaw: 206_900_000_000_000n }
  readonly #creator: Hex

  constructor(terms: Terms, creator: Hex) {
    this.#terms = terms
    this.#creator = creator
    this.#virtual = { ...launchReserves, quoteRaw: terms.virtualQuoteRaw }
  }

  get sol(): number {
    return Number(this.#realQuoteRaw) / 1e9
  }

  get isComplete(): boolean {
    return this.#realTokenRaw === 0n
  }

  launch(slot: number): void {
    const { curve, isMayhem, quoteMint } = this.#terms
    const creators = { launcher: this.#creator, creator: this.#creator }
    const data = { curve, isMayhem, quoteMint, ...creators, ...this.#reserves(), ...placeOf(slot) }
    this.#note(slot, buildCurveLaunched(data))
  }

  find(slot: number, known: Readonly<{ launchSlot: number | null; supplyRaw: bigint | null }>): void {
    const { curve, isMayhem, quoteMint } = this.#terms
    const launchAtMs = known.launchSlot === null ? null : slotTimeOf(known.launchSlot)
    const data = { curve, isMayhem, quoteMint, ...known, launchAtMs, ...this.#reserves(), ...placeOf(slot) }
    this.#note(slot, buildCurveFound(data))
  }

  /** Buys for `sol` SOL, or buys all remaining tokens if they cost less. */
  buy(slot: number, sol: number, trader: Hex): void {
    const tokenRaw = least(tokensForCost(this.#virtual, lamports(sol)), this.#realTokenRaw)
    if (tokenRaw > 0n) this.#trade(slot, { quoteRaw: costOfTokens(this.#virtual, tokenRaw), tokenRaw }, trader)
  }

  /** Sells for `sol` SOL, or sells everything that can be sold if it is worth less. */
  sell(slot: number, sol: number, trader: Hex): void {
    const { quoteRaw: x, tokenRaw: y } = this.#virtual
    const wanted = lamports(Math.min(sol, this.sol))
    const tokenRaw = (wanted * y) / (x - wanted)
    const raw = least(tokenRaw, forSaleRaw - this.#realTokenRaw)
    if (raw > 0n) this.#trade(slot, { quoteRaw: -proceedsOfTokens(this.#virtual, raw), tokenRaw: -raw }, trader)
  }

  /** Changes the price so that it no longer follows from the formula. */
  bend(sol: number): void {
    this.#virtual = { ...this.#virtual, quoteRaw: this.#virtual.quoteRaw + lamports(sol) }
  }

  complete(slot: number): void {
    this.#note(slot, buildCurveCompleted(placeOf(slot)))
  }

  migrate(slot: number): void {
    const { pool, quoteMint } = this.#terms
    this.#pool = { quoteRaw: this.#realQuoteRaw, tokenRaw: 206_900_000_000_000n }
    const { quoteRaw: poolQuoteRaw, tokenRaw: poolTokenRaw } = this.#pool
    this.#note(slot, buildCurveMigrated({ pool, quoteMint, poolQuoteRaw, poolTokenRaw, ...placeOf(slot) }))
  }

  /** Buys this share of the pool's tokens. A negative share is sold. */
  poolTrade(slot: number, share: number, isBeforeMigration = false): void {
    const tokenRaw = (this.#pool.tokenRaw * BigInt(Math.round(Math.abs(share) * 1e6))) / 1_000_000n
    const signed =
      share > 0
        ? { quoteRaw: costInPool(this.#pool, tokenRaw), tokenRaw }
        : { quoteRaw: -proceedsInPool(this.#pool, tokenRaw), tokenRaw: -tokenRaw }
    const after = afterPoolTrade(this.#pool, { ...signed, lpFeeRaw: 0n })
    if (!isBeforeMigration) this.#pool = after
    const reserves = { poolQuoteRaw: after.quoteRaw, poolTokenRaw: after.tokenRaw }
    this.#note(slot, buildPoolTraded({ ...signed, ...reserves, isBeforeMigration, ...placeOf(slot) }))
  }

  /**
   * Removes the last trade from the log, as if ingest had missed it. The trade that `next` makes shows the
   * gap. Unless `isGivenUp` is true, the removed trade then comes as a late fact.
   */
  miss(slot: number, { next, isGivenUp }: Readonly<{ next: () => void; isGivenUp: boolean }>): void {
    const missed = this.facts.at(-1)
    if (missed?.fact.type !== 'CurveTraded') {
      next()
      return
    }
    this.facts.pop()
    const { quoteRaw: missingQuoteRaw, tokenRaw: missingTokenRaw } = missed.fact.data
    const found = buildGapFound({ lastSlot: missed.slot, missingQuoteRaw, missingTokenRaw, ...placeOf(slot) })
    this.#note(slot, found)
    next()
    if (!isGivenUp) this.#noteLate(missed, slot)
    const failure = isGivenUp ? 'the node has no such trade' : null
    const gap = { gapTxHash: found.data.txHash, gapLogIndex: found.data.logIndex }
    this.#note(slot, buildGapRepaired({ ...gap, isWhole: !isGivenUp, failure, ...placeOf(slot) }))
  }

  /** Removes the last fact and adds it again as a late fact with a later slot. */
  delay(slot: number): void {
    const missed = this.facts.pop()
    if (missed !== undefined) this.#noteLate(missed, slot)
  }

  #noteLate({ fact }: ScriptedFact, slot: number): void {
    if (!('lateSlot' in fact.data)) return
    const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
    const data = { ...fact.data, lateSlot, lateAtMs, ...placeOf(slot) }
    this.#note(slot, { ...fact, data } as ChainBFact)
  }

  #trade(slot: number, trade: Readonly<{ quoteRaw: bigint; tokenRaw: bigint }>, trader: Hex): void {
    this.#virtual = afterTrade(this.#virtual, trade)
    this.#realQuoteRaw += trade.quoteRaw
    this.#realTokenRaw -= trade.tokenRaw
    const { isMayhem, quoteMint } = this.#terms
    this.#note(slot, buildCurveTraded({ ...trade, trader, isMayhem, quoteMint, ...this.#reserves(), ...placeOf(slot) }))
  }

  #reserves() {
    const { quoteRaw: virtualQuoteRaw, tokenRaw: virtualTokenRaw } = this.#virtual
    return { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw: this.#realQuoteRaw, realTokenRaw: this.#realTokenRaw }
  }

  #note(slot: number, fact: ChainBFact): void {
    this.facts.push({ slot, fact })
  }
}
