import assert from 'node:assert/strict'
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
      burstOf(record) {
        assert(record.type === 'Burst')
        return { tier: record.data.tier, atMs: record.data.atMs }
      },
    },
    rules,
  )

export const calls = createCalls(callRules)
