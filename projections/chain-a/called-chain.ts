/** Describes chain A for the queries about calls. The chain's addresses are in hex. */
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { CalledChain } from '../calls/called-chain.ts'
import { ethOfWei } from './queries/units.ts'
import { chainATradeGaps } from './tables/chain-a-trade-gaps.ts'

export const calledChainA: CalledChain = {
  stage: chainAStage,
  isToken: (address) => address.startsWith('0x'),
  hasPrecalls: true,
  gaps: { table: chainATradeGaps, coinOf: ethOfWei },
}
