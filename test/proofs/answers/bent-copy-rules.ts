/** Copies of the rules of copy trading, with one small error each. */
import { type CopyRules, copyRules } from '../../support/oracle/chain-b/copy-rules.ts'

export type BentCopyRules = Readonly<{ name: string; rules: CopyRules }>

const bent = (name: string, changed: Partial<CopyRules>): BentCopyRules => ({
  name,
  rules: { ...copyRules, ...changed },
})

export const bentCopyRules: readonly BentCopyRules[] = [
  bent('five minutes and a half in the pool', { afterCompletionMs: 330_000 }),
  bent('marks of the path a second earlier', { pathSec: copyRules.pathSec.map((sec) => sec - 1) }),
  bent('a fill in the slot of the buy', { fillAfterSlots: 0 }),
  bent('a fill two slots later', { fillAfterSlots: 2 }),
  bent('no fees', { hasFees: false }),
  bent('a quick sale within 65 s', { quickSec: 65 }),
  bent('a hit at +34 %', { hit: 1.34 }),
  bent('a miss at -10 %', { miss: 0.9 }),
  bent('a stop at -21 %', { stop: 0.79 }),
  bent('a trail from +36 %', { trailFrom: 1.36 }),
  bent('a trail of 21 %', { trail: 0.79 }),
  bent('a profit of 101 %', { takeProfit: 2.01 }),
  bent('a time stop after 31 min', { timeStopMs: 1_860_000 }),
  bent('a cap of 99 %', { cap: 0.99 }),
  bent('eleven pseudo-buys', { shrink: 11 }),
]
