import type { ChatProcessor } from '../processor.ts'

/** Publishes the counts of posts by scanner bots that could not be parsed. */
export const cardCounts: ChatProcessor<null> = {
  name: 'card-counts',
  initialState: () => null,
  reads: [],
  onAnswer(_, { data: { fromAtMs, toAtMs, bots } }, context) {
    context.emit({ type: 'CardCount', data: { fromAtMs, toAtMs, bots } })
  },
  isEmpty: () => true,
}
