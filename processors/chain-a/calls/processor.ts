import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'
import { type Precalls, precalling } from './precalls.ts'

export const calls = createCallsProcessor<Precalls, ChainATypes>({
  precalling,
  canBePulled: true,
  burstTypes: ['Burst'],
  burstOf: (record) => (record.type === 'Burst' ? { tier: record.data.tier, atMs: record.data.atMs } : null),
})
