/** What a provider of rug checks says of a mint: its opinion, of which only the worst findings are kept by name. */
import type { SafetyAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Safety, SafetyAsked, SafetyReason } from '../../../schemas/chain-b/safety.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'

/** The level of the findings that the provider itself calls the worst. */
const worstLevel = 'danger'

export type SafetyQuestion = Pick<SafetyAsked, 'questionId' | 'reason' | 'atMs'>
type Report = NonNullable<SafetyAnswer['data']['report']>

/** Why and about which instant the provider is asked when this record appears. Null: it is not asked. */
export function occasionOf({ type, data }: ChainBTypes['derived']): Pick<SafetyQuestion, 'reason' | 'atMs'> | null {
  if (type === 'Burst') return { reason: 'burst', atMs: data.atMs }
  if (type === 'Call' && data.isFirst) return { reason: 'call', atMs: data.calledAtMs }
  // The first of its versions: the pool has just opened, and before that there was no liquidity to lock.
  if (type === 'GraduationPost' && data.ret1 === null) return { reason: 'graduation', atMs: data.anchorAtMs }
  return null
}

/** The provider tells of no slot, so the question is the same on every branch of the chain. */
export const safetyAskedOf = (
  mint: string,
  { reason, atMs }: Readonly<{ reason: SafetyReason; atMs: number }>,
): SafetyAsked => ({ questionId: `${mint}:${atMs}:${reason}`, revision: 0, atMs, reason })

/** Null: the provider said nothing, or nothing of the mint. A finding that it lists twice counts once. */
export function safetyOf(
  { provider, report, answeredAtMs }: SafetyAnswer['data'],
  reason: SafetyReason,
): Safety | null {
  if (report === null || isEmpty(report)) return null
  const { risks, ...said } = report
  const worst = risks.filter(({ level }) => level === worstLevel).map(({ name }) => name)
  return { checkedAtMs: answeredAtMs, provider, ...said, fails: [...new Set(worst)], reason }
}

/** Without a number or a finding it is that of a token which the provider has not looked at: no authority is no news then. */
function isEmpty(report: Report): boolean {
  const { score, isRugged, lpLockedShare, topHolderShare, mintAuthority, freezeAuthority, risks } = report
  const told = [score, isRugged, lpLockedShare, topHolderShare, mintAuthority, freezeAuthority]
  return risks.length === 0 && told.every((value) => value === null)
}
