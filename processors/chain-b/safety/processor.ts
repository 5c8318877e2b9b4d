import { hourMs } from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import type { ChainBProcessor } from '../processor.ts'
import { occasionOf, type SafetyQuestion, safetyAskedOf, safetyOf } from './safety.ts'

/** The requested safety lookups that have no result yet, at most one for each reason. */
type SafetyState = { questions: readonly SafetyQuestion[] }

/**
 * The age at which a requested lookup is deleted, in ms. Ingest does not answer a request of this age.
 * Without a configured provider, ingest answers no request.
 */
export const questionLifeMs = 25 * hourMs

/**
 * The processor that requests a safety report about a token from an outside provider. It does so at each
 * burst, at the first call of an observation, and when the token's pool opens. It publishes the first result.
 * A newer request replaces a waiting request with the same reason.
 */
export const safety: ChainBProcessor<SafetyState> = {
  name: 'safety',
  stateVersion: 2,
  initialState: () => ({ questions: noItems }),
  reads: [],
  readsDerived: ['Burst', 'Call', 'GraduationPost'],
  onDerived(state, record, context) {
    const occasion = occasionOf(record)
    if (occasion === null) return
    const asked = safetyAskedOf(context.token, occasion)
    const { questionId, reason, atMs } = asked
    state.questions = withItem(
      state.questions.filter((its) => its.reason !== reason),
      { questionId, reason, atMs },
    )
    context.emit({ type: 'SafetyAsked', data: asked })
    context.wakeAt(atMs + questionLifeMs)
  },
  onWake(state, dueAtMs) {
    state.questions = keptOf(state.questions, ({ atMs }) => atMs + questionLifeMs !== dueAtMs)
  },
  onAnswer(state, answer, context) {
    if (answer.type !== 'SafetyAnswered') return
    const question = state.questions.find(({ questionId }) => questionId === answer.data.questionId)
    if (question === undefined) return
    state.questions = keptOf(state.questions, (its) => its !== question)
    const result = safetyOf(answer.data, question.reason)
    if (result !== null) context.emit({ type: 'Safety', data: result })
  },
  isEmpty: ({ questions }) => questions.length === 0,
}
