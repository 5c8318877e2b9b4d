import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import { createCallsProcessor } from '../../calls/processor.ts'
import { watching } from '../../calls/watch.ts'
import { chainBPrices } from '../prices.ts'

export const calls = createCallsProcessor(chainBPrices, {
  watching,
  precalling: null,
  burstOf: (record: ChainBDerived) => (record.type === 'Burst' ? { tier: 'sol', atMs: record.data.atMs } : null),
})
