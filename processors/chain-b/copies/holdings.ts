/** What the followed wallets of a mint hold, and the first sale after each of their buys. */
import type { Hex } from '../../../schemas/units.ts'
import type { Copy } from './copy.ts'
import { dealOf, type Trade } from './market.ts'

/** `unsold`: its buys without a sale so far, oldest first. `openCount`: of its buys whose hour is not over. */
type Holding = { tokenRaw: number; openCount: number; unsold: Copy[] }

export type Holdings = Map<Hex, Holding>

export function addBuy(holdings: Holdings, copy: Copy): void {
  const { wallet } = copy.opened
  const holding = holdings.get(wallet) ?? { tokenRaw: 0, openCount: 0, unsold: [] }
  holding.tokenRaw += copy.bought.tokenRaw
  holding.openCount++
  holding.unsold.push(copy)
  holdings.set(wallet, holding)
}

/** The amounts of a sale by a wallet without a followed buy are never read: most sales are such. */
export function addSale(holdings: Holdings, trade: Trade): void {
  const holding = holdings.get(trade.trader)
  if (holding === undefined) return
  const { lamports, tokenRaw } = dealOf(trade)
  const share = Math.min(1, tokenRaw / holding.tokenRaw)
  for (const copy of holding.unsold) {
    const { opened, bought } = copy
    const gain = lamports / tokenRaw / (bought.lamports / bought.tokenRaw) - 1
    copy.sale = { afterSec: Math.floor((trade.blockAtMs - opened.atMs) / 1000), share, gain }
  }
  holding.unsold = []
  holding.tokenRaw = Math.max(0, holding.tokenRaw - tokenRaw)
}

/** The hour after the buy is over. Buys are closed in their order. */
export function closeBuy(holdings: Holdings, copy: Copy): void {
  const holding = holdings.get(copy.opened.wallet)
  if (holding === undefined) return
  holding.openCount--
  if (holding.openCount === 0) holdings.delete(copy.opened.wallet)
  else if (holding.unsold[0] === copy) holding.unsold.shift()
}
