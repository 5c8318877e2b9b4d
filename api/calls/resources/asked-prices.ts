/** Prices that were asked for, because the service follows no market that has one: in the words of `method`. */
import { callRules } from '../../../schemas/calls/rules.ts'
import type { CalledChain } from '../world.ts'

const minuteMs = 60_000
const everyMin = callRules.sampleEveryMs / minuteMs

/** The end of the name of a price source whose prices are asked for. */
export const askedSuffix = `asked-${everyMin}m`

/** `later`: when it is asked for after the post. Where there is nobody to ask, the text says for which chains. */
export function askedPricesText(chains: readonly CalledChain[], later: string): string {
  const alone = chains.filter(({ hasPriceProvider }) => !hasPriceProvider).map(({ wireName }) => wireName)
  const asked = `Where the service follows no market of a token, its price is asked for, at the post and ${later}. A known pool or curve is read at the chain’s node, in coin per raw token unit; otherwise an external provider is asked, in USD per token. The first answer is the price at the call if it came within ${callRules.askedAnchorMs / 1000} s of the post. A question that nobody answered counts neither as a price nor as a failed read.`
  if (alone.length === 0) return asked
  return `${asked} No external provider is configured for ${alone.join(' and ')}: calls there have no price while the service follows no market of their token.`
}

export const everySample = `then every ${everyMin} minutes`
