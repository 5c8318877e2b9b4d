import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import { createCallsProcessor } from '../../calls/processor.ts'
import { watching } from '../../calls/watch.ts'
import { chainAPrices } from '../prices.ts'
import { precalling } from './precalls.ts'

export const calls = createCallsProcessor(chainAPrices, {
  watching,
  precalling,
  burstOf: ({ type, data }: ChainADerived) => (type === 'Burst' ? { tier: data.tier, atMs: data.atMs } : null),
})
