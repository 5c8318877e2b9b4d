/** When a called token is worth nothing, in the words of `method`. */
import { callRules } from '../../../schemas/calls/rules.ts'

export const pulled = `A market was pulled once so much of its liquidity has been removed that at most ${100 * callRules.rugLeftRatioMax}% of its coin side at the call is left.`

/** So many failed reads make a token dead. */
export const deadReads = callRules.deadAfterMs / callRules.sampleEveryMs
