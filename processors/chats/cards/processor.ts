import type { ChatProcessor } from '../processor.ts'

/** Publishes, for each scanner bot, the number of its posts and the number of posts that could not be parsed. */
export const cardCounts: ChatProcessor<null> = {
  name: 'card-counts',
  initialState: () => null,
  reads: [],
  onAnswer(_, { data: { fromAtMs, toAtMs, bots } }, context) {
    context.emit({ type: 'CardCount', data: { fromAtMs, toAtMs, bots } })
  },
  isEmpty: () => true,
}
