import type { LpClass } from './derived.ts'

export const rugCheckPoolsMax = 50

/** Classes by risk, riskiest first. */
const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']

/** Returns the class of a token, which is the class of its riskiest pool. Without a pool the class is `unknown`. */
export const riskiestOf = (classes: readonly LpClass[]): LpClass =>
  byRisk.find((risk) => classes.includes(risk)) ?? 'unknown'

/**
 * The fields of a rug check beside the launchpad’s object. The launchpad’s object has a configured name, which must not be one of these.
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
