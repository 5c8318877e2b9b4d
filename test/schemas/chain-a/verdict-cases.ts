/** Lists the rules of the verdict. For each rule there are facts on both sides of its limits. */
import type { TokenFacts, VerdictLevel } from '../../../schemas/chain-a/verdict.ts'

export const minuteMs = 60_000

/** Facts to which no rule of the verdict applies. */
export const calm: TokenFacts = {
  ...{ lpClasses: ['safe'], insiderShare: 0, hasV3PoolsAlone: false, isOnCurve: false, isRugged: false },
  ...{ ageMs: 30 * minuteMs, precallFlags: [], areBuyersUnknown: false, lastExit: null, shadowMae: null },
}

type RuleCase = Readonly<{
  rule: string
  level: VerdictLevel
  fits: readonly Partial<TokenFacts>[]
  fitsNot: readonly Partial<TokenFacts>[]
}>

export const ruleCases: readonly RuleCase[] = [
  { rule: 'rugged', level: 'avoid', fits: [{ isRugged: true }], fitsNot: [{}] },
  {
    ...{ rule: 'lp-held', level: 'avoid' },
    fits: [{ lpClasses: ['held'] }, { lpClasses: ['safe', 'held'] }, { insiderShare: 0.5 }, { insiderShare: 1 }],
    fitsNot: [{ lpClasses: ['unknown', 'empty', 'safe'], insiderShare: 0.4999 }],
  },
  {
    ...{ rule: 'desk-rug', level: 'avoid' },
    fits: [{ lastExit: 'rug' }],
    fitsNot: [{ lastExit: 'stop' }, { lastExit: 'graduated' }],
  },
  {
    ...{ rule: 'shadow-crash', level: 'avoid' },
    fits: [{ shadowMae: -0.8 }, { shadowMae: -1 }],
    fitsNot: [{ shadowMae: -0.7999 }, { shadowMae: 0 }],
  },
  {
    ...{ rule: 'call-run', level: 'avoid' },
    fits: [{ precallFlags: ['run'] }],
    fitsNot: [{ precallFlags: ['young', 'cluster'] }],
  },
  {
    ...{ rule: 'call-cluster', level: 'avoid' },
    fits: [{ precallFlags: ['young', 'cluster'] }],
    fitsNot: [{ precallFlags: ['run', 'young'] }],
  },
  {
    ...{ rule: 'lp-unknown', level: 'caution' },
    fits: [{ lpClasses: ['safe', 'unknown'] }],
    fitsNot: [{ lpClasses: ['held', 'empty'] }],
  },
  {
    ...{ rule: 'lp-not-profiled', level: 'caution' },
    fits: [{ hasV3PoolsAlone: true, lpClasses: [] }],
    fitsNot: [{ lpClasses: [] }],
  },
  { rule: 'on-curve', level: 'caution', fits: [{ isOnCurve: true, lpClasses: [] }], fitsNot: [{}] },
  {
    ...{ rule: 'lp-empty', level: 'caution' },
    fits: [{ lpClasses: ['empty'] }, { lpClasses: ['safe', 'empty'] }],
    fitsNot: [{ lpClasses: ['unknown'] }],
  },
  {
    ...{ rule: 'lp-insider', level: 'caution' },
    fits: [{ insiderShare: 0.2 }, { insiderShare: 0.4999 }],
    fitsNot: [{ insiderShare: 0.1999 }, { insiderShare: 0.5 }],
  },
  {
    ...{ rule: 'call-young', level: 'caution' },
    fits: [{ precallFlags: ['young'] }],
    fitsNot: [{ precallFlags: ['run', 'cluster'] }],
  },
  { rule: 'call-buyers-unknown', level: 'caution', fits: [{ areBuyersUnknown: true }], fitsNot: [{}] },
  {
    ...{ rule: 'desk-stop', level: 'caution' },
    fits: [{ lastExit: 'stop' }],
    fitsNot: [{ lastExit: 'trail' }, { lastExit: 'rug' }],
  },
  {
    ...{ rule: 'young', level: 'caution' },
    fits: [{ ageMs: 0 }, { ageMs: 30 * minuteMs - 1 }],
    fitsNot: [{ ageMs: 30 * minuteMs }, { ageMs: null }],
  },
]
