/**
 * Lists the kinds of signals of chain A that a backtest compares. Returns are after trading costs, except
 * those of calls.
 */
import {
  type Burst,
  type BurstBuyers,
  type BurstLp,
  type BurstOutcome,
  lpClasses,
} from '../../schemas/chain-a/derived.ts'
import { scoredCalls } from '../calls/compared-calls.ts'
import { deskTrades } from '../desk/compared-trades.ts'
import type { ComparedKind } from '../signals.ts'

type Costs = Readonly<{ outcomes: number; desk: number }>

export const signalsOf = (costs: Costs): readonly ComparedKind[] => [
  {
    ...{ name: 'bursts', signal: 'Burst', outcome: 'BurstOutcome' },
    knownBy: { type: 'Burst', factRow: null },
    groupOf: ({ tier }: Burst) => tier,
    returns: [
      { name: 'ruleRet', of: ({ ruleRet }: BurstOutcome) => ruleRet, costs: costs.outcomes },
      { name: 'ret30m', of: ({ ret30m }: BurstOutcome) => ret30m, costs: costs.outcomes },
    ],
    lookups: [
      {
        ...{ name: 'buyers', record: 'BurstBuyers', isEmpty: ({ wallets }: BurstBuyers) => wallets === null },
        fields: { buyers: { values: null, of: ({ wallets }: BurstBuyers) => wallets?.length ?? null } },
      },
      {
        ...{ name: 'liquidity', record: 'BurstLp', isEmpty: (lp: BurstLp) => lp.class === 'unknown' },
        fields: {
          lp: { values: lpClasses, of: (lp: BurstLp) => lp.class },
          insiderShare: { values: null, of: ({ insiderShare }: BurstLp) => insiderShare },
        },
      },
    ],
  },
  scoredCalls,
  deskTrades(costs.desk),
]
