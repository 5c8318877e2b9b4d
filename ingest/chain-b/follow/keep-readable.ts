import type { Logger } from '../../../infra/telemetry.ts'
import type { NodeTransaction } from '../node/reader.ts'
import { type EventTransaction, eventsIn } from './read-events.ts'

/**
 * Returns the transactions that succeeded and have events. A transaction that cannot be decoded is reported
 * to the logger and dropped, because a retry would not help.
 */
export function keepReadable(
  transactions: readonly NodeTransaction[],
  logger: Pick<Logger, 'error'>,
): readonly EventTransaction[] {
  return transactions.flatMap((transaction) => {
    const found = eventsIn(transaction)
    if (found.kind === 'read') return found.transaction.events.length === 0 ? [] : [found.transaction]
    if (found.kind === 'refused') {
      const { signature: txHash, slot } = transaction
      logger.error(
        { txHash, slot, reason: found.reason },
        'a transaction of a watched program cannot be decoded and is left out of the log',
      )
    }
    return []
  })
}
