/** Describes chain B for the queries about calls. Addresses of chain B are in base58. */
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import type { CalledChain } from '../calls/called-chain.ts'
import { solOfLamports } from './queries/units.ts'
import { chainBTradeGaps } from './tables/chain-b-trade-gaps.ts'

export const calledChainB: CalledChain = {
  stage: chainBStage,
  isToken: (address) => !address.startsWith('0x'),
  hasPrecalls: false,
  gaps: { table: chainBTradeGaps, coinOf: solOfLamports },
}
