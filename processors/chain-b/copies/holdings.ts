/**
 * Keeps the token amounts that the followed wallets hold of their open purchases, and finds the first sale
 * after each of them.
 */
import assert from 'node:assert/strict'
import { type CopyRows, copiesBy } from './copy-rows.ts'
import { lamportsPerToken, type Trade } from './market.ts'

/** Adds the purchase that the newest copy repeats to the amount that its wallet holds. */
export function addBuy(copies: CopyRows, trade: Trade): void {
  const [oldest, ...newer] = copiesBy(copies, trade.trader)
  assert(oldest !== undefined, 'the copy of the purchase has no row')
  // The row of the purchase itself does not have an amount yet.
  const heldRaw = (newer.length > 0 ? oldest.heldRaw : 0) + Number(trade.tokenRaw)
  for (const copy of [oldest, ...newer]) copy.heldRaw = heldRaw
}

/**
 * Processes a sale. Most sales are by wallets without a followed purchase. For them the amounts are not
 * decoded, to save time.
 */
export function addSale(copies: CopyRows, trade: Trade): void {
  const own = copiesBy(copies, trade.trader)
  const heldRaw = own[0]?.heldRaw
  if (heldRaw === undefined) return
  const tokenRaw = -Number(trade.tokenRaw)
  const unsold = own.filter(({ saleAfterSec }) => Number.isNaN(saleAfterSec))
  const earned = unsold.length > 0 ? lamportsPerToken(trade) : 0
  for (const copy of unsold) {
    copy.saleAfterSec = Math.floor((trade.blockAtMs - copy.atMs) / 1000)
    copy.saleShare = Math.min(1, tokenRaw / heldRaw)
    copy.saleGain = earned / copy.lamportsPerToken - 1
  }
  for (const copy of own) copy.heldRaw = Math.max(0, heldRaw - tokenRaw)
}
