import { type CallRules, callRules } from '../../../schemas/calls/rules.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'
import { createPrecalling, type Precalls } from './precalls.ts'

export const createCalls = (rules: CallRules) =>
  createCallsProcessor<Precalls, ChainATypes>(
    {
      precalling: createPrecalling(rules),
      canBePulled: true,
      burstTypes: ['Burst'],
      burstOf: (record) => (record.type === 'Burst' ? { tier: record.data.tier, atMs: record.data.atMs } : null),
    },
    rules,
  )

export const calls = createCalls(callRules)
