/**
 * Computes the prices of a chain B mint's curve and of its canonical pool, from its facts. Nobody can remove
 * the liquidity of these two.
 */
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { addPrice, type Coined, coinAt, hourMs, type Line, lastOf, minuteMs } from './lines.ts'

type Data<Type extends ChainBFact['type']> = Extract<ChainBFact, { type: Type }>['data']
type Opening = Extract<ChainBFact, { type: 'CurveLaunched' | 'CurveFound' }>

/** How long a curve is followed after its last fact, and how long after it was complete, in ms. */
type Lives = Readonly<{ idleLifeMs: number; graduatedLifeMs: number }>
const usualLives: Lives = { idleLifeMs: 24 * hourMs, graduatedLifeMs: 65 * minuteMs }
const forSaleRaw = 793_100_000_000_000

export function linesOfChainB(facts: readonly ChainBFact[], lives = usualLives): readonly Line[] {
  const markets = new ChainBMarkets(lives)
  for (const fact of facts) markets.take(fact)
  return markets.lines()
}

/** Collects the facts of a mint. A fact that ingest read late is ignored. */
export class ChainBMarkets {
  readonly #curve: Coined[] = []
  readonly #pool: Coined[] = []
  readonly #livens: number[] = []
  readonly #finds: number[] = []
  readonly #lives: Lives
  #opening: Opening | null = null
  #completeMs = Number.POSITIVE_INFINITY
  #migrated: Data<'CurveMigrated'> | null = null

  constructor(lives = usualLives) {
    this.#lives = lives
  }

  take(fact: ChainBFact): void {
    const { type, data } = fact
    if (isLate(fact)) return
    if (type === 'CurveLaunched' && this.#opening !== null) return
    if (type === 'CurveLaunched' || type === 'CurveFound') this.#opening ??= fact
    if (this.#opening === null || type === 'GapFound') return
    this.#livens.push(data.blockAtMs)
    if (type === 'CurveFound') this.#finds.push(data.blockAtMs)
    if (completes(fact)) this.#completeMs = Math.min(this.#completeMs, data.blockAtMs)
    // A pool that trades against another coin than SOL is ignored.
    if (type === 'CurveMigrated' && data.quoteMint === null) this.#migrated ??= data
    this.#takePrice(fact)
  }

  #takePrice({ type, data }: ChainBFact): void {
    const { virtualQuoteRaw, realQuoteRaw } = (this.#opening as Opening).data
    if (type === 'CurveLaunched' || type === 'CurveFound' || type === 'CurveTraded') {
      const [quote, tokens] = [Number(data.virtualQuoteRaw) / 1e9, Number(data.virtualTokenRaw)]
      const fill = 1 - Number(data.realTokenRaw) / forSaleRaw
      const coin = quote - Number(virtualQuoteRaw - realQuoteRaw) / 1e9
      if (this.#migrated === null) addPrice(this.#curve, { atMs: data.blockAtMs, px: quote / tokens, fill, coin })
    }
    if (type !== 'CurveMigrated' && !(type === 'PoolTraded' && !data.isBeforeMigration)) return
    // A mint migrates only one time. A pool in which one of the two amounts is 0 has no price.
    if (this.#migrated === null || (type === 'CurveMigrated' && data !== this.#migrated)) return
    if (data.poolQuoteRaw === 0n || data.poolTokenRaw === 0n) return
    const coin = Number(data.poolQuoteRaw) / 1e9
    addPrice(this.#pool, { atMs: data.blockAtMs, px: coin / Number(data.poolTokenRaw), fill: null, coin })
  }

  /**
   * Returns the price histories (lines) of the mint's curve and pool. If the mint trades against another coin
   * than SOL, there are none. The curve and its pool are forgotten at the same time.
   */
  lines(): readonly Line[] {
    const [opening, migrated] = [this.#opening, this.#migrated]
    if (opening === null || opening.data.quoteMint !== null) return []
    const { curve: market, supplyRaw, blockAtMs } = opening.data
    const openedAtMs = opening.type === 'CurveFound' ? opening.data.launchAtMs : blockAtMs
    const [livens, completeMs] = [this.#livens, this.#completeMs]
    const { idleLifeMs, graduatedLifeMs } = this.#lives
    const base = {
      ...{ supplyRaw: supplyRaw === null ? null : Number(supplyRaw), changes: [], livens, finds: this.#finds },
      forgottenAtMs: (atMs: number) =>
        atMs >= completeMs ? completeMs + graduatedLifeMs : (livens[lastOf(livens, atMs)] ?? atMs) + idleLifeMs,
    }
    // A complete curve that never moves to a pool is forgotten 65 min after its completion, even if a post
    // named the token.
    const unfollowed = Number.isFinite(completeMs) ? { atMs: completeMs + graduatedLifeMs, next: null } : null
    const curve: Line = {
      ...{ ...base, market, source: 'curve', openedAtMs, prices: this.#curve, depthAt: coinAt(this.#curve) },
      ends: migrated ? { atMs: migrated.blockAtMs, next: migrated.pool } : unfollowed,
    }
    if (migrated === null) return [curve]
    const { pool, blockAtMs: poolAtMs } = migrated
    const own = { market: pool, openedAtMs: poolAtMs, prices: this.#pool, depthAt: coinAt(this.#pool), ends: null }
    return [curve, { ...base, ...own, source: 'pool' }]
  }
}

const isLate = ({ data }: ChainBFact): boolean => 'lateAtMs' in data && data.lateAtMs !== null

export const completes = (fact: ChainBFact): boolean =>
  !isLate(fact) &&
  (fact.type === 'CurveCompleted' ||
    fact.type === 'CurveMigrated' ||
    (fact.type === 'CurveTraded' && fact.data.realTokenRaw === 0n))
