import { chatsStage } from '../../schemas/chats/stage.ts'
import type { ChainDefinition } from '../chain.ts'
import type { ChatsIngestTypes } from './types.ts'

/** The properties of the chats as a source of facts. They are the same for real and for simulated chats. */
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
