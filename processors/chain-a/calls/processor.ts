import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'
import { type Watch, watching } from '../../calls/watch.ts'
import { type ChainAPrices, chainAPrices } from '../prices.ts'
import { type Precalls, precalling } from './precalls.ts'

export const calls = createCallsProcessor<ChainAPrices, Watch, Precalls, ChainATypes>(chainAPrices, {
  watching,
  precalling,
  burstTypes: ['Burst'],
  burstOf: (record) => (record.type === 'Burst' ? { tier: record.data.tier, atMs: record.data.atMs } : null),
})
