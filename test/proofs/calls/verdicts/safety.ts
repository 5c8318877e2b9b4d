/** Computes the safety gate of a mint of chain B, from the answers of the rug check provider. */
import type { ChainBRecord, SafetyAnswer } from '../../../../schemas/chain-b/facts.ts'
import { base58Of } from '../../../support/oracle/chain-b/base58.ts'
import type { VerdictRules } from './rules.ts'

type Gate = Readonly<{ isIn(atMs: number): boolean; gradAtMs: number; rules: VerdictRules }>
type Answer = SafetyAnswer['data']
type Report = NonNullable<Answer['report']>

const unknown = {
  ...{ pass: null, fails: [], asked: null, provider: null, checkedAt: null, score: null, lpLockedShare: null },
  ...{ mintAuthority: null, freezeAuthority: null, topHolderShare: null },
}

/** Returns the reason of a rug check request, which is the last part of its id. */
const askedBy = ({ questionId }: Answer): string => questionId.split(':')[2] ?? ''

/** If two answers have the same time, the one whose reason comes first in this list counts. */
const byReason = ['graduation', 'call', 'burst']

/**
 * Returns the safety fields of a verdict. Only the first answer to each request counts. The newest of these
 * answers with a report decides.
 */
export function safetyOf(records: readonly ChainBRecord[], { isIn, gradAtMs, rules }: Gate) {
  const answers = new Map<string, Answer>()
  for (const { type, data } of records)
    if (type === 'SafetyAnswered' && !answers.has(data.questionId)) answers.set(data.questionId, data)
  const [newest] = [...answers.values()]
    .filter(({ answeredAtMs }) => isIn(answeredAtMs))
    .flatMap((answer) => (answer.report === null || isEmpty(answer.report) ? [] : [{ answer, report: answer.report }]))
    .sort(
      ({ answer: one }, { answer: other }) =>
        other.answeredAtMs - one.answeredAtMs || byReason.indexOf(askedBy(one)) - byReason.indexOf(askedBy(other)),
    )
  if (newest === undefined) return unknown
  const { answer, report } = newest
  const { provider, answeredAtMs: checkedAt } = answer
  const { score, mintAuthority, freezeAuthority, lpLockedShare, topHolderShare } = report
  const fails = failsOf(report, { hasPool: report.hasPool === true || gradAtMs <= checkedAt, rules })
  return {
    ...{ pass: fails.length === 0, fails, asked: askedBy(answer), provider, checkedAt, score, lpLockedShare },
    mintAuthority: mintAuthority && base58Of(mintAuthority),
    freezeAuthority: freezeAuthority && base58Of(freezeAuthority),
    topHolderShare,
  }
}

/** Whether the report has no values and no risks. */
function isEmpty({ risks, hasPool: _, ...said }: Report): boolean {
  return risks.length === 0 && Object.values(said).every((value) => value === null)
}

export const gateRules = ['rugged', 'mint-authority', 'freeze-authority', 'top-holder', 'lp-unlocked'] as const

/** There is no liquidity to lock before the pool opens. */
function failsOf(report: Report, { hasPool, rules }: Readonly<{ hasPool: boolean; rules: VerdictRules }>) {
  const { isRugged, mintAuthority, freezeAuthority, lpLockedShare, topHolderShare, risks } = report
  const judged: Readonly<Record<(typeof gateRules)[number], boolean>> = {
    rugged: isRugged === true && !rules.ignored.includes('provider: rugged'),
    'mint-authority': mintAuthority !== null && !rules.ignored.includes('mint-authority'),
    'freeze-authority': freezeAuthority !== null,
    'top-holder': topHolderShare !== null && topHolderShare >= rules.topHolderShare,
    'lp-unlocked': hasPool && lpLockedShare !== null && lpLockedShare < rules.lpLockedShare,
  }
  return [
    ...gateRules.filter((rule) => judged[rule]),
    ...new Set(risks.filter(({ level }) => level === 'danger').map(({ name }) => `provider: ${name}`)),
  ]
}
