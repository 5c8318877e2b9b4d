/**
 * Encodes events as the on-chain programs do. The layouts are written here a second time, and no code of the
 * decoder is used.
 */
import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'

/**
 * One value of an event: an integer of a given size, a flag, an address in base58, a text, or a list of
 * shares.
 */
export type Value =
  | Readonly<{ u8: number }>
  | Readonly<{ u16: number }>
  | Readonly<{ u64: bigint }>
  | Readonly<{ i64: bigint }>
  | Readonly<{ i128: bigint }>
  | Readonly<{ bool: boolean }>
  | Readonly<{ key: string }>
  | Readonly<{ text: string }>
  | Readonly<{ shares: readonly Readonly<{ key: string; bps: number }>[] }>

const littleEndian = (value: bigint, size: number): Buffer => {
  const bits = BigInt.asUintN(size * 8, value)
    .toString(16)
    .padStart(size * 2, '0')
  return Buffer.from(bits, 'hex').reverse()
}

export function encodeValue(value: Value): Buffer {
  if ('u8' in value) return littleEndian(BigInt(value.u8), 1)
  if ('u16' in value) return littleEndian(BigInt(value.u16), 2)
  if ('u64' in value) return littleEndian(value.u64, 8)
  if ('i64' in value) return littleEndian(value.i64, 8)
  if ('i128' in value) return littleEndian(value.i128, 16)
  if ('bool' in value) return Buffer.of(value.bool ? 1 : 0)
  if ('key' in value) return Buffer.from(base58.decode(value.key))
  if ('text' in value) {
    const text = Buffer.from(value.text)
    return Buffer.concat([littleEndian(BigInt(text.length), 4), text])
  }
  const shares = value.shares.flatMap(({ key, bps }) => [encodeValue({ key }), encodeValue({ u16: bps })])
  return Buffer.concat([littleEndian(BigInt(value.shares.length), 4), ...shares])
}

/** Returns the eight bytes that mark an event's kind, followed by the event's values. */
export const encodeEvent = (name: string, values: readonly Value[]): Buffer =>
  Buffer.concat([createHash('sha256').update(`event:${name}`).digest().subarray(0, 8), ...values.map(encodeValue)])

/** A trade in the layout of 225 bytes, which was the first layout with fees. */
export type TradeToEncode = Readonly<{
  mint: string
  user: string
  isBuy: boolean
  time: number
  sol: bigint
  tokens: bigint
  virtualSol: bigint
  virtualTokens: bigint
  realSol: bigint
  realTokens: bigint
  feeRecipient: string
  feeBps: bigint
  fee: bigint
  creator: string
  creatorFeeBps: bigint
  creatorFee: bigint
}>

export const encodeTrade = (trade: TradeToEncode): Buffer =>
  encodeEvent('TradeEvent', [
    { key: trade.mint },
    { u64: trade.sol },
    { u64: trade.tokens },
    { bool: trade.isBuy },
    { key: trade.user },
    { i64: BigInt(trade.time) },
    { u64: trade.virtualSol },
    { u64: trade.virtualTokens },
    { u64: trade.realSol },
    { u64: trade.realTokens },
    { key: trade.feeRecipient },
    { u64: trade.feeBps },
    { u64: trade.fee },
    { key: trade.creator },
    { u64: trade.creatorFeeBps },
    { u64: trade.creatorFee },
  ])

/**
 * Encodes a trade in the layout of 2026, which has 382 bytes. The first fees are followed by volumes, name,
 * flags and further fees. Then the amounts come again.
 */
export function encodeNewestTrade(trade: TradeToEncode, { cashback = 0n, holderRewards = 0n } = {}): Buffer {
  const zero = { u64: 0n }
  const volume = [{ bool: false }, zero, zero, zero, { i64: 0n }, { text: 'buy' }, { bool: false }]
  const solMint = { key: '1'.repeat(32) }
  const amounts = [{ u64: trade.sol }, { u64: trade.virtualSol }, { u64: trade.realSol }]
  const tail = [
    zero,
    { u64: cashback },
    zero,
    zero,
    { shares: [] },
    solMint,
    ...amounts,
    zero,
    { u64: holderRewards },
    zero,
  ]
  return Buffer.concat([encodeTrade(trade), ...[...volume, ...tail].map(encodeValue)])
}

const programs = {
  pump: ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P', 'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1'],
  'pump-swap': ['pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA', 'GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR'],
} as const

export const [pumpAddress] = programs.pump
export const [pumpSwapAddress] = programs['pump-swap']

export type EmittedEvent = Readonly<{ program: keyof typeof programs; payload: Buffer }>

/** Returns a different signature for each number. */
export const signatureOf = (number: number): string =>
  base58.encode(Buffer.concat([Buffer.alloc(56, 0xa7), littleEndian(BigInt(number), 8)]))

/** Builds a transaction in JSON. A router program calls the programs one after the other. */
export function transactionOf(events: readonly EmittedEvent[], signature: string) {
  const accountKeys = ['JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4', ...Object.values(programs).flat()]
  const tag = Buffer.from('e445a52e51cb9a1d', 'hex')
  const instructions = events.map(({ program, payload }) => ({
    programIdIndex: accountKeys.indexOf(programs[program][0]),
    accounts: [accountKeys.indexOf(programs[program][1])],
    data: base58.encode(Buffer.concat([tag, payload])),
  }))
  const calls = events.flatMap(({ program, payload }) => {
    const [id] = programs[program]
    return [
      `Program ${id} invoke [2]`,
      'Program log: Instruction: Buy',
      `Program data: ${payload.toString('base64')}`,
      `Program ${id} invoke [3]`,
      `Program ${id} consumed 2010 of 180000 compute units`,
      `Program ${id} success`,
      `Program ${id} success`,
    ]
  })
  return {
    transaction: { signatures: [signature], message: { accountKeys } },
    meta: {
      err: null,
      innerInstructions: [{ index: 0, instructions }],
      logMessages: [`Program ${accountKeys[0]} invoke [1]`, ...calls, `Program ${accountKeys[0]} success`],
    },
  }
}
