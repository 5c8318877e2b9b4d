/** When a market was pulled, in the words of `method`. */
import { callRules } from '../../../schemas/calls/rules.ts'

export const pulled = `A market was pulled once so much of its liquidity has been removed that at most ${100 * callRules.rugLeftMax}% of its coin side at the anchor is left.`
