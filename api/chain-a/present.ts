/** Table rows → the resources of the answers. The only place that shapes a number for the outside. */
import { createHash, createHmac } from 'node:crypto'
import type { BurstRow, MinuteRow, OutcomeRow, PoolRow } from '../../projections/chain-a/queries/chain-a-views.ts'
import type { StageCut as Cut } from '../../projections/cuts.ts'
import { exitReasonNames, type Pool, type RhBurst, type RhLp, type RhOutcome } from '../../schemas/chain-a/resources.ts'
import { chainARules } from '../../schemas/chain-a/rules.ts'

/** The names the outside sees and the key that makes rule ids opaque. */
export type Presentation = Readonly<{ chainName: string; launchpadKey: string; ruleIdSecret: string }>

const minuteMs = 60_000

/** What every answer says of itself. */
export const bareEnvelopeOf = (cut: Cut, chainName: string) => ({
  chain: chainName,
  schemaVersion: 1 as const,
  generatedAt: cut.atMs,
  ageSec: Math.max(0, Math.floor((cut.atMs - cut.blockAtMs) / 1000)),
})

export const envelopeOf = (cut: Cut, chainName: string) => ({
  ...bareEnvelopeOf(cut, chainName),
  // The route has refused with `warming_up` while no price is known.
  ethUsd: cut.coinPrice?.usd ?? Number.NaN,
  rules: chainARules,
})

/** First 16 hex digits of sha1 over `a:pool:tier:at`. */
const burstId = ({ pool, tier, atMs }: Pick<BurstRow, 'pool' | 'tier' | 'atMs'>): string =>
  createHash('sha1').update(`a:${pool}:${tier}:${atMs}`).digest('hex').slice(0, 16)

/** Stable and opaque; the baseline keeps its name. */
const ruleId = (rule: string, secret: string): string =>
  rule === 'hold' ? rule : `r${createHmac('sha256', secret).update(rule).digest('hex').slice(0, 12)}`

export const presentBurst = (row: BurstRow, { ruleIdSecret }: Presentation): RhBurst => ({
  id: burstId(row),
  at: row.atMs,
  token: row.token,
  pool: row.pool,
  tier: row.tier,
  dex: row.dex,
  shape: row.shape,
  inflowEth: row.inflowEth,
  buys: row.buys,
  sells: row.sells,
  windowSec: row.windowSec,
  poolAgeMin: row.poolAgeMin,
  sameSizeMax: row.sameSizeMax,
  top3Share: row.top3Share,
  sizeCV: row.sizeCv,
  buyers: row.buyers,
  repeatBuyers: row.repeatBuyers,
  lp: presentLp(row),
  outcome: presentOutcome(row.outcome, ruleIdSecret),
  supersedes: row.supersedesAtMs === null ? null : burstId({ ...row, atMs: row.supersedesAtMs }),
  knownAt: row.knownAtMs,
  publishedAt: row.publishedAtMs,
})

function presentLp({ lp, atMs }: BurstRow): RhLp | null {
  if (lp === null) return null
  const { firstAddAtMs, lpAdds, class: lpClass, ...shares } = lp
  return {
    // A burst in a pool without liquidity: nobody can be named who holds it.
    class: lpClass === 'empty' ? 'unknown' : lpClass,
    ...shares,
    lpAgeMin: firstAddAtMs === null ? 0 : (atMs - firstAddAtMs) / minuteMs,
    estimated: false,
  }
}

function presentOutcome(row: OutcomeRow | null, ruleIdSecret: string): RhOutcome {
  if (row === null) return { scored: false }
  const exits = row.exits.map(({ rule, ret, why, sec }) => [
    ruleId(rule, ruleIdSecret),
    { ret, why: exitReasonNames[why], sec },
  ])
  return {
    scored: true,
    scoredAt: row.scoredAtMs,
    ret30m: row.ret30m,
    peakRet: row.peakRet,
    ruleRet: row.ruleRet,
    byRule: Object.fromEntries(exits),
    rug: row.rug,
  }
}

export const presentPool = (row: PoolRow, cut: Cut): Pool => ({
  id: row.pool,
  dex: row.dex,
  token: row.token,
  createdBlock: row.createdBlock,
  ageMin: Math.max(0, cut.blockAtMs - row.createdAtMs) / minuteMs,
  lastPx: row.lastPx,
  liqEth: row.liqEth,
  lastSwapAt: row.lastSwapAtMs,
  net60m: row.net60mEth,
  buys60m: row.buys60m,
  sells60m: row.sells60m,
  fired: [...row.fired],
})

/** In the order of `minuteColumns`. */
export const presentMinute = (row: MinuteRow): number[] => [
  row.minuteAtMs,
  row.netEth,
  row.buyEth,
  row.sellEth,
  row.buys,
  row.sells,
]
