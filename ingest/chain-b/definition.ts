import { chainBStage } from '../../schemas/chain-b/stage.ts'
import type { ChainDefinition } from '../chain.ts'
import { chainBAddressBook } from './address-maps.ts'
import { factIdOf, orderInBlock } from './fact-order.ts'
import type { ChainBIngestTypes } from './types.ts'

/** The parts of chain B that are the same for a real node and for the simulator. */
export const chainBDefinition: ChainDefinition<ChainBIngestTypes> = {
  stage: chainBStage,
  addressBook: chainBAddressBook,
  factIdOf,
  orderInBlock,
}
