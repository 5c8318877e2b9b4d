/**
 * Builds the record of a provider's report on the safety of a token. Only the names of the worst findings are
 * kept.
 */
import type { SafetyAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Safety, SafetyAsked, SafetyReason } from '../../../schemas/chain-b/safety.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'

/** The level that the provider gives to its worst findings. */
const worstLevel = 'danger'

export type SafetyQuestion = Pick<SafetyAsked, 'questionId' | 'reason' | 'atMs'>
type Report = NonNullable<SafetyAnswer['data']['report']>

/**
 * Returns the reason and the time of the safety lookup that this record causes. Returns null if the record
 * causes none.
 */
export function occasionOf({ type, data }: ChainBTypes['derived']): Pick<SafetyQuestion, 'reason' | 'atMs'> | null {
  if (type === 'Burst') return { reason: 'burst', atMs: data.atMs }
  if (type === 'Call' && data.isFirst) return { reason: 'call', atMs: data.calledAtMs }
  // This is the version of the record that is published when the pool opens. Before that, there is no
  // liquidity that could be locked.
  if (type === 'GraduationPost' && data.ret1 === null) return { reason: 'graduation', atMs: data.anchorAtMs }
  return null
}

/**
 * Builds the request for a safety report. A report does not depend on a slot, so after a reorg the request
 * stays the same.
 */
export const safetyAskedOf = (
  mint: string,
  { reason, atMs }: Readonly<{ reason: SafetyReason; atMs: EpochMs }>,
): SafetyAsked => ({ questionId: `${mint}:${atMs}:${reason}`, revision: 0, atMs, reason })

/**
 * Builds the record of a safety report. Returns null if the provider gave no report or an empty one. A
 * repeated finding is listed one time.
 */
export function safetyOf(
  { provider, report, answeredAtMs }: SafetyAnswer['data'],
  reason: SafetyReason,
): Safety | null {
  if (report === null || isEmpty(report)) return null
  const { risks, ...result } = report
  const worst = risks.filter(({ level }) => level === worstLevel).map(({ name }) => name)
  return { checkedAtMs: answeredAtMs, provider, ...result, fails: [...new Set(worst)], reason }
}

/**
 * Returns whether the report has no number, no finding and no authority. The provider has then not examined
 * the token. So null as mint authority does not mean that nobody can mint.
 */
function isEmpty(report: Report): boolean {
  const { score, isRugged, lpLockedShare, topHolderShare, mintAuthority, freezeAuthority, risks } = report
  const reported = [score, isRugged, lpLockedShare, topHolderShare, mintAuthority, freezeAuthority]
  return risks.length === 0 && reported.every((value) => value === null)
}
