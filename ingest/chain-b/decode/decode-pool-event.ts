/**
 * Decodes events of pools to facts. Only trades in the pool into which a followed mint's curve migrated
 * become facts. In such a pool, the base coin is the token. Anybody can create other pools, even with the two
 * coins swapped. A trade event does not show which coins its pool has.
 */
import { afterPoolTrade } from '../../../schemas/chain-b/pool.ts'
import { type DecodedEvent, type EventContext, ignored, placeFields, type RawEvent } from './decoded-event.ts'
import { pumpSwapEvents } from './event-layouts.ts'
import { addressAt } from './texts.ts'

/** Decodes a trade. The event has the reserves before the trade. The fact has the reserves after it. */
export function poolTradeOf({ payload }: RawEvent, context: EventContext, isBuy: boolean): DecodedEvent {
  const event = isBuy ? pumpSwapEvents.BuyEvent : pumpSwapEvents.SellEvent
  const { fields } = event
  const pool = context.poolOf(addressAt(payload, event.startOf(fields.pool)))
  if (!pool) return ignored
  const ends = placeFields(context.place, event.i64(fields.timestamp))
  if (ends === null) return { kind: 'refused', reason: 'neither the slot nor the event has a time' }
  const { quote, tokens } = isBuy ? bought() : sold()
  const virtualQuoteRaw = event.i128(fields.virtual_quote_reserves) ?? 0n
  const before = {
    quoteRaw: event.amount(fields.pool_quote_token_reserves) + virtualQuoteRaw,
    tokenRaw: event.amount(fields.pool_base_token_reserves),
  }
  const trade = { quoteRaw: quote, tokenRaw: tokens, lpFeeRaw: event.amount(fields.lp_fee) }
  const after = afterPoolTrade(before, trade)
  return {
    kind: 'fact',
    key: pool.key,
    fact: {
      type: 'PoolTraded',
      data: {
        trader: addressAt(payload, event.startOf(fields.user)),
        quoteRaw: trade.quoteRaw,
        tokenRaw: trade.tokenRaw,
        poolQuoteRaw: after.quoteRaw,
        poolTokenRaw: after.tokenRaw,
        virtualQuoteRaw,
        lpFeeRaw: trade.lpFeeRaw,
        feeRaw: event.amount(fields.protocol_fee),
        creatorFeeRaw: event.amount(fields.coin_creator_fee),
        rewardsRaw: event.amount(fields.cashback) + event.amount(fields.holder_rewards),
        isBeforeMigration: false,
        quoteMint: pool.quoteMint,
        ...ends,
      },
    },
  }
}

function bought() {
  const event = pumpSwapEvents.BuyEvent
  const { fields } = event
  return { quote: event.amount(fields.quote_amount_in), tokens: event.amount(fields.base_amount_out) }
}

function sold() {
  const event = pumpSwapEvents.SellEvent
  const { fields } = event
  return { quote: -event.amount(fields.quote_amount_out), tokens: -event.amount(fields.base_amount_in) }
}

export function poolCreationOf({ payload }: RawEvent): DecodedEvent {
  const event = pumpSwapEvents.CreatePoolEvent
  const { fields } = event
  return {
    kind: 'pool-created',
    pool: addressAt(payload, event.startOf(fields.pool)),
    quoteRaw: event.amount(fields.pool_quote_amount),
    tokenRaw: event.amount(fields.pool_base_amount),
  }
}
