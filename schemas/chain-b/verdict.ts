/**
 * The verdict about a mint of chain B. The verdict has three parts: the gate (a safety check), the scores of
 * the scouts (partial ratings), and the trader's decision from both. The verdict depends on rows of several
 * tables, and no processor has all these rows. So queries compute the verdict.
 */

import { callersRules } from '../calls/callers.ts'
import { callRules } from '../calls/rules.ts'
import { defaultsOf, duration, part, real } from '../rule-values.ts'
import { change, hours, minutes } from '../rule-words.ts'
import { dayMs } from '../units.ts'
import { type Safety, safetyReasons } from './safety.ts'

export const chainBVerdictSchema = part({
  gate: part({
    topHolderShare: real(0.3, [0, 1], 'a mint fails whose largest holder has at least this share of the supply'),
    lpLockedShare: real(0.9, [0, 1], 'and one of whose liquidity less than this is locked, once it has left its curve'),
  }),
  scouts: part({
    inflowSol: real(30, [1e-9, 1e6], 'a burst of this inflow scores 1'),
    fillGain: real(0.2, [1e-6, 1], 'a curve that fills by this share within the window of the burst scores 1'),
    top10Share: real(0.6, [1e-6, 1], 'ten holders with this share of the supply score 0'),
    win35: real(0.5, [1e-6, 1], 'callers whose calls win this often score 1'),
  }),
  callers: part({
    windowMs: duration(
      7 * dayMs,
      [dayMs, 30 * dayMs],
      'how often the calls of a caller win is looked back for this long',
    ),
    k: real(10, [0, 10_000], 'so many calls more have the rate of all callers'),
  }),
  convictionMin: real(0.6, [0, 1], 'from this mean of the scouts on the trader enters, if the gate passes'),
})

export const chainBVerdictRules = defaultsOf(chainBVerdictSchema)
const { gate: gateLimits, scouts: scoutLimits, callers: callersRule, convictionMin } = chainBVerdictRules

/**
 * The input of the gate (the safety check). `hasPool` is true if the mint had a pool when the provider
 * checked it. Without a pool there is no liquidity to lock.
 */
export type GateFacts = Pick<Safety, 'isRugged' | 'lpLockedShare' | 'topHolderShare' | 'fails'> &
  Readonly<{ mintAuthority: string | null; freezeAuthority: string | null; hasPool: boolean }>

type GateRule = Readonly<{ rule: string; text: string; matches(facts: GateFacts): boolean }>

/**
 * The rules by which a mint fails the gate. A rule does not match if the provider did not give the value that
 * it needs.
 */
export const gateRules: readonly GateRule[] = [
  { rule: 'rugged', text: 'the provider calls it rugged', matches: ({ isRugged }) => isRugged === true },
  {
    rule: 'mint-authority',
    text: 'somebody can mint more',
    matches: ({ mintAuthority }) => mintAuthority !== null,
  },
  {
    rule: 'freeze-authority',
    text: 'somebody can stop transfers',
    matches: ({ freezeAuthority }) => freezeAuthority !== null,
  },
  {
    rule: 'top-holder',
    text: `one holder has ${gateLimits.topHolderShare} of the supply or more`,
    matches: ({ topHolderShare }) => topHolderShare !== null && topHolderShare >= gateLimits.topHolderShare,
  },
  {
    rule: 'lp-unlocked',
    text: `less than ${gateLimits.lpLockedShare} of the liquidity of its deepest market is locked, once it has left its curve`,
    matches: ({ lpLockedShare, hasPool }) =>
      hasPool && lpLockedShare !== null && lpLockedShare < gateLimits.lpLockedShare,
  },
]

/**
 * The result of the gate (the safety check). `pass` is null if nothing is known about the mint. The trader
 * then does not enter. `fails` is empty unless `pass` is false.
 */
export type Gate = Readonly<{ pass: boolean | null; fails: readonly string[] }>

/**
 * Returns the result of the gate (the safety check). `fails` lists the matching rules and the names of the
 * provider's worst findings. The gate passes if `fails` is empty. `facts` is null if nothing is known about
 * the mint.
 */
export function gateOf(facts: GateFacts | null): Gate {
  if (facts === null) return { pass: null, fails: [] }
  const fails = [
    ...gateRules.filter((rule) => rule.matches(facts)).map(({ rule }) => rule),
    ...facts.fails.map((name) => `provider: ${name}`),
  ]
  return { pass: fails.length === 0, fails }
}

/** The input of the scouts (partial ratings). A field is null if its value is not known. */
export type ScoutFacts = Readonly<{
  /**
   * The newest burst of the mint. `anatomy` (its buyers and holders) is null until it becomes known, some
   * seconds after the signal.
   */
  burst: Readonly<{
    inflowSol: number
    fillFrom: number
    fillAt: number
    anatomy: Readonly<{ bundledShare: number; holdersTop10: number | null }> | null
  }> | null
  grade: Readonly<{ score: number; top10Pct: number | null }> | null
  /**
   * The mean win rate of the callers (chat posters) that named the mint. The rate of each caller was first
   * moved toward the mean of all callers. A win rate is the share of calls that reached +35 % before they
   * fell to -20 %.
   */
  callersWin35: number | null
}>

export type Scouts = Readonly<{
  flow: number | null
  curve: number | null
  holders: number | null
  callers: number | null
  composite: number | null
}>

const clamped = (value: number): number => Math.min(1, Math.max(0, value))

/** Returns the mean, or null if there are no values. */
const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const isKnown = (value: number | null | undefined): value is number => value !== null && value !== undefined

/**
 * Returns the scores of the scouts (partial ratings), from 0 (worst) to 1 (best). A score is null if its
 * input is not known.
 */
export function scoutsOf({ burst, grade, callersWin35 }: ScoutFacts): Scouts {
  const anatomy = burst?.anatomy ?? null
  const top10 = [anatomy?.holdersTop10, grade?.top10Pct].filter(isKnown)
  const spreads = [
    ...top10.map((share) => clamped(1 - share / scoutLimits.top10Share)),
    ...(grade ? [grade.score / 100] : []),
  ]
  const scouts = {
    flow: burst && anatomy && clamped(burst.inflowSol / scoutLimits.inflowSol) * (1 - anatomy.bundledShare),
    curve: burst && clamped((burst.fillAt - burst.fillFrom) / scoutLimits.fillGain),
    holders: spreads.length === 0 ? null : Math.min(...spreads),
    callers: callersWin35 === null ? null : clamped(callersWin35 / scoutLimits.win35),
  }
  return { ...scouts, composite: meanOf(Object.values(scouts).filter(isKnown)) }
}

export type Trader = Readonly<{ action: 'enter' | 'pass'; conviction: number | null }>

/**
 * Returns the trader's decision. The trader enters only if `pass` is true and `composite`, the mean of the
 * scouts' scores, is at least `convictionMin`.
 */
export const traderOf = ({ pass }: Pick<Gate, 'pass'>, { composite }: Pick<Scouts, 'composite'>): Trader => ({
  action: pass === true && composite !== null && composite >= convictionMin ? 'enter' : 'pass',
  conviction: composite,
})

const inWords = gateRules.map(({ rule, text }) => `${rule} (${text})`).join(', ')

/** All formulas and limits in words, which the API answer shows as `method`. */
export const verdictMethod = {
  safety: `What an external provider of rug checks said. It is asked at each burst, at the call that begins a 48-hour watch, and when the pool opens (asked: ${safetyReasons.join(', ')}); its newest answer of the last ${hours(callRules.watchMs)} counts. pass is null, and fails empty, if no provider is configured, none was asked, none answered within 2 min, or its answers had no content. Else the gate passes if nothing fails: ${inWords}, and each of the provider’s own findings of its worst level (provider: name). What the provider does not say fails nothing. A market is the curve’s pool or any other the provider lists, never the curve. topHolderShare is counted again from the provider’s list of holders: the curve, its pool, the accounts that hold their tokens, and what the provider calls markets or lockers are left out. score has the provider’s own scale.`,
  flow: `Of the newest burst of the last ${hours(callRules.watchMs)}: min(1, net SOL in its window / ${scoutLimits.inflowSol}) * (1 - bundledShare). Null until the anatomy of the burst is known.`,
  curve: `Of the same burst: min(1, (curve fill at the signal - at the start of its window) / ${scoutLimits.fillGain}), at least 0.`,
  holders: `The lowest of: 1 - share of the ten largest holders / ${scoutLimits.top10Share}, at least 0, as the node told at that burst and as scanner cards tell; score of the scanner grade / 100. Null if none is known.`,
  callers: `min(1, mean win35 of those who called it in the last ${hours(callRules.watchMs)} / ${scoutLimits.win35}). win35 of a caller is (wins + ${callersRule.k} * p) / (calls + ${callersRule.k}) of its scored calls on this chain in the last ${callersRule.windowMs / dayMs} days, p being wins / calls of all callers; a win is ${change(1 + callRules.hits.winRet)}% before ${change(1 + callRules.hits.lossRet)}% within ${minutes(callRules.scoreMs)}, and a post that names m > ${callersRules.tokensMax} tokens counts 1/m. Null if nobody called it or nothing is scored.`,
  composite: 'Mean of the four scores that are known.',
  trader: `enter if safety.pass is true and composite >= ${convictionMin}, else pass. conviction is composite.`,
  shadows:
    'What became of the signals that the desk looked at, whether it traded or not: returns 1, 5, 15 and 60 min after the fill price, without costs, and the highest and lowest of that hour. Each is shown once its hour is over.',
  lastTrade:
    'The paper desk’s last trade that is closed: simulated fills on prices of the log, no money. retPct is in percent of the cost, all fees deducted.',
} as const
