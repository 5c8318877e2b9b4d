import type { ChainBProcessor } from '../processor.ts'
import { isAnswerTo, type SafetyQuestion, safetyOf } from './safety.ts'

type SafetyState = { questions: readonly SafetyQuestion[] }

/**
 * Publishes what the provider of rug checks says of the mint of a burst: the question is that of its holders. Only the first
 * answer to a question counts. Where no provider is configured questions stay open, until the mint is closed.
 */
export const safety: ChainBProcessor<SafetyState> = {
  name: 'safety',
  initialState: () => ({ questions: [] }),
  reads: [],
  readsDerived: ['MintClosed', 'HoldersAsked'],
  onDerived(state, record) {
    if (record.type === 'MintClosed') state.questions = []
    if (record.type === 'HoldersAsked') {
      const { questionId, revision } = record.data
      state.questions = [...state.questions, { questionId, revision }]
    }
  },
  onAnswer(state, answer, context) {
    if (answer.type !== 'SafetyAnswered') return
    const open = state.questions.filter((question) => !isAnswerTo(question, answer.data))
    if (open.length === state.questions.length) return
    state.questions = open
    const said = safetyOf(answer.data)
    if (said !== null) context.emit({ type: 'Safety', data: said })
  },
  isEmpty: ({ questions }) => questions.length === 0,
}
