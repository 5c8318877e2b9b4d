import { chatsStage } from '../../schemas/chats/stage.ts'
import type { ChainDefinition } from '../chain.ts'
import type { ChatsIngestTypes } from './types.ts'

/** The definition of the chats. It is the same for posts of a platform and of the simulator. */
export const chatsDefinition: ChainDefinition<ChatsIngestTypes> = {
  stage: chatsStage,
  addressBook: {
    keyPrefix: 'chats/',
    forgetAfterMs: 0,
    keyOf: () => '',
    createMaps: () => ({ known: null, put: () => {}, drop: () => {}, expired: () => [] }),
  },
  factIdOf: ({ data: { blockNumber } }) => String(blockNumber),
  // Each fact has a block of its own.
  orderInBlock: () => 0,
}
