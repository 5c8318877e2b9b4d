/**
 * Keeps the token amounts that the followed wallets hold, and finds the first sale after each followed
 * purchase.
 */
import assert from 'node:assert/strict'
import type { Address } from '../../../schemas/units.ts'
import type { Copy } from './copy.ts'
import { lamportsPerToken, type Trade } from './market.ts'

/**
 * The holding of one wallet. `unsold` are the wallet's purchases after its last sale, oldest first.
 * `openCount` is the number of the wallet's purchases in the last hour.
 */
type Holding = { tokenRaw: number; openCount: number; unsold: Copy[] }

export type Holdings = Map<Address, Holding>

export function addBuy(holdings: Holdings, copy: Copy): void {
  const { wallet } = copy.opened
  const holding = holdings.get(wallet) ?? { tokenRaw: 0, openCount: 0, unsold: [] }
  holding.tokenRaw += copy.tokenRaw
  holding.openCount++
  holding.unsold.push(copy)
  holdings.set(wallet, holding)
}

/**
 * Processes a sale. Most sales are by wallets without a followed purchase. For them the amounts are not
 * decoded, to save time.
 */
export function addSale(holdings: Holdings, trade: Trade): void {
  const holding = holdings.get(trade.trader)
  if (holding === undefined) return
  const tokenRaw = -Number(trade.tokenRaw)
  if (holding.unsold.length > 0) {
    const share = Math.min(1, tokenRaw / holding.tokenRaw)
    const earned = lamportsPerToken(trade)
    for (const copy of holding.unsold) {
      const afterSec = Math.floor((trade.blockAtMs - copy.opened.atMs) / 1000)
      copy.sale = { afterSec, share, gain: earned / copy.lamportsPerToken - 1 }
    }
    holding.unsold = []
  }
  holding.tokenRaw = Math.max(0, holding.tokenRaw - tokenRaw)
}

/**
 * Removes a purchase from the holding of its wallet. Call this function when the hour after the purchase is
 * over. The calls must be in the order of the purchases.
 */
export function closeBuy(holdings: Holdings, copy: Copy): void {
  const holding = holdings.get(copy.opened.wallet)
  assert(holding !== undefined, 'the wallet has an open buy but no holding')
  holding.openCount--
  if (holding.openCount === 0) holdings.delete(copy.opened.wallet)
  else if (holding.unsold[0] === copy) holding.unsold.shift()
}
