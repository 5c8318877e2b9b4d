/**
 * Computes the expected safety records (a provider's report on the risks of a token) from the stage's
 * requests and the answers in the log.
 */
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { SafetyAnswer } from '../../../../schemas/chain-b/facts.ts'
import type { Safety, SafetyAsked } from '../../../../schemas/chain-b/safety.ts'
import type { ChainBTypes } from '../../../../schemas/chain-b/stage.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'

/** A record that the stage derives about a token. */
type Derived = Readonly<{ token: string; record: ChainBDerived }>

type Market = Readonly<{
  log: readonly KeyedRecord<ChainBTypes>[]
  /** The records that the stage derived, with one list for each record of the log. */
  told: readonly (readonly Derived[])[]
}>

const lifeMs = 25 * 3_600_000

/** Returns the requests for safety reports that calls must cause. Other tests check the calls themselves. */
export const askedByCalls = ({ told }: Market): readonly Derived[] =>
  told.flat().flatMap(({ token, record }): readonly Derived[] => {
    if (record.type !== 'Call' || !record.data.isFirst) return []
    const { calledAtMs: atMs } = record.data
    const data = { questionId: `${token}:${atMs}:call`, revision: 0, atMs, reason: 'call' } as const
    return [{ token, record: { type: 'SafetyAsked', data } }]
  })

/**
 * Returns the expected safety records. Only the first answer to each request counts. The request must be the
 * newest request with its reason for the token, and not too old.
 */
export function safetyIn({ log, told }: Market): readonly Derived[] {
  const newest = new Map<string, SafetyAsked>()
  const answered = new Set<string>()
  let answers: readonly Readonly<{ token: string; answer: SafetyAnswer }>[] = []
  return log.flatMap(({ key, record }, index): readonly Derived[] => {
    if (record.type === 'SafetyAnswered') answers = [...answers, { token: key, answer: record }]
    if (record.type !== 'Tick') return []
    for (const { token, record: asked } of told[index] ?? [])
      if (asked.type === 'SafetyAsked') newest.set(`${token} ${asked.data.reason}`, asked.data)
    const said = answers.flatMap(({ token, answer }) => {
      const open = [...newest].find(
        ([name, { questionId }]) => name.startsWith(`${token} `) && questionId === answer.data.questionId,
      )?.[1]
      if (open === undefined || answered.has(open.questionId) || open.atMs + lifeMs < record.data.blockAtMs) return []
      answered.add(open.questionId)
      const data = saidBy(answer, open)
      return data === null ? [] : [{ token, record: { type: 'Safety', data } as const }]
    })
    answers = []
    return said
  })
}

/** Returns the provider's report. Null: the provider has no report about the token. */
function saidBy({ data: { provider, report, answeredAtMs } }: SafetyAnswer, { reason }: SafetyAsked): Safety | null {
  if (report === null) return null
  const { risks, hasPool, ...values } = report
  if (risks.length === 0 && Object.values(values).every((value) => value === null)) return null
  const names = risks.flatMap(({ name, level }) => (level === 'danger' ? [name] : []))
  return { checkedAtMs: answeredAtMs, provider, ...values, hasPool, fails: [...new Set(names)], reason }
}
