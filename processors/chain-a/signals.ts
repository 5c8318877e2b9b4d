/** What a backtest compares on chain A. Returns in records have costs deducted; those of calls have none. */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type { Burst, BurstBuyers, BurstOutcome } from '../../schemas/chain-a/derived.ts'
import type { DeskTrade } from '../../schemas/desk/derived.ts'
import type { SignalKind } from '../signals.ts'

type Costs = Readonly<{ outcomes: number; desk: number }>

export const signalsOf = (costs: Costs): readonly SignalKind[] => [
  {
    ...{ name: 'bursts', signal: 'Burst', outcome: 'BurstOutcome' },
    groupOf: ({ tier }: Burst) => tier,
    returns: [
      { name: 'ruleRet', of: ({ ruleRet }: BurstOutcome) => ruleRet, costs: costs.outcomes },
      { name: 'ret30m', of: ({ ret30m }: BurstOutcome) => ret30m, costs: costs.outcomes },
    ],
    lookups: [{ name: 'buyers', record: 'BurstBuyers', isEmpty: ({ wallets }: BurstBuyers) => wallets === null }],
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
