/** The rows of bursts and graduations, as they are sold. Exit rules have their plain names here. */
import { createHash } from 'node:crypto'
import type { OracleOutcome } from './outcomes.ts'
import type { FoundBurst, FoundGraduation } from './recount.ts'
import type { Rules } from './rules.ts'

/** What a recount cannot say: nothing of a market without reorgs is superseded, and what is known is published at once. */
const knowledge = ({ knownAtMs, gaps }: Pick<FoundBurst, 'knownAtMs' | 'gaps'>) => ({
  supersedes: null,
  gaps,
  knownAt: knownAtMs,
  publishedAt: knownAtMs,
})

/** What is known is published at once. */
export const filledAt = (knownAtMs: number | undefined) =>
  knownAtMs === undefined ? null : { knownAt: knownAtMs, publishedAt: knownAtMs }

const solOf = (lamports: bigint): number => Number(lamports) / 1e9

export const burstRow = (burst: FoundBurst, rules: Rules) => ({
  id: createHash('sha1').update(`b:${burst.mint}:${burst.atMs}`).digest('hex').slice(0, 16),
  at: burst.atMs,
  mint: burst.mint,
  inflowSol: solOf(burst.inflowLamports),
  windowSec: rules.windowMs / 1000,
  curveFrom: burst.fillFrom,
  curveAt: burst.fillAt,
  tokenAgeMin: burst.ageMs / 60_000,
  anatomy: burst.anatomy && anatomyRow(burst.anatomy),
  outcome: burst.outcome === null ? { scored: false } : outcomeRow(burst.outcome),
  ...knowledge(burst),
  filled: {
    'signal+seconds': filledAt(burst.anatomy?.knownAtMs),
    'signal+30m': filledAt(burst.outcome?.scoredAt),
  },
})

const anatomyRow = ({ wallets, knownAtMs: _, ...counted }: NonNullable<FoundBurst['anatomy']>) => ({
  ...counted,
  buyers: wallets.size,
})

const outcomeRow = ({ exits, ...outcome }: OracleOutcome) => ({
  scored: true,
  ...outcome,
  ruleRet: exits.find(([name]) => name === 'live')?.[1].ret,
  byRule: Object.fromEntries(exits),
})

export const graduationRow = (graduation: FoundGraduation) => ({
  mint: graduation.mint,
  gradAt: graduation.atMs,
  source: 'bonding-curve',
  gradMin: graduation.gradMin,
  path: graduation.path,
  burst: graduation.burst && {
    at: graduation.burst.atMs,
    inflowSol: solOf(graduation.burst.inflowLamports),
    curveAt: graduation.burst.fillAt,
  },
  post: graduation.post && {
    anchorSecAfterGrad: graduation.post.anchorSecAfterGrad,
    ret1: graduation.post.rets[0],
    ret5: graduation.post.rets[1],
    ret15: graduation.post.rets[2],
  },
  ...knowledge(graduation),
  filled: { 'signal+30m': filledAt(graduation.post?.filledAtMs) },
})
