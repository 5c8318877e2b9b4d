/** The fields about missing trades. They are the same in the derived records of every chain. */
import { enumOf, nullable } from './avro.ts'
import { coinRaw, epochMs } from './flavors.ts'

/**
 * The states of a gap, a time with missing trades:
 * - `open`: the trades are missing, but may still be read.
 * - `given_up`: the trades will stay missing.
 * - `late`: the trades were read, but too late to count in any rule.
 */
const tradeGapStates = ['open', 'given_up', 'late'] as const

export const tradeGapFields = [
  { name: 'fromAtMs', type: epochMs, doc: 'no trade that is missing happened before' },
  { name: 'toAtMs', type: epochMs, doc: 'none happened later' },
  { name: 'trades', type: nullable('int'), doc: 'how many are missing; null: not known' },
  {
    name: 'volumeRaw',
    type: nullable(coinRaw),
    doc: 'what they moved of the coin; of trades that are not known one by one their net, which is the least; null: not known',
  },
  { name: 'state', type: enumOf('TradeGapState', tradeGapStates) },
  { name: 'failure', type: nullable('string'), doc: 'why they were given up' },
] as const
