/**
 * Lists the kinds of signals of chain B that a backtest compares. Returns are after trading costs, except
 * those of calls and graduations.
 */
import type {
  BurstAnatomy,
  BurstOutcome,
  CopyClosed,
  CopyOpened,
  GraduationPost,
} from '../../schemas/chain-b/derived.ts'
import { scoredCalls } from '../calls/compared-calls.ts'
import { deskTrades } from '../desk/compared-trades.ts'
import type { ComparedKind } from '../signals.ts'

type Costs = Readonly<{ outcomes: number; desk: number }>

export const signalsOf = (costs: Costs): readonly ComparedKind[] => [
  {
    ...{ name: 'bursts', signal: 'Burst', outcome: 'BurstOutcome' },
    knownBy: { type: 'Burst', factRow: null },
    groupOf: () => 'curve',
    returns: [
      { name: 'ruleRet', of: ({ ruleRet }: BurstOutcome) => ruleRet, costs: costs.outcomes },
      { name: 'ret20m', of: ({ ret20m }: BurstOutcome) => ret20m, costs: costs.outcomes },
    ],
    lookups: [
      {
        ...{ name: 'holders', record: 'BurstAnatomy' },
        isEmpty: ({ holdersTop10 }: BurstAnatomy) => holdersTop10 === null,
        fields: {
          holdersTop10: { values: null, of: ({ holdersTop10 }: BurstAnatomy) => holdersTop10 },
          holderTop1: { values: null, of: ({ holderTop1 }: BurstAnatomy) => holderTop1 },
          bundledShare: { values: null, of: ({ bundledShare }: BurstAnatomy) => bundledShare },
        },
      },
    ],
  },
  {
    ...{ name: 'graduations', signal: 'Graduation', outcome: 'GraduationPost' },
    knownBy: { type: 'Graduation', factRow: null },
    groupOf: () => 'curve',
    returns: [{ name: 'ret15', of: ({ ret15 }: GraduationPost) => ret15, costs: 0 }],
    lookups: [],
  },
  {
    ...{ name: 'copied buys', signal: 'CopyOpened', outcome: 'CopyClosed' },
    knownBy: { type: 'CopyOpened', factRow: null },
    groupOf: ({ fillAt }: CopyOpened) => (fillAt === 1 ? 'pool' : 'curve'),
    // The return is after the fees of the curve or pool. No other costs are deducted.
    returns: [{ name: 'ret', of: ({ ret }: CopyClosed) => ret, costs: 0 }],
    lookups: [],
  },
  scoredCalls,
  deskTrades(costs.desk),
]
