import assert from 'node:assert/strict'
import { type CallRules, callRules } from '../../../schemas/calls/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'

export const createCalls = (rules: CallRules) =>
  createCallsProcessor<null, ChainBTypes>(
    {
      precalling: null,
      // Nobody can withdraw the liquidity of the pool that replaces a curve, because this liquidity is
      // burned.
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
