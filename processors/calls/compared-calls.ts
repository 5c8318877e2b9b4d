/**
 * Describes how a backtest compares scored calls (posts that recommend a token). No trading costs are
 * deducted from the returns.
 */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type { Mentioned } from '../../schemas/calls/facts.ts'
import type { ComparedKind } from '../signals.ts'

export const scoredCalls: ComparedKind = {
  ...{ name: 'calls', signal: 'CallScored', outcome: null },
  knownBy: {
    type: 'Mentioned',
    factRow: ({ chat, post, postedAtMs }: Mentioned) => ({ name: `${chat}:${post}`, atMs: postedAtMs }),
  },
  groupOf: ({ unscored }: CallScored) => (unscored === null ? 'scored' : 'not scored'),
  returns: [{ name: 'ret60', of: ({ ret60 }: CallScored) => ret60, costs: 0 }],
  lookups: [],
}
