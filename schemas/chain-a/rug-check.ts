import type { LpClass } from './derived.ts'

/** The most pools that a rug check lists. */
export const rugCheckPoolsMax = 50

/** Classes by risk, riskiest first. */
const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']

/** The class of a token is that of its riskiest pool. Without a pool the holders of the liquidity are not known. */
export const riskiestOf = (classes: readonly LpClass[]): LpClass =>
  byRisk.find((risk) => classes.includes(risk)) ?? 'unknown'

/** The fields that stand beside the launchpad’s object, whose name is configured. */
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
