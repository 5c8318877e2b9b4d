/** Reads the recorded data of chain B. `test/fixtures/chain-b/README.md` describes the sources of the data. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { WireTransaction } from '../../../ingest/chain-b/decode/transaction/wire.ts'
import type { VixenTransaction } from './from-vixen.ts'

const folder = join(import.meta.dirname, '../../fixtures/chain-b')
const textOf = (file: string): string => gunzipSync(readFileSync(join(folder, file))).toString()

/** A recorded event. In `decoded`, integers are decimal texts and addresses are in base58. */
export type RecordedEvent = Readonly<{
  event: string
  payload: string
  fieldCount: number
  slot: number | null
  decoded: Readonly<Record<string, unknown>>
}>

export const recordedEvents = (): readonly RecordedEvent[] => JSON.parse(textOf('events.json.gz'))

export type RecordedTransaction = WireTransaction & Readonly<{ slot?: number; blockTime?: number }>

export const recordedTransactions = (): Readonly<Record<string, RecordedTransaction>> =>
  JSON.parse(textOf('transactions.json.gz'))

export const vixenTransactions = (): Readonly<Record<string, VixenTransaction>> => JSON.parse(textOf('vixen.json.gz'))

export const recordedAccounts = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, 'accounts.json'), 'utf8'))

/**
 * A trade of September 2025. `transaction` is the number of its transaction. `price` is the average price,
 * rounded.
 */
export type RecordedTrade = Readonly<{
  mint: string
  transaction: number
  ordinal: number
  slot: number
  time: number
  user: string
  isBuy: boolean
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
  price: string
}>

const numbers = ['transaction', 'ordinal', 'slot', 'time']
const texts = ['mint', 'user', 'feeRecipient', 'creator', 'price']

const typedValue = (name: string, text: string): unknown => {
  if (texts.includes(name)) return text
  if (name === 'isBuy') return text === '1'
  return numbers.includes(name) ? Number(text) : BigInt(text)
}

/**
 * Returns all trades in chain order. So the reserves in each trade of a mint follow from the mint's trade
 * before it.
 */
export function recordedTrades(): readonly RecordedTrade[] {
  const [header = '', ...lines] = textOf('trades.csv.gz').trim().split('\n')
  const names = header.split(',')
  return lines.map((line) => {
    const values = line.split(',')
    return Object.fromEntries(names.map((name, at) => [name, typedValue(name, values[at] ?? '')])) as RecordedTrade
  })
}
