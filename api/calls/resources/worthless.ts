/**
 * Texts of the field `method` about called tokens that became worthless. The reason is pulled liquidity, or a
 * series of failed price reads.
 */
import { callRules } from '../../../schemas/calls/rules.ts'

export const pulled = `A market was pulled once so much of its liquidity has been removed that at most ${100 * callRules.rugLeftRatioMax}% of its coin side at the call is left.`

/** The number of failed price reads in a row after which a token counts as dead. */
export const deadReads = callRules.deadAfterMs / callRules.sampleEveryMs
