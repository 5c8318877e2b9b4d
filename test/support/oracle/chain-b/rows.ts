/**
 * Builds the rows of bursts and graduations as the service sells them. Here, exit rules have their names and
 * not the ids that answers show.
 */
import { createHash } from 'node:crypto'
import type { FoundBurst, FoundGraduation } from './recount.ts'
import type { Rules } from './rules.ts'

/**
 * Returns the fields about when a row was known. The test data has no reorgs, so no row supersedes another.
 * Each row is published as soon as it is known.
 */
const knowledge = ({ knownAtMs, gaps }: Pick<FoundBurst, 'knownAtMs' | 'gaps'>) => ({
  supersedes: null,
  gaps,
  knownAt: knownAtMs,
  publishedAt: knownAtMs,
})

/** Returns the times of a value. The value is published as soon as it is known. */
export const filledAt = (knownAtMs: number | null | undefined) =>
  knownAtMs == null ? null : { knownAt: knownAtMs, publishedAt: knownAtMs }

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
  outcome: burst.outcome === null ? { scored: false } : outcomeRow(burst, burst.outcome),
  ...knowledge(burst),
  filled: {
    'signal+seconds': filledAt(burst.anatomy?.knownAtMs),
    'signal+30m': filledAt(burst.outcome?.knownAtMs),
  },
})

const anatomyRow = ({ wallets, knownAtMs: _, ...counted }: NonNullable<FoundBurst['anatomy']>) => ({
  ...counted,
  buyers: wallets.size,
})

type KnownOutcome = NonNullable<FoundBurst['outcome']>

const outcomeRow = ({ atMs }: FoundBurst, { completion, exits, ...outcome }: KnownOutcome) => ({
  scored: true,
  scoredAt: outcome.knownAtMs,
  graduated: completion !== null,
  gradMin: completion && (completion.atMs - atMs) / 60_000,
  peakRet: outcome.peakRet,
  gradRet: completion && outcome.lastRet,
  ret20m: completion ? null : outcome.lastRet,
  nonStandardCurve: outcome.isNonStandardCurve,
  ruleRet: exits.find(({ rule }) => rule === 'live')?.ret,
  byRule: Object.fromEntries(exits.map(({ rule, ret, why, sec }) => [rule, { ret, why: why.replace('_', '-'), sec }])),
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
    anchorSecAfterGrad: (graduation.post.anchorAtMs - graduation.atMs) / 1000,
    ret1: graduation.post.rets[0],
    ret5: graduation.post.rets[1],
    ret15: graduation.post.rets[2],
  },
  ...knowledge(graduation),
  filled: { 'signal+30m': filledAt(graduation.filledAtMs) },
})
