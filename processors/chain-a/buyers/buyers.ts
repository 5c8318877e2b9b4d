/** Finds the wallets that sent the purchases of a burst. */
import type { SendersAnswered } from '../../../schemas/chain-a/facts.ts'
import type { Address } from '../../../schemas/units.ts'

/**
 * Returns the senders of the transactions, without duplicates, in the order of the transactions. Returns null
 * if the lookup failed or a sender is missing, because an incomplete list would look complete.
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
 * Returns a 31-bit digest of a set of transactions: FNV-1a over the sorted hashes. After a reorg with other
 * transactions, the digest differs and the senders are looked up again. With the same transactions, the
 * earlier result stays valid.
 */
export function revisionOf(txHashes: readonly string[]): number {
  let digest = 0x811c9dc5
  for (const txHash of [...txHashes].sort())
    for (let index = 0; index < txHash.length; index++)
      digest = Math.imul(digest ^ txHash.charCodeAt(index), 0x01000193)
  return (digest >>> 31) ^ (digest & 0x7fffffff)
}
