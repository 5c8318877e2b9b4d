import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createCallsProcessor } from '../../calls/processor.ts'
import { type Watch, watching } from '../../calls/watch.ts'
import { type ChainBPrices, chainBPrices } from '../prices.ts'

export const calls = createCallsProcessor<ChainBPrices, Watch, null, ChainBTypes>(chainBPrices, {
  watching,
  precalling: null,
  burstTypes: ['Burst'],
  burstOf: (record) => (record.type === 'Burst' ? { tier: 'sol', atMs: record.data.atMs } : null),
})
