/** The verdict about a token of chain A, counted again from its facts. */
import type { ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import { anyText } from '../../../support/answers-oracle/chain-b/answers.ts'
import { curveAt, curveOf, type TokenCurve } from './curve.ts'
import { deskAt, type Market, postsOf, type Recorded, recordOf } from './desk.ts'
import { type Cut, envelopeOf, type Facts } from './facts.ts'
import { isRuggedAt, poolOf, profileAt, riskiestOf, type TokenPool } from './pool.ts'
import { dayMs, type VerdictRules } from './rules.ts'

/** What a token’s facts come to, whatever the rules. */
export type ChainAToken = Readonly<{
  token: string
  pools: readonly TokenPool[]
  curve: TokenCurve | null
  recorded(rules: VerdictRules): Recorded
}>

/** A pool is forgotten at this age. */
const poolLifeMs = 25.5 * 3_600_000

export function chainAToken(facts: Facts<ChainARecord>, token: string): ChainAToken {
  const its = facts.of(token).map(({ record }) => record)
  const pools = its.flatMap((record) => (record.type === 'PoolCreated' ? [poolOf(record.data, its)] : []))
  const curve = curveOf(its)
  const posts = postsOf(its.flatMap((record) => (record.type === 'Mentioned' ? [record.data] : [])))
  const markets = [...(curve ? [curve.market] : []), ...pools.map(marketOf)]
  const known = new Map<VerdictRules['chainADesk'], Recorded>()
  const recorded = ({ chainADesk }: VerdictRules) => {
    const record = known.get(chainADesk) ?? recordOf({ token, markets, posts, ticks: facts.ticks }, chainADesk)
    known.set(chainADesk, record)
    return record
  }
  return { token, pools, curve, recorded }
}

const marketOf = ({ pool, moves, bursts }: TokenPool): Market => ({
  ...{ source: 'pool', openedAtMs: pool.createdAtMs, moves, graduatedAtMs: null },
  closedAtMs: pool.createdAtMs + poolLifeMs,
  bursts: bursts.map(({ at, tier, shape }) => ({ atMs: at, tier, shape, fill: null })),
})

/** As the recount of precalls has it. */
export type Precall = Readonly<{
  postedAt: number
  tracked: boolean
  buys: number | null
  buyEth: number | null
  run60: number | null
  ageAtCallMin: number | null
  wallets: number | null
  sameBlockWallets: number | null
}>

/** All rules, the worst first. */
const levels = {
  ...{ rugged: 'avoid', 'lp-held': 'avoid', 'desk-rug': 'avoid', 'shadow-crash': 'avoid' },
  ...{ 'call-run': 'avoid', 'call-cluster': 'avoid', 'lp-unknown': 'caution', 'lp-not-profiled': 'caution' },
  ...{ 'on-curve': 'caution', 'lp-empty': 'caution', 'lp-insider': 'caution', 'call-young': 'caution' },
  ...{ 'call-buyers-unknown': 'caution', 'desk-stop': 'caution', young: 'caution' },
} as const
type Rule = keyof typeof levels

type Asking = Readonly<{ cut: Cut; rules: VerdictRules; precall: Precall | null }>

/** The body of the answer; null: the token is not tracked. */
export function chainAVerdict({ token, pools, curve, recorded }: ChainAToken, { cut, rules, precall }: Asking) {
  const { blockAtMs } = cut
  const isOfDay = ({ pool: { createdAtMs } }: TokenPool) => createdAtMs <= blockAtMs && createdAtMs > blockAtMs - dayMs
  const young = pools.filter(isOfDay)
  const onCurve = curve && curveAt(curve, blockAtMs, rules.pauseMs)
  if (young.length === 0 && onCurve === null) return null
  const v4 = young.filter(({ pool }) => pool.dex === 'v4')
  const profiles = v4.map((pool) => profileAt(pool, blockAtMs, rules))
  const classes = profiles.map((profile) => profile.class)
  const insiderShare = Math.max(0, ...profiles.map((profile) => profile.insiderShare))
  const launches = curve !== null && curve.launchedAtMs <= blockAtMs ? [curve.launchedAtMs] : []
  const ageMs = blockAtMs - Math.min(...launches, ...young.map(({ pool }) => pool.createdAtMs))
  const { lastTrade, shadows } = deskAt(recorded(rules), cut)
  const flags = precall ? flagsOf(precall, rules) : []
  const isHeld = classes.includes('held') || 100 * insiderShare >= Number(rules.heldPercent)
  const isOnPools: readonly Rule[] =
    onCurve !== null
      ? ['on-curve']
      : [
          ...rulesIf('rugged', pools.some((pool) => isRuggedAt(pool, blockAtMs, rules))),
          ...rulesIf('lp-held', isHeld),
          ...rulesIf('lp-unknown', classes.includes('unknown')),
          ...rulesIf('lp-not-profiled', v4.length === 0),
          ...rulesIf('lp-empty', classes.includes('empty')),
          ...rulesIf('lp-insider', insiderShare >= rules.insiderShare && 100 * insiderShare < Number(rules.heldPercent)),
        ]
  const matching = new Set<Rule>([
    ...isOnPools,
    ...rulesIf('desk-rug', lastTrade?.exit === 'rug'),
    ...rulesIf('shadow-crash', (shadows[0]?.mae ?? 0) <= rules.crashRet),
    ...flags.map((flag) => `call-${flag}` as const),
    ...rulesIf('call-buyers-unknown', precall !== null && areBuyersUnknown(precall)),
    ...rulesIf('desk-stop', lastTrade?.exit === 'stop'),
    ...rulesIf('young', ageMs < rules.youngMs),
  ])
  const names = Object.keys(levels) as Rule[]
  const reasons = names.filter((rule) => matching.has(rule)).map(ruleOf)
  const checkedAt = Math.max(...profiles.map(({ checkedAtMs }) => checkedAtMs))
  const onV4 = v4.length === 0 ? null : { class: riskiestOf(classes), insiderShare, pools: v4.length, checkedAt }
  return {
    ...envelopeOf('chainA', cut),
    ...{ token, verdict: reasons[0]?.level ?? 'ok', reasons, rug: onCurve ?? onV4 },
    precall: precall && shownPrecall(precall, flags),
    desk: { lastTrade, firstShadow: shadows[0] ?? null },
    ...{ tokenAgeMin: ageMs / 60_000, rules: names.map(ruleOf) },
  }
}

const ruleOf = (rule: Rule) => ({ rule, level: levels[rule], text: anyText })

const rulesIf = (rule: Rule, isMatching: boolean): readonly Rule[] => (isMatching ? [rule] : [])

type Flag = 'run' | 'young' | 'cluster'

function flagsOf({ run60, ageAtCallMin, sameBlockWallets }: Precall, rules: VerdictRules): readonly Flag[] {
  const isRun = run60 !== null && run60 >= rules.runLimit
  const isYoung = ageAtCallMin !== null && ageAtCallMin * 60_000 < rules.youngMs
  const isCluster = sameBlockWallets !== null && sameBlockWallets >= rules.clusterWallets
  return [...(isRun ? ['run' as const] : []), ...(isYoung ? ['young' as const] : []), ...(isCluster ? ['cluster' as const] : [])]
}

/** Nobody has to be known where nobody bought. */
const areBuyersUnknown = ({ tracked, buys, wallets }: Precall): boolean => !tracked || (buys !== 0 && wallets === null)

const shownPrecall = ({ postedAt, tracked, buys, buyEth, run60, ageAtCallMin, ...its }: Precall, flags: readonly Flag[]) => ({
  ...{ postedAt, tracked, flags, buys, buyEth, run60, ageAtCallMin },
  ...{ wallets: its.wallets, sameBlockWallets: its.sameBlockWallets },
})
