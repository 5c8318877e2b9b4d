/** The wallets behind a burst's buys. */
import type { SendersAnswered } from '../../../schemas/chain-a/facts.ts'

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

/**
 * Names a set of transactions in 31 bits (FNV-1a of its hashes in order), so that a burst whose buys were mined otherwise
 * is a question of its own, and one whose buys came again is answered already.
 */
export function revisionOf(txHashes: readonly string[]): number {
  let digest = 0x811c9dc5
  for (const txHash of [...txHashes].sort())
    for (let index = 0; index < txHash.length; index++)
      digest = Math.imul(digest ^ txHash.charCodeAt(index), 0x01000193)
  return (digest >>> 31) ^ (digest & 0x7fffffff)
}
