/** They travel in batches of the node's size, several at the same time. */
const askedAtOnceMax = 200

/** The answers in the order of the questions, of which only so many are open at the same time. */
export async function askMany<Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let at = 0; at < questions.length; at += askedAtOnceMax)
    answers.push(...(await Promise.all(questions.slice(at, at + askedAtOnceMax).map(ask))))
  return answers
}
