/** Encodes facts as transactions of a node. Ingest must decode the same facts from these transactions. */
import { base58 } from '@scure/base'
import type { ChainBEvent, PoolTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { type EmittedEvent, encodeEvent, encodeNewestTrade, transactionOf, type Value } from '../encode-events.ts'
import type { ScriptedMint, ScriptedTransaction } from './script.ts'

const textOf = (hex: Hex): string => base58.encode(Buffer.from(hex.slice(2), 'hex'))
const somebody = textOf(`0x${'5b'.repeat(32)}`)
const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

type Context = Readonly<{ mint: ScriptedMint; time: number }>
type Of<Type extends ChainBEvent['type']> = Extract<ChainBEvent, { type: Type }>['data']

const launch = (data: Of<'CurveLaunched'>, { mint, time }: Context): Buffer =>
  encodeEvent('CreateEvent', [
    ...[data.name, data.symbol, 'https://metadata.example/1'].map((text) => ({ text })),
    ...[mint.mint, mint.curve, textOf(data.launcher), textOf(data.creator)].map((key) => ({ key })),
    { i64: BigInt(time) },
    ...[data.virtualTokenRaw, data.virtualQuoteRaw, data.realTokenRaw, data.supplyRaw].map((u64) => ({ u64 })),
  ])

const trade = (data: Of<'CurveTraded'>, { mint, time }: Context): Buffer =>
  encodeNewestTrade({
    ...{ mint: mint.mint, user: textOf(data.trader), isBuy: data.quoteRaw > 0n, time },
    ...{ sol: sizeOf(data.quoteRaw), tokens: sizeOf(data.tokenRaw) },
    ...{ virtualSol: data.virtualQuoteRaw, virtualTokens: data.virtualTokenRaw },
    ...{ realSol: data.realQuoteRaw, realTokens: data.realTokenRaw },
    ...{ feeRecipient: somebody, feeBps: 95n, fee: data.feeRaw },
    ...{ creator: textOf(mint.creator), creatorFeeBps: 30n, creatorFee: data.creatorFeeRaw },
  })

const complete = ({ mint, time }: Context): Buffer =>
  encodeEvent('CompleteEvent', [...[somebody, mint.mint, mint.curve].map((key) => ({ key })), { i64: BigInt(time) }])

const migrate = (data: Of<'CurveMigrated'>, { mint, time }: Context): Buffer =>
  encodeEvent('CompletePumpAmmMigrationEvent', [
    ...[somebody, mint.mint].map((key) => ({ key })),
    ...[data.poolTokenRaw, data.poolQuoteRaw, data.migrationFeeRaw].map((u64) => ({ u64 })),
    { key: mint.curve },
    { i64: BigInt(time) },
    { key: mint.pool },
  ])

/**
 * Encodes a pool trade in the first layout with a creator's fee. The event contains the reserves before the
 * trade.
 */
function tradeInPool(data: PoolTraded, { mint, time }: Context): Buffer {
  const isBuy = data.quoteRaw > 0n
  const quote = sizeOf(data.quoteRaw)
  const before = [data.poolTokenRaw + data.tokenRaw, data.poolQuoteRaw - data.quoteRaw]
  const amounts = [sizeOf(data.tokenRaw), 0n, 0n, 0n, ...before, quote, 0n, 0n, 5n, data.feeRaw, quote, quote]
  const keys = [mint.pool, textOf(data.trader), ...Array.from({ length: 4 }, () => somebody), textOf(mint.creator)]
  return encodeEvent(isBuy ? 'BuyEvent' : 'SellEvent', [
    { i64: BigInt(time) },
    ...amounts.map((u64): Value => ({ u64 })),
    ...keys.map((key): Value => ({ key })),
    { u64: 0n },
    { u64: data.creatorFeeRaw },
  ])
}

function emitted({ type, data }: ChainBEvent, context: Context): EmittedEvent {
  switch (type) {
    case 'CurveLaunched':
      return { program: 'pump', payload: launch(data, context) }
    case 'CurveTraded':
      return { program: 'pump', payload: trade(data, context) }
    case 'CurveCompleted':
      return { program: 'pump', payload: complete(context) }
    case 'CurveMigrated':
      return { program: 'pump', payload: migrate(data, context) }
    case 'PoolTraded':
      return { program: 'pump-swap', payload: tradeInPool(data, context) }
  }
}

export type JsonTransaction = ReturnType<typeof transactionOf>

export function encodeTransaction(
  { facts, mint, isFailed }: ScriptedTransaction,
  { signature, time }: Readonly<{ signature: string; time: number }>,
) {
  const { transaction, meta } = transactionOf(
    facts.map((fact) => emitted(fact, { mint, time })),
    signature,
  )
  const err = isFailed === true ? { InstructionError: [0, { Custom: 6001 }] } : null
  return { transaction, meta: { ...meta, err } }
}

/**
 * Returns the transaction as bytes in base64. It has no instructions, because the reader does not need them
 * here.
 */
export function toBase64({ transaction: { signatures, message } }: Pick<JsonTransaction, 'transaction'>) {
  const keys = message.accountKeys.map((key) => base58.decode(key))
  const parts = [Buffer.of(1), base58.decode(signatures[0] ?? ''), Buffer.of(1, 0, 0, keys.length), ...keys]
  return [Buffer.concat([...parts, Buffer.alloc(32), Buffer.of(0)]).toString('base64'), 'base64'] as const
}
