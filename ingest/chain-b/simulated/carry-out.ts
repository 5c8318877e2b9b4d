/**
 * Executes the planned trades on a curve. Each yielded item is one transaction. If nothing can be traded,
 * nothing is yielded.
 */

import type { TokenRaw } from '../../../schemas/units.ts'
import { somebody } from '../../simulated/market/trading.ts'
import {
  type Amounts,
  amountsOfBuy,
  amountsOfSale,
  draftOfTrade,
  isComplete,
  noFees,
  rawOf,
  solIn,
  tokensWorth,
  trade,
} from './curve.ts'
import type { Draft } from './draft.ts'
import { mayhemAgent } from './identities.ts'
import { amountsOfPoolBuy, openPool, tradeInPool } from './pool.ts'
import type { Intent } from './schedule.ts'
import { completing, type Trading, tradeOnCurve } from './trading.ts'
import { agentWallet } from './wallets.ts'

type Drafts = readonly Draft[]

/** The smallest trade, in SOL. */
const tradeSolLeast = 0.01
const moveSolMost = 2.5

export function* carryOut(trading: Trading, intent: Intent): Generator<Drafts> {
  const { curve, random } = trading
  switch (intent.does) {
    case 'buy':
      yield* buy(trading, intent)
      return
    case 'together':
      for (const each of intent.buys) if (!isComplete(curve)) yield* buy(trading, { isExact: true, ...each })
      return
    case 'sell':
      yield* sell(trading, intent.wallet, (curve.holders.tokensOf(intent.wallet) * percentOf(intent.share)) / 100n)
      return
    case 'round-trip':
      yield* roundTrip(trading, intent)
      return
    case 'agent':
      yield* agent(trading)
      return
    case 'complete':
      yield complete(trading)
      return
    case 'move':
      yield* move(trading, (intent.toSol - solIn(curve)) * (0.5 + random.unit() / 2))
      return
    case 'settle':
      yield* settle(trading, intent.toSol)
  }
}

const percentOf = (share: number): bigint => BigInt(Math.round(share * 100))

type Buy = Readonly<{ wallet: number; sol: number; isExact: boolean }>

function* buy(trading: Trading, { wallet, sol, isExact }: Buy): Generator<Drafts> {
  const { curve } = trading
  const amounts = amountsOfBuy(curve, rawOf(curve, sol), isExact)
  if (amounts.tokenRaw > 0n) yield completing(curve, [tradeOnCurve(trading, wallet, amounts)])
}

function* sell(trading: Trading, wallet: number, tokens: TokenRaw): Generator<Drafts> {
  const amounts = amountsOfSale(trading.curve, tokens)
  if (amounts.quoteRaw < 0n) yield [tradeOnCurve(trading, wallet, amounts)]
}

/** Makes one trade of about `sol` SOL. A negative `sol` is a sale. */
function* move(trading: Trading, sol: number): Generator<Drafts> {
  const { random } = trading
  const size = Math.max(tradeSolLeast, Math.min(moveSolMost, Math.abs(sol)))
  if (sol > 0) yield* buy(trading, { wallet: somebody(random), sol: size, isExact: random.chance(0.6) })
  else yield* sellSome(trading, size)
}

/**
 * Makes a random holder sell tokens that are worth about `sol` SOL. If all tokens of the holder are not worth
 * much more, the holder sells all of them.
 */
function* sellSome(trading: Trading, sol: number): Generator<Drafts> {
  const { curve, random } = trading
  const holder = curve.holders.draw(random)
  if (holder === null) return
  const wanted = tokensWorth(curve, rawOf(curve, sol))
  yield* sell(trading, holder.wallet, holder.tokenRaw * 3n <= wanted * 4n ? holder.tokenRaw : wanted)
}

const settleTradesMost = 40

function* settle(trading: Trading, toSol: number): Generator<Drafts> {
  for (let count = 0; count < settleTradesMost; count++) {
    const sol = toSol - solIn(trading.curve)
    if (Math.abs(sol) < 2 * tradeSolLeast) return
    yield* move(trading, sol)
  }
}

/** Makes a bot buy and sell the same tokens in one transaction, which only increases the trading volume. */
function* roundTrip(trading: Trading, { wallet, sol }: Readonly<{ wallet: number; sol: number }>): Generator<Drafts> {
  const { curve } = trading
  const amounts = amountsOfBuy(curve, rawOf(curve, sol), true)
  if (amounts.tokenRaw <= 0n || amounts.tokenRaw === curve.realTokenRaw) return
  const bought = tradeOnCurve(trading, wallet, amounts)
  yield [bought, tradeOnCurve(trading, wallet, amountsOfSale(curve, amounts.tokenRaw))]
}

/**
 * Makes a trade of the official agent that trades on curves in mayhem mode. The agent pays no fee. The
 * agent's price differs from the price that the curve's formula gives.
 */
function* agent({ curve, random }: Trading): Generator<Drafts> {
  const held = curve.holders.tokensOf(agentWallet)
  const formula = random.chance(0.5)
    ? amountsOfBuy(curve, rawOf(curve, 0.1 + random.unit()), true)
    : amountsOfSale(curve, held / 2n)
  if (formula.quoteRaw === 0n || formula.tokenRaw === curve.realTokenRaw) return
  // The price always favours the curve, which must never owe more than it holds.
  const percent = BigInt(random.whole(1, 20))
  const quoteRaw = (formula.quoteRaw * (formula.quoteRaw > 0n ? 100n + percent : 100n - percent)) / 100n
  const amounts: Amounts = { ...formula, quoteRaw }
  trade(curve, agentWallet, amounts)
  yield [draftOfTrade(curve, mayhemAgent, { amounts, fees: noFees })]
}

/**
 * Makes a random wallet buy all remaining tokens. In some cases, the same transaction also buys from the
 * future pool of the curve.
 */
function complete(trading: Trading): Drafts {
  const { curve, identities, random } = trading
  const wallet = somebody(random)
  const all = rawOf(curve, 1000)
  const drafts = completing(curve, [tradeOnCurve(trading, wallet, amountsOfBuy(curve, all, true))])
  if (!random.chance(0.15)) return drafts
  const pool = openPool(curve)
  const amounts = amountsOfPoolBuy(pool, rawOf(curve, 0.2 + random.unit()))
  return [
    ...drafts,
    tradeInPool(pool, { wallet, address: identities.walletAt(wallet) }, { isBeforeMigration: true, ...amounts }),
  ]
}
