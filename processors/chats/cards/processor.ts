import type { ChatProcessor } from '../processor.ts'

/**
 * The processor that publishes, for each scanner bot, the number of its posts and how many of them could not
 * be parsed.
 */
export const cardCounts: ChatProcessor<null> = {
  name: 'card-counts',
  initialState: () => null,
  reads: [],
  onAnswer(_, { data: { fromAtMs, toAtMs, bots } }, context) {
    context.emit({ type: 'CardCount', data: { fromAtMs, toAtMs, bots } })
  },
  isEmpty: () => true,
}
