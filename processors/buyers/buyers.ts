/** The wallets behind a burst's buys. */
import type { SendersAnswered } from '../../schemas/chain-a/facts.ts'

/** Buyers are shown no earlier than this after the signal, however fast the lookup was. */
export const buyersDelayMs = 5000

/**
 * The distinct senders in order of their first buy; null when the lookup failed, or left out a transaction: a count of the
 * senders that happened to be known would look like a count of all.
 */
export function walletsOf(txHashes: readonly string[], answer: SendersAnswered): `0x${string}`[] | null {
  if (!answer.senders) return null
  const senderOf = new Map(answer.senders.map(({ txHash, sender }) => [txHash as string, sender]))
  const wallets = new Set<`0x${string}`>()
  for (const txHash of txHashes) {
    const sender = senderOf.get(txHash)
    if (!sender) return null
    wallets.add(sender)
  }
  return [...wallets]
}
