/** The chats in the API: what is sold of calls. Its stage is that of the chats. */
import { chatsStage } from '../../schemas/chats/stage.ts'
import type { ApiChain } from '../chain.ts'

export const createCalls = (): ApiChain => ({
  stage: chatsStage,
  routes: [],
  snapshot: null,
  sample: null,
  counts: async () => ({ bursts24h: 0, poolsTracked: 0 }),
  // What is pushed of calls is in the derived records of the chains.
  stream: null,
  headlineOf: () => null,
})
