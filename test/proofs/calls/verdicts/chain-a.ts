/** The expected verdict about a token of chain A, from its facts. */
import type { ChainAFact, ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import { linesOfChainA } from '../../../support/oracle/calls/chain-a.ts'
import { closedAtMs, deepestAt, type Markets } from '../../../support/oracle/calls/lines.ts'
import { callRules } from '../../../support/oracle/calls/rules.ts'
import { keptMarkets } from '../../../support/oracle/calls/watch.ts'
import { anyText } from '../../../support/oracle/chain-b/answers.ts'
import { riskiestOf } from '../../../support/oracle/profiles.ts'
import { curveAt, curveOf, type TokenCurve } from './curve.ts'
import { deskAt, type Market, postsOf, type Recorded, recordOf } from './desk.ts'
import { type Cut, envelopeOf, type Facts } from './facts.ts'
import { isRuggedAt, poolOf, type TokenPool } from './pool.ts'
import { profileAt } from './profile.ts'
import { dayMs, type VerdictRules } from './rules.ts'

/** The facts of a token, prepared for a verdict under any rules. */
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
  const posts = postsOf(facts.of(token))
  const kept = keptOf(its)
  const markets = [...(curve ? [curve.market] : []), ...pools.map((pool) => marketOf(pool, kept))]
  const marketAt = (atMs: number) => deepestAt(kept, atMs)?.line.market ?? null
  const known = new Map<VerdictRules['chainADesk'], Recorded>()
  const recorded = ({ chainADesk }: VerdictRules) => {
    const record =
      known.get(chainADesk) ?? recordOf({ token, markets, posts, ticks: facts.ticks, marketAt }, chainADesk)
    known.set(chainADesk, record)
    return record
  }
  return { token, pools, curve, recorded }
}

/** Returns the markets of the token. If a chat has called the token, its markets stay open for longer. */
function keptOf(records: readonly ChainARecord[]): Markets {
  const lines = linesOfChainA(records.filter((record): record is ChainAFact => 'txHash' in record.data))
  const posts = records.flatMap(({ type, data }) => (type === 'Mentioned' ? [{ mention: data, knownIn: 0 }] : []))
  return keptMarkets({ lines, posts, rules: callRules })
}

const marketOf = ({ pool, moves, bursts }: TokenPool, kept: Markets): Market => ({
  ...{ market: pool.id, source: 'pool', openedAtMs: pool.createdAtMs, moves, graduatedAtMs: null, goesOnAtMs: null },
  closedAtMs: closedAtMs(kept, pool.id) ?? pool.createdAtMs + poolLifeMs,
  bursts: bursts.map(({ at, tier, shape }) => ({ atMs: at, tier, shape, fill: null })),
})

/** A precall in the form of the recount. */
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

/** The level that each rule gives to a verdict. The most severe rules come first. */
export const levels = {
  ...{ rugged: 'avoid', 'lp-held': 'avoid', 'desk-rug': 'avoid', 'shadow-crash': 'avoid' },
  ...{ 'call-run': 'avoid', 'call-cluster': 'avoid', 'lp-unknown': 'caution', 'lp-not-profiled': 'caution' },
  ...{ 'on-curve': 'caution', 'lp-empty': 'caution', 'lp-insider': 'caution', 'call-young': 'caution' },
  ...{ 'call-buyers-unknown': 'caution', 'desk-stop': 'caution', young: 'caution' },
} as const
type Rule = keyof typeof levels

type Asking = Readonly<{ cut: Cut; rules: VerdictRules; precall: Precall | null }>

/** The body of the answer. Null: the token is not tracked. */
export function chainAVerdict(its: ChainAToken, { cut, rules, precall }: Asking) {
  const { token, pools, curve } = its
  const { blockAtMs } = cut
  const isOfDay = ({ pool: { createdAtMs } }: TokenPool) => createdAtMs <= blockAtMs && createdAtMs > blockAtMs - dayMs
  const young = pools.filter(isOfDay)
  const onCurve = curve && curveAt(curve, blockAtMs, rules.pauseMs)
  if (young.length === 0 && onCurve === null) return null
  const liquidity = liquidityOf(its, young, { blockAtMs, rules })
  const launches = curve !== null && curve.launchedAtMs <= blockAtMs ? [curve.launchedAtMs] : []
  const ageMs = blockAtMs - Math.min(...launches, ...young.map(({ pool }) => pool.createdAtMs))
  const { lastTrade, shadows } = deskAt(its.recorded(rules), cut)
  const flags = precall ? flagsOf(precall, rules) : []
  const matching = new Set<Rule>([
    ...(onCurve === null ? liquidity.rules : ['on-curve' as const]),
    ...flags.map((flag) => `call-${flag}` as const),
    ...rulesIf({
      'desk-rug': lastTrade?.exit === 'rug',
      'desk-stop': lastTrade?.exit === 'stop',
      'shadow-crash': (shadows[0]?.mae ?? 0) <= rules.crashRet,
      'call-buyers-unknown': precall !== null && areBuyersUnknown(precall),
      young: ageMs < rules.youngMs,
    }),
  ])
  const names = Object.keys(levels) as Rule[]
  const reasons = names.filter((rule) => matching.has(rule)).map(ruleOf)
  return {
    ...envelopeOf('chainA', cut),
    ...{ token, verdict: reasons[0]?.level ?? 'ok', reasons, rug: onCurve ?? liquidity.shown },
    precall: precall && shownPrecall(precall, flags),
    desk: { lastTrade, firstShadow: shadows[0] ?? null },
    ...{ tokenAgeMin: ageMs / 60_000, rules: names.map(ruleOf) },
  }
}

type Judging = Readonly<{ blockAtMs: number; rules: VerdictRules }>

/** `young` are the pools of the last day. A rug of an older pool counts for the token too. */
function liquidityOf({ pools }: ChainAToken, young: readonly TokenPool[], { blockAtMs, rules }: Judging) {
  const v4 = young.filter(({ pool }) => pool.dex === 'v4')
  const profiles = v4.map((pool) => profileAt(pool, blockAtMs, rules))
  const classes = profiles.map((profile) => profile.class)
  const insiderShare = Math.max(0, ...profiles.map((profile) => profile.insiderShare))
  const isHeld = 100 * insiderShare >= Number(rules.heldPercent)
  const checkedAt = Math.max(...profiles.map(({ checkedAtMs }) => checkedAtMs))
  return {
    rules: rulesIf({
      rugged: pools.some((pool) => isRuggedAt(pool, blockAtMs, rules)),
      'lp-held': classes.includes('held') || isHeld,
      'lp-unknown': classes.includes('unknown') && !rules.ignored.includes('lp-unknown'),
      'lp-not-profiled': v4.length === 0,
      'lp-empty': classes.includes('empty'),
      'lp-insider': insiderShare >= rules.insiderShare && !isHeld,
    }),
    shown: v4.length === 0 ? null : { class: riskiestOf(classes), insiderShare, pools: v4.length, checkedAt },
  }
}

const rulesIf = (matches: Readonly<Partial<Record<Rule, boolean>>>): readonly Rule[] =>
  (Object.keys(matches) as Rule[]).filter((rule) => matches[rule])

const ruleOf = (rule: Rule) => ({ rule, level: levels[rule], text: anyText })

type Flag = 'run' | 'young' | 'cluster'

function flagsOf({ run60, ageAtCallMin, sameBlockWallets }: Precall, rules: VerdictRules): readonly Flag[] {
  const flags: readonly (readonly [Flag, boolean])[] = [
    ['run', run60 !== null && run60 >= rules.runLimit],
    ['young', ageAtCallMin !== null && ageAtCallMin * 60_000 < rules.youngMs],
    ['cluster', sameBlockWallets !== null && sameBlockWallets >= rules.clusterWallets],
  ]
  return flags.flatMap(([flag, isMatching]) => (isMatching ? [flag] : []))
}

/**
 * Returns true if the buyers before the call are unknown. A call without any buys before it has no unknown
 * buyers.
 */
const areBuyersUnknown = ({ tracked, buys, wallets }: Precall): boolean => !tracked || (buys !== 0 && wallets === null)

const shownPrecall = (
  { postedAt, tracked, buys, buyEth, run60, ageAtCallMin, ...its }: Precall,
  flags: readonly Flag[],
) => ({
  ...{ postedAt, tracked, flags, buys, buyEth, run60, ageAtCallMin },
  ...{ wallets: its.wallets, sameBlockWallets: its.sameBlockWallets },
})
