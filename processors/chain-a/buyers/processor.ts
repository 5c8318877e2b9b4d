import type { BurstBuyers, SendersAsked } from '../../../schemas/chain-a/derived.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { walletsOf } from './buyers.ts'

type Question = {
  asked: SendersAsked
  isDue: boolean
  /** The wallets in the first result of the lookup. Undefined: there is no result yet. */
  wallets: BurstBuyers['wallets'] | undefined
}

/**
 * Lookups of a burst's senders, by id. A lookup is deleted when its result has come and the delay has passed.
 */
type Questions = Map<string, Question>

/**
 * Creates the processor that publishes the buyers of a burst. It uses the first result of the lookup of the
 * senders, at the earliest `delayMs` after the burst. Later results are ignored.
 */
export const createBuyers = ({ delayMs }: ChainANumbers['buyers']): ChainAProcessor<Questions> => ({
  name: 'buyers',
  initialState: () => new Map(),
  readsDerived: ['SendersAsked', 'PoolClosed'],
  onDerived(state, record, context) {
    if (record.type === 'SendersAsked') {
      state.set(record.data.questionId, { asked: record.data, isDue: false, wallets: undefined })
      context.wakeAt(record.data.atMs + delayMs)
    }
    if (record.type === 'PoolClosed')
      for (const [id, { asked }] of state) if (asked.pool === record.data.pool) state.delete(id)
  },
  onWake(state, dueAtMs, context) {
    for (const question of state.values()) {
      if (question.asked.atMs + delayMs !== dueAtMs) continue
      question.isDue = true
      settle(state, question, context)
    }
  },
  onAnswer(state, { type, data: answer }, context) {
    if (type !== 'SendersAnswered') return
    const question = state.get(answer.questionId)
    if (question?.asked.revision !== answer.revision || question.wallets !== undefined) return
    question.wallets = walletsOf(question.asked.txHashes, answer)
    settle(state, question, context)
  },
  isEmpty: (state) => state.size === 0,
})

export const buyers = createBuyers(chainANumbers.buyers)

function settle(state: Questions, { asked, isDue, wallets }: Question, context: ChainAContext): void {
  if (!isDue || wallets === undefined) return
  state.delete(asked.questionId)
  context.emit({ type: 'BurstBuyers', data: { pool: asked.pool, tier: asked.tier, atMs: asked.atMs, wallets } })
}
