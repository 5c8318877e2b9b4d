import assert from 'node:assert/strict'
import { type CallRules, callRules } from '../../../schemas/calls/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'

export const createCalls = (rules: CallRules) =>
  createCallsProcessor<null, ChainBTypes>(
    {
      precalling: null,
      // Nobody can pull the liquidity of a canonical pool, because it is burned.
      canBePulled: false,
      burstTypes: ['Burst'],
      burstOf(record) {
        assert(record.type === 'Burst')
        return { tier: 'sol', atMs: record.data.atMs }
      },
    },
    rules,
  )

export const calls = createCalls(callRules)
