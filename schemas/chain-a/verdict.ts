/**
 * The rules of the verdict about a token of chain A. The verdict depends on rows of several tables, and no
 * processor has all these rows. So queries compute the verdict.
 */
import type { PrecallFlag } from '../calls/derived.ts'
import { callRules } from '../calls/rules.ts'
import type { DeskExit } from '../desk/derived.ts'
import { defaultsOf, part, real } from '../rule-values.ts'
import { minutes, percent } from '../rule-words.ts'
import type { DurationMs } from '../units.ts'
import type { LpClass } from './derived.ts'
import { chainANumbers } from './numbers.ts'

/** The levels that a matching verdict rule gives, worst first. */
export const verdictLevels = ['avoid', 'caution'] as const
export type VerdictLevel = (typeof verdictLevels)[number]

/** The verdicts, worst first. The verdict is `ok` if no rule matches. */
export const verdicts = [...verdictLevels, 'ok'] as const
export type Verdict = (typeof verdicts)[number]

export const chainAVerdictSchema = part({
  insiderShare: real(0.2, [0, 1], 'insiders with this share of the liquidity of a v4 pool are a reason for caution'),
})

const { lengthMs, rugLeftRatioMax } = chainANumbers.outcomes
const verdictLimits = {
  ...defaultsOf(chainAVerdictSchema),
  /** The smallest share of the liquidity held by insiders with which the class of a pool is `held`. */
  heldShare: chainANumbers.liquidity.heldBpsMin / 10_000,
  youngMs: callRules.youngMs,
  /** The price crashed if the lowest return in the hour after the signal is at most this value. */
  crashRet: callRules.hits.rugRet,
} as const

/**
 * What the service knew about a token at a given time. A rule does not match on an unknown value, unless the
 * rule's text says so.
 */
export type TokenFacts = Readonly<{
  /** The liquidity classes of the token's v4 pools. Empty as long as the token is on its curve. */
  lpClasses: readonly LpClass[]
  /** The largest share of the liquidity that insiders hold in one v4 pool. 0 if the token has no v4 pool. */
  insiderShare: number
  hasV3PoolsAlone: boolean
  isOnCurve: boolean
  /** Whether the outcome of a burst in a pool of the token has a rug (pulled liquidity). */
  isRugged: boolean
  ageMs: DurationMs | null
  precallFlags: readonly PrecallFlag[]
  /** True if a chat post named (called) the token, but the buyers before the post are not known. */
  areBuyersUnknown: boolean
  /** How the paper desk (the simulated trading) closed its last trade of the token. */
  lastExit: DeskExit | null
  /**
   * The lowest return in the hour after the token's first signal. It comes from the first finished shadow (a
   * record of the returns after a signal, without a trade).
   */
  shadowMae: number | null
}>

export type Reason = Readonly<{ rule: string; level: VerdictLevel; text: string }>
type VerdictRule = Reason & Readonly<{ matches(facts: TokenFacts): boolean }>

/** The verdict rules, worst first. The reasons of a verdict are in the same order. */
export const verdictRules: readonly VerdictRule[] = [
  {
    ...{ rule: 'rugged', level: 'avoid' },
    text: `A burst of the last 24 h in a pool of the token was scored with a rug: at least ${percent(1 - rugLeftRatioMax)}% of the liquidity was removed within ${minutes(lengthMs)}.`,
    matches: ({ isRugged }) => isRugged,
  },
  {
    ...{ rule: 'lp-held', level: 'avoid' },
    text: `The creator of a v4 pool, or who added liquidity, holds at least ${percent(verdictLimits.heldShare)}% of it and can withdraw it.`,
    matches: ({ lpClasses, insiderShare }) => lpClasses.includes('held') || insiderShare >= verdictLimits.heldShare,
  },
  {
    ...{ rule: 'desk-rug', level: 'avoid' },
    text: 'The last closed trade of the paper desk ended with a rug.',
    matches: ({ lastExit }) => lastExit === 'rug',
  },
  {
    ...{ rule: 'shadow-crash', level: 'avoid' },
    text: `The price fell by ${percent(-verdictLimits.crashRet)}% or more in the hour after the first signal that the desk looked at.`,
    matches: ({ shadowMae }) => shadowMae !== null && shadowMae <= verdictLimits.crashRet,
  },
  {
    ...{ rule: 'call-run', level: 'avoid' },
    text: `The price had risen to ${callRules.runRatioMin} times or more in the hour before the call.`,
    matches: ({ precallFlags }) => precallFlags.includes('run'),
  },
  {
    ...{ rule: 'call-cluster', level: 'avoid' },
    text: `${callRules.clusterWallets} wallets or more bought in one block in the ${minutes(callRules.precallMs)} before the call.`,
    matches: ({ precallFlags }) => precallFlags.includes('cluster'),
  },
  {
    ...{ rule: 'lp-unknown', level: 'caution' },
    text: 'Who holds the liquidity of a v4 pool is not established.',
    matches: ({ lpClasses }) => lpClasses.includes('unknown'),
  },
  {
    ...{ rule: 'lp-not-profiled', level: 'caution' },
    text: 'The token has v3 pools alone, whose liquidity is not profiled.',
    matches: ({ hasV3PoolsAlone }) => hasV3PoolsAlone,
  },
  {
    ...{ rule: 'on-curve', level: 'caution' },
    text: 'The token is on its launchpad curve: there is no liquidity to pull, but its creator and early buyers can sell into it.',
    matches: ({ isOnCurve }) => isOnCurve,
  },
  {
    ...{ rule: 'lp-empty', level: 'caution' },
    text: 'A v4 pool has no liquidity: none was added, or it was removed.',
    matches: ({ lpClasses }) => lpClasses.includes('empty'),
  },
  {
    ...{ rule: 'lp-insider', level: 'caution' },
    text: `The creator of a v4 pool, or who added liquidity, holds ${percent(verdictLimits.insiderShare)}% to ${percent(verdictLimits.heldShare)}% of it.`,
    matches: ({ insiderShare }) => insiderShare >= verdictLimits.insiderShare && insiderShare < verdictLimits.heldShare,
  },
  {
    ...{ rule: 'call-young', level: 'caution' },
    text: `The token was less than ${minutes(callRules.youngMs)} old when it was called.`,
    matches: ({ precallFlags }) => precallFlags.includes('young'),
  },
  {
    ...{ rule: 'call-buyers-unknown', level: 'caution' },
    text: 'The token was called, and who bought before the call is not known, or not yet.',
    matches: ({ areBuyersUnknown }) => areBuyersUnknown,
  },
  {
    ...{ rule: 'desk-stop', level: 'caution' },
    text: 'The last closed trade of the paper desk ended at its stop.',
    matches: ({ lastExit }) => lastExit === 'stop',
  },
  {
    ...{ rule: 'young', level: 'caution' },
    text: `The token is less than ${minutes(verdictLimits.youngMs)} old.`,
    matches: ({ ageMs }) => ageMs !== null && ageMs < verdictLimits.youngMs,
  },
]

const reasonOf = ({ rule, level, text }: VerdictRule): Reason => ({ rule, level, text })

export const verdictRulesInWords: readonly Reason[] = verdictRules.map(reasonOf)

/** Returns the level of the worst matching rule, and all matching rules, worst first. */
export function verdictOf(facts: TokenFacts): Readonly<{ verdict: Verdict; reasons: readonly Reason[] }> {
  const reasons = verdictRules.filter((rule) => rule.matches(facts)).map(reasonOf)
  return { verdict: reasons[0]?.level ?? 'ok', reasons }
}
