import { chatsStage } from '../../schemas/chats/stage.ts'
import type { ChainDefinition } from '../chain.ts'
import type { ChatsIngestTypes } from './types.ts'

/** The chats, wherever their posts come from. */
export const chatsDefinition: ChainDefinition<ChatsIngestTypes> = {
  stage: chatsStage,
  addressBook: {
    keyPrefix: 'chats/',
    forgetAfterMs: 0,
    keyOf: () => '',
    createMaps: () => ({ known: null, put: () => {}, drop: () => {}, expired: () => [] }),
  },
  factIdOf: ({ data: { blockNumber } }) => String(blockNumber),
  // Each fact is a block of its own.
  orderInBlock: () => 0,
}
