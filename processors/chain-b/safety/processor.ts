import { hourMs } from '../../../schemas/units.ts'
import type { ChainBProcessor } from '../processor.ts'
import { occasionOf, type SafetyQuestion, safetyAskedOf, safetyOf } from './safety.ts'

/** The open questions, at most one for each reason. */
type SafetyState = { questions: readonly SafetyQuestion[] }

/**
 * The age at which an open question is deleted, in ms. Ingest does not look up questions of this age. Without
 * a provider, ingest answers no question.
 */
export const questionLifeMs = 25 * hourMs

/**
 * Asks the provider of rug checks about a mint on three occasions: at each burst, at the call that opens a watch, and at the opening of the
 * mint's pool. Publishes the answer. Only the first answer to a question counts. A newer question replaces an open question with the same
 * reason.
 */
export const safety: ChainBProcessor<SafetyState> = {
  name: 'safety',
  stateVersion: 2,
  initialState: () => ({ questions: [] }),
  reads: [],
  readsDerived: ['Burst', 'Call', 'GraduationPost'],
  onDerived(state, record, context) {
    const occasion = occasionOf(record)
    if (occasion === null) return
    const asked = safetyAskedOf(context.token, occasion)
    const { questionId, reason, atMs } = asked
    state.questions = [...state.questions.filter((its) => its.reason !== reason), { questionId, reason, atMs }]
    context.emit({ type: 'SafetyAsked', data: asked })
    context.wakeAt(atMs + questionLifeMs)
  },
  onWake(state, dueAtMs) {
    state.questions = state.questions.filter(({ atMs }) => atMs + questionLifeMs !== dueAtMs)
  },
  onAnswer(state, answer, context) {
    if (answer.type !== 'SafetyAnswered') return
    const question = state.questions.find(({ questionId }) => questionId === answer.data.questionId)
    if (question === undefined) return
    state.questions = state.questions.filter((its) => its !== question)
    const result = safetyOf(answer.data, question.reason)
    if (result !== null) context.emit({ type: 'Safety', data: result })
  },
  isEmpty: ({ questions }) => questions.length === 0,
}
