import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { ChainDefinition } from '../chain.ts'
import { chainAAddressBook } from './address-maps.ts'
import { factIdOf, orderInBlock } from './fact-order.ts'
import type { ChainAIngestTypes } from './types.ts'

/** The definition of chain A. It is the same for data from a node and for simulated data. */
export const chainADefinition: ChainDefinition<ChainAIngestTypes> = {
  stage: chainAStage,
  addressBook: chainAAddressBook,
  factIdOf,
  orderInBlock,
}
