/** Executes swaps in a launch's pool, and updates the token balances of the holders. */

import type { Address, TokenRaw } from '../../../schemas/units.ts'
import { type Draft, type Launch, weiOf } from './launch.ts'
import { swapExactIn } from './pool.ts'
import type { Intent } from './schedule.ts'

const routers = [
  '0x66a9893cc07d91d95644aedd05d03f95e1dba8af',
  '0x0000ffff6a1d5c9fbd3b8d5f4a8cb1b5d3f719c0',
  '0x6ff5693b99212da76ad316178a184ab56d299b43',
  '0x2626664c2603336e57b271c5c0b26f421741e481',
] as const

export type Trade = Readonly<{ wallet: number; drafts: readonly Draft[] }>

/** Executes a planned trade. Returns null if nobody has tokens to sell. */
export function carryOut(launch: Launch, intent: Intent): Trade | null {
  if (intent.side === 'buy') {
    const drafts = [buy(launch, intent.wallet, intent.eth)]
    return { wallet: intent.wallet, drafts: withHookSwap(launch, drafts) }
  }
  if (launch.holders.length === 0) return null
  const seat = launch.random.whole(0, launch.holders.length - 1)
  const holder = launch.holders[seat]
  if (holder === undefined) return null
  const tokens = intent.side === 'exit' ? shareOf(holder.tokens, intent.share) : tokensFor(launch, intent.eth)
  if (tokens === 0n) return null
  return { wallet: holder.wallet, drafts: [sell(launch, seat, least(tokens, holder.tokens))] }
}

/**
 * Sells all tokens of the first holder in the list. The first holder is the oldest one, unless it was removed:
 * the last holder in the list then took its place.
 */
export function dump(launch: Launch): Trade {
  const [oldest] = launch.holders
  if (oldest === undefined) return { wallet: launch.creator, drafts: [] }
  return { wallet: oldest.wallet, drafts: [sell(launch, 0, oldest.tokens)] }
}

/**
 * Sometimes adds a swap of the pool's hook contract to the transaction of a wallet. In this swap, the hook
 * buys with its collected fees. The rules that detect bursts must not count such swaps.
 */
function withHookSwap(launch: Launch, drafts: readonly Draft[]): readonly Draft[] {
  const { hooks } = launch.plan
  if (hooks === null || !launch.random.chance(0.02)) return drafts
  return [...drafts, swapDraft(launch, { isBuy: true, amountIn: weiOf(0.02), sender: hooks }).draft]
}

export function buy(launch: Launch, wallet: number, eth: number): Draft {
  const sender = routers[wallet % routers.length] ?? routers[0]
  const { draft, paidOut } = swapDraft(launch, { isBuy: true, amountIn: weiOf(eth), sender })
  if (paidOut > 0n) launch.holders.push({ wallet, tokens: paidOut })
  return draft
}

function sell(launch: Launch, seat: number, tokens: TokenRaw): Draft {
  const holder = launch.holders[seat]
  const sender = routers[(holder?.wallet ?? 0) % routers.length] ?? routers[0]
  const { draft, paidIn } = swapDraft(launch, { isBuy: false, amountIn: tokens, sender })
  if (holder !== undefined) {
    holder.tokens -= paidIn
    if (holder.tokens <= 0n) forget(launch, seat)
  }
  return draft
}

/**
 * Removes a holder. The last holder takes the free place in the list, because a removal from the middle would
 * copy the list.
 */
function forget(launch: Launch, seat: number): void {
  const last = launch.holders.pop()
  if (last !== undefined && seat < launch.holders.length) launch.holders[seat] = last
}

function swapDraft(launch: Launch, want: Readonly<{ isBuy: boolean; amountIn: bigint; sender: Address }>) {
  const { plan, pool } = launch
  const { paidIn, paidOut } = swapExactIn(pool, want.isBuy === plan.ethIsCurrency0, want.amountIn)
  const draft: Draft = {
    type: 'Swap',
    data: {
      pool: plan.pool,
      ethWei: want.isBuy ? paidIn : -paidOut,
      tokenRaw: want.isBuy ? paidOut : -paidIn,
      sqrtPriceX96: pool.sqrtPriceX96,
      liquidity: pool.liquidity,
      tick: pool.priceTick,
      sender: want.sender,
    },
  }
  return { draft, paidIn, paidOut }
}

/** The number of tokens that are worth `eth` at the current price. */
function tokensFor(launch: Launch, eth: number): bigint {
  const { sqrtPriceX96 } = launch.pool
  const square = sqrtPriceX96 * sqrtPriceX96
  const wei = weiOf(eth)
  return launch.plan.ethIsCurrency0 ? (wei * square) >> 192n : (wei << 192n) / square
}

const shareOf = (tokens: TokenRaw, share: number): bigint => (tokens * BigInt(Math.round(share * 100))) / 100n
const least = (left: bigint, right: bigint): bigint => (left < right ? left : right)
