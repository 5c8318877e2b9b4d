/**
 * Decodes events of bonding curves to facts. The caller must first call `reader.read` with the payload. The
 * caller must also check that the payload has all fields of the event's first version.
 */
import { launchReserves, unsoldVirtualRaw } from '../../../schemas/chain-b/curve.ts'
import type { CurveLaunched } from '../../../schemas/chain-b/facts.ts'
import { blockAtMsOf, type DecodedEvent, type EventContext, placeFields, type RawEvent } from './decoded-event.ts'
import { pumpEvents } from './event-layouts.ts'
import { quoteMintOf } from './programs.ts'
import { addressAt, mintKeyAt } from './texts.ts'

const noTime: DecodedEvent = { kind: 'refused', reason: 'neither the slot nor the event has a time' }

/**
 * Decodes a trade. For a trade against SOL, the fields with `sol` in their name hold the amounts. For a trade
 * against another coin, these fields are zero, and the fields with `quote` hold the amounts.
 */
export function curveTradeOf({ payload }: RawEvent, { place }: EventContext): DecodedEvent {
  const event = pumpEvents.TradeEvent
  const { fields } = event
  const blockAtMs = blockAtMsOf(place, event.i64(fields.timestamp))
  if (blockAtMs === null) return noTime
  const quoteMint = event.has(fields.real_quote_reserves)
    ? quoteMintOf(addressAt(payload, event.startOf(fields.quote_mint)))
    : null
  const isSol = quoteMint === null
  const isBuy = event.bool(fields.is_buy) === true
  const quote = event.amount(isSol ? fields.sol_amount : fields.quote_amount)
  const tokens = event.amount(fields.token_amount)
  const virtualQuoteRaw = event.amount(isSol ? fields.virtual_sol_reserves : fields.virtual_quote_reserves)
  const virtualTokenRaw = event.amount(fields.virtual_token_reserves)
  const realQuoteRaw = event.u64(isSol ? fields.real_sol_reserves : fields.real_quote_reserves)
  return {
    kind: 'fact',
    key: mintKeyAt(payload, event.startOf(fields.mint)),
    fact: {
      type: 'CurveTraded',
      data: {
        trader: event.address(fields.user),
        quoteRaw: isBuy ? quote : -quote,
        tokenRaw: isBuy ? tokens : -tokens,
        virtualQuoteRaw,
        virtualTokenRaw,
        // Events of the first version lack the real reserves. All curves of that time began with
        // `launchReserves`, so the real reserves can be computed from the virtual ones.
        realQuoteRaw: realQuoteRaw ?? virtualQuoteRaw - launchReserves.quoteRaw,
        realTokenRaw: event.u64(fields.real_token_reserves) ?? virtualTokenRaw - unsoldVirtualRaw,
        feeRaw: event.amount(fields.fee),
        creatorFeeRaw: event.amount(fields.creator_fee),
        rewardsRaw: event.amount(fields.cashback) + event.amount(fields.holder_rewards),
        quoteMint,
        isMayhem: event.bool(fields.mayhem_mode) ?? false,
        // Nearly all facts are trades, so this code runs very often. The fields of `place` are copied one by
        // one, because a spread of an object is slow.
        lateSlot: null,
        lateAtMs: null,
        blockNumber: place.blockNumber,
        blockAtMs,
        txIndex: place.txIndex,
        logIndex: place.logIndex,
        blockHash: place.blockHash,
        txHash: place.txHash,
      },
    },
  }
}

export function launchOf({ payload }: RawEvent, { place }: EventContext): DecodedEvent {
  const event = pumpEvents.CreateEvent
  const { fields } = event
  const ends = placeFields(place, event.i64(fields.timestamp))
  if (ends === null) return noTime
  const launcher = addressAt(payload, event.startOf(fields.user))
  return {
    kind: 'fact',
    key: mintKeyAt(payload, event.startOf(fields.mint)),
    fact: {
      type: 'CurveLaunched',
      data: {
        curve: addressAt(payload, event.startOf(fields.bonding_curve)),
        launcher,
        creator: event.hex(fields.creator) ?? launcher,
        name: event.text(fields.name) ?? '',
        symbol: event.text(fields.symbol) ?? '',
        ...launchTerms(),
        ...ends,
      },
    },
  }
}

type Terms = Omit<
  CurveLaunched,
  'curve' | 'launcher' | 'creator' | 'name' | 'symbol' | keyof NonNullable<ReturnType<typeof placeFields>>
>

/**
 * Returns the supply and the first reserves of a launched curve. Events of the first versions lack these
 * values, and all curves of that time had the standard values.
 */
function launchTerms(): Terms {
  const event = pumpEvents.CreateEvent
  const { fields } = event
  const quoteMint = quoteMintOf(event.hex(fields.quote_mint))
  const quoteField = event.has(fields.virtual_quote_reserves) ? 'virtual_quote_reserves' : 'virtual_sol_reserves'
  const virtualTokenRaw = event.u64(fields.virtual_token_reserves) ?? launchReserves.tokenRaw
  return {
    supplyRaw: event.u64(fields.token_total_supply) ?? supplyDefaultRaw,
    virtualQuoteRaw: event.u64(fields[quoteField]) ?? launchReserves.quoteRaw,
    virtualTokenRaw,
    realQuoteRaw: 0n,
    realTokenRaw: event.u64(fields.real_token_reserves) ?? virtualTokenRaw - unsoldVirtualRaw,
    quoteMint,
    isMayhem: event.bool(fields.is_mayhem_mode) ?? false,
  }
}

const supplyDefaultRaw = 1_000_000_000_000_000n

export function completionOf({ payload }: RawEvent, { place }: EventContext): DecodedEvent {
  const event = pumpEvents.CompleteEvent
  const { fields } = event
  const ends = placeFields(place, event.i64(fields.timestamp))
  if (ends === null) return noTime
  const key = mintKeyAt(payload, event.startOf(fields.mint))
  return { kind: 'fact', key, fact: { type: 'CurveCompleted', data: ends } }
}

export function migrationOf({ payload }: RawEvent, { place }: EventContext): DecodedEvent {
  const event = pumpEvents.CompletePumpAmmMigrationEvent
  const { fields } = event
  const ends = placeFields(place, event.i64(fields.timestamp))
  if (ends === null) return noTime
  return {
    kind: 'fact',
    key: mintKeyAt(payload, event.startOf(fields.mint)),
    fact: {
      type: 'CurveMigrated',
      data: {
        pool: addressAt(payload, event.startOf(fields.pool)),
        poolQuoteRaw: event.amount(fields.sol_amount),
        poolTokenRaw: event.amount(fields.mint_amount),
        migrationFeeRaw: event.amount(fields.pool_migration_fee),
        quoteMint: quoteMintOf(event.hex(fields.quote_mint)),
        ...ends,
      },
    },
  }
}

/**
 * Decodes the second part of a buy that completed the curve. The first part buys the curve's last tokens. The
 * second part buys tokens that are meant for the pool, at the pool's price.
 */
export function postCompleteBuyOf({ payload }: RawEvent, { place }: EventContext): DecodedEvent {
  const event = pumpEvents.PostCompleteBuyEvent
  const { fields } = event
  const ends = placeFields(place, event.i64(fields.timestamp))
  if (ends === null) return noTime
  return {
    kind: 'fact',
    key: mintKeyAt(payload, event.startOf(fields.mint)),
    fact: {
      type: 'PoolTraded',
      data: {
        trader: addressAt(payload, event.startOf(fields.user)),
        quoteRaw: event.amount(fields.quote_in),
        tokenRaw: event.amount(fields.base_out),
        poolQuoteRaw: event.amount(fields.pool_quote_reserves_after),
        poolTokenRaw: event.amount(fields.pool_base_reserves_after),
        virtualQuoteRaw: 0n,
        lpFeeRaw: 0n,
        feeRaw: event.amount(fields.fee),
        creatorFeeRaw: event.amount(fields.creator_fee),
        rewardsRaw: 0n,
        isBeforeMigration: true,
        quoteMint: quoteMintOf(event.hex(fields.quote_mint)),
        ...ends,
      },
    },
  }
}
