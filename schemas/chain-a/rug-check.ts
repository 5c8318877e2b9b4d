import type { LpClass } from './derived.ts'

export const rugCheckPoolsMax = 50

/** The classes of liquidity holders by risk, riskiest first. */
const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']

/**
 * Returns the class of a token, which is the class of the token's riskiest pool. If the token has no pool,
 * the class is `unknown`.
 */
export const riskiestOf = (classes: readonly LpClass[]): LpClass =>
  byRisk.find((risk) => classes.includes(risk)) ?? 'unknown'

/**
 * The fields of a rug check, except the object about the launchpad. That object has a configured name, which
 * must not be one of these names.
 */
export const rugCheckFields = [
  'chain',
  'schemaVersion',
  'generatedAt',
  'ageSec',
  'token',
  'class',
  'pools',
  'poolsLeftOut',
  'note',
] as const
