/** The wallets behind a burst's buys. */
import type { SendersAnswered } from '../../../schemas/chain-a/facts.ts'
import type { Address } from '../../../schemas/units.ts'

/**
 * The distinct senders in order of their first buy. Null if the lookup failed or missed a transaction, because a count of only some
 * senders would look complete.
 */
export function walletsOf(txHashes: readonly string[], answer: SendersAnswered): Address[] | null {
  if (!answer.senders) return null
  const senderOf = new Map(answer.senders.map(({ txHash, sender }) => [txHash as string, sender]))
  const wallets = new Set<Address>()
  for (const txHash of txHashes) {
    const sender = senderOf.get(txHash)
    if (!sender) return null
    wallets.add(sender)
  }
  return [...wallets]
}

/**
 * A 31-bit digest of a set of transactions: FNV-1a over the sorted hashes. After a reorg, a burst with other transactions is a new
 * question; one with the same transactions keeps its answer.
 */
export function revisionOf(txHashes: readonly string[]): number {
  let digest = 0x811c9dc5
  for (const txHash of [...txHashes].sort())
    for (let index = 0; index < txHash.length; index++)
      digest = Math.imul(digest ^ txHash.charCodeAt(index), 0x01000193)
  return (digest >>> 31) ^ (digest & 0x7fffffff)
}
