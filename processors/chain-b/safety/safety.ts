/** The report of a provider of rug checks about a mint. A report is only an opinion. Only the worst findings are kept by name. */
import type { SafetyAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Safety, SafetyAsked, SafetyReason } from '../../../schemas/chain-b/safety.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'

/** The level that the provider gives to its worst findings. */
const worstLevel = 'danger'

export type SafetyQuestion = Pick<SafetyAsked, 'questionId' | 'reason' | 'atMs'>
type Report = NonNullable<SafetyAnswer['data']['report']>

/** Returns the reason and the instant of the question that this record causes. Null: the record causes no question. */
export function occasionOf({ type, data }: ChainBTypes['derived']): Pick<SafetyQuestion, 'reason' | 'atMs'> | null {
  if (type === 'Burst') return { reason: 'burst', atMs: data.atMs }
  if (type === 'Call' && data.isFirst) return { reason: 'call', atMs: data.calledAtMs }
  // Only the first version causes a question. It is published when the pool opens. Earlier, there is no liquidity that can be locked.
  if (type === 'GraduationPost' && data.ret1 === null) return { reason: 'graduation', atMs: data.anchorAtMs }
  return null
}

/** Builds the question. A report contains no slot, so the question is the same on every branch of the chain. */
export const safetyAskedOf = (
  mint: string,
  { reason, atMs }: Readonly<{ reason: SafetyReason; atMs: EpochMs }>,
): SafetyAsked => ({ questionId: `${mint}:${atMs}:${reason}`, revision: 0, atMs, reason })

/** Builds the record of a report. Null: the provider gave no report, or an empty report. A finding that is listed twice counts once. */
export function safetyOf(
  { provider, report, answeredAtMs }: SafetyAnswer['data'],
  reason: SafetyReason,
): Safety | null {
  if (report === null || isEmpty(report)) return null
  const { risks, ...said } = report
  const worst = risks.filter(({ level }) => level === worstLevel).map(({ name }) => name)
  return { checkedAtMs: answeredAtMs, provider, ...said, fails: [...new Set(worst)], reason }
}

/**
 * Returns whether the report has no number and no finding. The provider has not examined the token then, so a missing authority in the
 * report does not mean that the token has no authority.
 */
function isEmpty(report: Report): boolean {
  const { score, isRugged, lpLockedShare, topHolderShare, mintAuthority, freezeAuthority, risks } = report
  const told = [score, isRugged, lpLockedShare, topHolderShare, mintAuthority, freezeAuthority]
  return risks.length === 0 && told.every((value) => value === null)
}
