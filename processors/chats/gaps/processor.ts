import type { ChatProcessor } from '../processor.ts'

/** The processor that publishes when and why the service missed posts of a chat (a gap). */
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
