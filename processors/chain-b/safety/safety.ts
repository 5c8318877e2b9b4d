/** What a provider of rug checks says of a mint: its opinion, of which only the worst findings are kept by name. */
import type { HoldersAsked, Safety } from '../../../schemas/chain-b/derived.ts'
import type { SafetyAnswer } from '../../../schemas/chain-b/facts.ts'

/** The level of the findings that the provider itself calls the worst. */
const worstLevel = 'danger'

export type SafetyQuestion = Pick<HoldersAsked, 'questionId' | 'revision'>

export const isAnswerTo = (
  { questionId, revision }: SafetyQuestion,
  answer: Pick<SafetyAnswer['data'], 'questionId' | 'revision'>,
): boolean => answer.questionId === questionId && answer.revision === revision

/** Null: the provider said nothing. A finding that it lists twice counts once. */
export function safetyOf({ provider, report, answeredAtMs }: SafetyAnswer['data']): Safety | null {
  if (report === null) return null
  const { risks, ...said } = report
  const worst = risks.filter(({ level }) => level === worstLevel).map(({ name }) => name)
  return { checkedAtMs: answeredAtMs, provider, ...said, fails: [...new Set(worst)] }
}
