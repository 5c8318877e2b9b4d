import { type CallRules, callRules } from '../../../schemas/calls/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'

export const createCalls = (rules: CallRules) =>
  createCallsProcessor<null, ChainBTypes>(
    {
      precalling: null,
      // The liquidity of a canonical pool is burned.
      canBePulled: false,
      burstTypes: ['Burst'],
      burstOf: (record) => (record.type === 'Burst' ? { tier: 'sol', atMs: record.data.atMs } : null),
    },
    rules,
  )

export const calls = createCalls(callRules)
