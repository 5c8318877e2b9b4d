/** Builds trades from a drawing. */
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildCurveTraded, buildKey, buildPoolTraded, lamports } from '../../../support/chain-b/build-facts.ts'

export const leader = buildKey(0x1ead)
const columnSec = 60

/** The token reserve. `quoteRawAt` gives the quote reserve with which the price is `price`. */
const tokenRaw = 10n ** 15n
const quoteRawAt = (price: number): bigint => BigInt(Math.round(price * 400_000_000))

const curveAt = (price: number) => ({ virtualQuoteRaw: quoteRawAt(price), virtualTokenRaw: tokenRaw })
const poolAt = (price: number) => ({ poolQuoteRaw: quoteRawAt(price), poolTokenRaw: tokenRaw })

type Traded = Readonly<{ trader?: Hex; sol?: number; tokens?: bigint; slot?: number }>

/**
 * Returns a trade after which the price is `price`. By default, it is a small buy by another trader. The
 * simulated chain has one slot per second.
 */
export const onCurve = (atSec: number, price: number, { trader, sol = 0.01, tokens, slot }: Traded = {}): ChainBFact =>
  buildCurveTraded({
    blockAtMs: second(atSec),
    ...(slot === undefined ? {} : { blockNumber: slot }),
    ...(trader && { trader }),
    quoteRaw: lamports(sol),
    ...(tokens === undefined ? {} : { tokenRaw: tokens }),
    ...curveAt(price),
  })

export const inPool = (atSec: number, price: number, { trader, sol = 0.01, tokens }: Traded = {}): ChainBFact =>
  buildPoolTraded({
    blockAtMs: second(atSec),
    ...(trader && { trader }),
    quoteRaw: lamports(sol),
    ...(tokens === undefined ? {} : { tokenRaw: tokens }),
    ...poolAt(price),
  })

export const openedAt = poolAt

/**
 * Builds trades from a drawing. One word is a minute, and its number is the price after the trade. `B100` is
 * a buy by the leader for 2 SOL, and `b100` for 0.5 SOL. `s100` is a sale by the leader for 0.5 SOL. `100` is
 * a trade by another trader, and `.` is nothing.
 */
export const drawMarket = (fromSec: number, drawing: string): ChainBFact[] =>
  drawing
    .trim()
    .split(/\s+/)
    .flatMap((word, column) => {
      if (word === '.') return []
      const atSec = fromSec + column * columnSec
      const price = Number(word.replace(/^[A-Za-z]/, ''))
      if (word.startsWith('B')) return [onCurve(atSec, price, { trader: leader, sol: 2 })]
      if (word.startsWith('b')) return [onCurve(atSec, price, { trader: leader, sol: 0.5 })]
      if (word.startsWith('s')) return [onCurve(atSec, price, { trader: leader, sol: -0.5 })]
      return [onCurve(atSec, price)]
    })
