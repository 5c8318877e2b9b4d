/** The maximum number of open requests. They are sent in several batches. */
const askedAtOnceMax = 200

/**
 * Sends a request for each question, at most 200 at the same time. Returns the answers in the order of the
 * questions.
 */
export async function askMany<Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let at = 0; at < questions.length; at += askedAtOnceMax)
    answers.push(...(await Promise.all(questions.slice(at, at + askedAtOnceMax).map(ask))))
  return answers
}
