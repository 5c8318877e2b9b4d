/**
 * Texts of the field `method` about looked-up prices. If no followed pool or curve has a price of a token,
 * the service asks the chain's node or an external provider for the price.
 */

import { followedTokensMax, followLeadMs } from '../../../schemas/calls/retention.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { minuteMs } from '../../../schemas/units.ts'
import type { CalledChain } from '../parts.ts'

const everyMin = callRules.sampleEveryMs / minuteMs

/** In answers, a price source has this suffix if the price is looked up every `everyMin` minutes, as in `pool-asked-10m`. */
export const askedSuffix = `asked-${everyMin}m`

const followed = `The markets of a called token are followed to the end of its 48 hours, if the call became known ${followLeadMs / minuteMs} minutes or more before the service forgets them: a pool of chain A 25.5 hours after its creation, a mint of chain B 65 minutes after its curve was complete, a curve 24 hours after its last trade. Calls keep the markets of at most ${followedTokensMax} tokens of a chain at one time; a call of a further token keeps none.`

const asked = `A known pool or curve is read at the chain’s node, in coin per raw token unit; otherwise an external provider is asked, in USD per token. The first answer is the price at the call, at the instant of the answer, if it came within ${callRules.askedAnchorMs / 1000} s of the post. A question that nobody answered counts neither as a price nor as a failed read.`

/**
 * `later`: the times after the post at which the service requests prices, in words. The text also names the
 * chains without an external price provider.
 */
export function askedPricesText(chains: readonly CalledChain[], later: string): string {
  const alone = chains.filter(({ hasPriceProvider }) => !hasPriceProvider).map(({ wireName }) => wireName)
  const text = `${followed} Where the service follows no market with a price, prices are asked for: at the post and ${later}. ${asked}`
  if (alone.length === 0) return text
  return `${text} No external provider is configured for ${alone.join(' and ')}: a token there has no price while the service knows no market of it.`
}

export const everySample = `then every ${everyMin} minutes`

/**
 * The text about the prices that score a post of a caller. It lists when the service requests them, in
 * minutes after the anchor. The anchor is the price at the post.
 */
export const atMarks = `then ${callRules.askedMarksMin.join(', ')} minutes after the anchor, where an answer counts within ${callRules.askedMarkMs / 1000} s; the highest and the lowest move are of these prices, and of one token ${callRules.askedScoresMax} posts are scored so at a time`
