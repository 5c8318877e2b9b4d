import { expect } from 'chai'
import { missingIn } from '../../../projections/trade-gaps/missing-trades.ts'
import type { TradeGapRow } from '../../../projections/trade-gaps/trade-gap-table.ts'

const gapOf = (fields: Partial<TradeGapRow>): TradeGapRow => ({
  ...{ chain: 'chain-b', token: 'token', market: 'pool', atMs: 1000, place: 'a', fromAtMs: 900, toAtMs: 1000 },
  ...{ trades: 1, volumeRaw: '1', state: 'late', knownAtMs: 2000 },
  ...fields,
})

const traded = { token: 'token', afterMs: 0, toMs: 5000 }
const missingOf = (gaps: readonly TradeGapRow[]) => missingIn(gaps, traded, Number)

/** All orders of the values. */
const ordersOf = <Value>(values: readonly Value[]): readonly (readonly Value[])[] =>
  values.length < 2
    ? [values]
    : values.flatMap((first, index) => ordersOf(values.toSpliced(index, 1)).map((rest) => [first, ...rest]))

describe('the missing trades of several gaps', () => {
  const small = gapOf({ trades: 2, volumeRaw: '10', knownAtMs: 2000 })
  const large = gapOf({ trades: 3, volumeRaw: '500', knownAtMs: 4000 })
  const other = gapOf({ trades: 5, volumeRaw: '7000', knownAtMs: 3000 })

  for (const [says, gap, expected] of [
    ['are the sums of all gaps', other, { trades: 10, volume: 7510 }],
    ['have no count if one gap lacks it', { ...other, trades: null }, { trades: null, volume: 7510 }],
    ['have no volume if one gap lacks it', { ...other, volumeRaw: null }, { trades: 10, volume: null }],
    ['have neither if one gap lacks both', { ...other, trades: null, volumeRaw: null }, { trades: null, volume: null }],
  ] as const)
    it(`${says}, in any order of the gaps`, () => {
      for (const gaps of ordersOf([small, large, gap]))
        expect(missingOf(gaps)).to.deep.equal({ ...expected, knownAtMs: 4000 })
    })

  it('have neither if each gap lacks one of them, in any order of the gaps', () => {
    for (const gaps of ordersOf([small, { ...large, trades: null }, { ...other, volumeRaw: null }]))
      expect(missingOf(gaps)).to.deep.equal({ trades: null, volume: null, knownAtMs: 4000 })
  })
})
