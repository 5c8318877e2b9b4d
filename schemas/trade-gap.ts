/** The fields about missing trades that derived records of every chain share. */
import { enumOf, integer, nullable } from './avro.ts'

/**
 * `open`: the trades are missing and may still be read. `given_up`: they will stay missing. `late`: they were read, but too late to
 * count in any rule.
 */
const tradeGapStates = ['open', 'given_up', 'late'] as const

export const tradeGapFields = [
  { name: 'fromAtMs', type: 'long', doc: 'no trade that is missing happened before' },
  { name: 'toAtMs', type: 'long', doc: 'none happened later' },
  { name: 'trades', type: nullable('int'), doc: 'how many are missing; null: not known' },
  {
    name: 'volumeRaw',
    type: nullable(integer),
    doc: 'what they moved of the coin; of trades that are not known one by one their net, which is the least; null: not known',
  },
  { name: 'state', type: enumOf('TradeGapState', tradeGapStates) },
  { name: 'failure', type: nullable('string'), doc: 'why they were given up' },
] as const
