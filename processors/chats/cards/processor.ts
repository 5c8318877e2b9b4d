import type { ChatProcessor } from '../processor.ts'

/** Publishes how many posts of scanner bots could not be read, as they were counted. */
export const cardCounts: ChatProcessor<null> = {
  name: 'card-counts',
  initialState: () => null,
  reads: [],
  onAnswer(_, { data: { fromAtMs, toAtMs, bots } }, context) {
    context.emit({ type: 'CardCount', data: { fromAtMs, toAtMs, bots } })
  },
  isEmpty: () => true,
}
