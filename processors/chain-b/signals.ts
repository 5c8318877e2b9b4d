/** What a backtest compares on chain B. Returns in records have costs deducted; those of calls and graduations have none. */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type {
  BurstAnatomy,
  BurstOutcome,
  CopyClosed,
  CopyOpened,
  GraduationPost,
} from '../../schemas/chain-b/derived.ts'
import type { DeskTrade } from '../../schemas/desk/derived.ts'
import type { SignalKind } from '../signals.ts'

type Costs = Readonly<{ outcomes: number; desk: number }>

export const signalsOf = (costs: Costs): readonly SignalKind[] => [
  {
    ...{ name: 'bursts', signal: 'Burst', outcome: 'BurstOutcome' },
    groupOf: () => 'curve',
    returns: [
      { name: 'ruleRet', of: ({ ruleRet }: BurstOutcome) => ruleRet, costs: costs.outcomes },
      { name: 'ret20m', of: ({ ret20m }: BurstOutcome) => ret20m, costs: costs.outcomes },
    ],
    lookups: [
      { name: 'holders', record: 'BurstAnatomy', isEmpty: ({ holdersTop10 }: BurstAnatomy) => holdersTop10 === null },
    ],
  },
  {
    ...{ name: 'graduations', signal: 'Graduation', outcome: 'GraduationPost' },
    groupOf: () => 'curve',
    returns: [{ name: 'ret15', of: ({ ret15 }: GraduationPost) => ret15, costs: 0 }],
    lookups: [],
  },
  {
    ...{ name: 'copied buys', signal: 'CopyOpened', outcome: 'CopyClosed' },
    groupOf: ({ fillAt }: CopyOpened) => (fillAt === 1 ? 'pool' : 'curve'),
    // All fees of the trades themselves are in it.
    returns: [{ name: 'ret', of: ({ ret }: CopyClosed) => ret, costs: 0 }],
    lookups: [],
  },
  {
    ...{ name: 'calls', signal: 'CallScored', outcome: null },
    groupOf: ({ unscored }: CallScored) => (unscored === null ? 'scored' : 'not scored'),
    returns: [{ name: 'ret60', of: ({ ret60 }: CallScored) => ret60, costs: 0 }],
    lookups: [],
  },
  {
    ...{ name: 'desk trades', signal: 'DeskTrade', outcome: null },
    groupOf: ({ lane }: DeskTrade) => lane,
    returns: [{ name: 'ret', of: ({ ret }: DeskTrade) => ret, costs: costs.desk }],
    lookups: [],
  },
]
