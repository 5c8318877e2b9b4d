import type { LpClass } from './derived.ts'

export const rugCheckPoolsMax = 50

/** The liquidity classes of pools, riskiest first. A class says who can pull the liquidity. */
const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']

/**
 * Returns the liquidity class of a token, which is the class of the token's riskiest pool. If the token has
 * no pool, the class is `unknown`.
 */
export const riskiestOf = (classes: readonly LpClass[]): LpClass =>
  byRisk.find((risk) => classes.includes(risk)) ?? 'unknown'

/**
 * The names of the fields in the API answer of a rug check, except the object about the launchpad. The name
 * of that object is configured, and must not be one of these names.
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
