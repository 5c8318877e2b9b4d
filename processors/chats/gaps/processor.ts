import type { ChatProcessor } from '../processor.ts'

/** Publishes the gaps of a chat: when and why posts were missed. */
export const gaps: ChatProcessor<null> = {
  name: 'gaps',
  initialState: () => null,
  reads: ['ChatGapFound'],
  onFact(_, fact, context) {
    if (fact.type !== 'ChatGapFound') return
    const { fromAtMs, toAtMs, reason } = fact.data
    context.emit({ type: 'ChatGap', data: { fromAtMs, toAtMs, reason } })
  },
  isEmpty: () => true,
}
