/** How a name's last transaction ended: nothing in a partition tells whose mark a broker forgot there. */

import { tryAgain } from './broker-errors.ts'
import { describeTransactionCall, describeTransactionsKey } from './calls/describe-transaction-call.ts'
import { createErrorFromCode } from './kafkajs-parts.ts'
import type { Cluster } from './partition-reader.ts'

export type LastEnd = 'commit' | 'abort'

/** Of the transactional ids that this process has begun to take: the broker may not know it any more when it tries again. */
export type LastEnds = Map<string, LastEnd>

const committed = new Set(['PrepareCommit', 'CompleteCommit'])
/** Of an id that was taken, and not used since. */
const unused = 'Empty'
const transactionalIdNotFound = 105

/**
 * To be asked before the id is taken, which leaves no trace of it, and rolls back what is open. `commit` where there was
 * none, and where the broker is too old to be asked.
 */
export async function lastEnd(cluster: Cluster, transactionalId: string, patienceMs: number): Promise<LastEnd> {
  const { lastEnds, directory } = cluster
  const state = await tryAgain(() => lastState(cluster, transactionalId), {
    doing: `opening the writer ${transactionalId}`,
    patienceMs,
    beforeRetry: () => directory.forget(),
  })
  if (state !== unused) lastEnds.set(transactionalId, committed.has(state) ? 'commit' : 'abort')
  return lastEnds.get(transactionalId) ?? 'commit'
}

async function lastState({ connections, directory }: Cluster, transactionalId: string): Promise<string> {
  const node = await directory.coordinatorOf('transaction', transactionalId)
  return connections.lane('directory', node).use(async ({ versions, connectionPool }) => {
    if (!versions || !(describeTransactionsKey in versions)) return unused
    const connection = await connectionPool.getConnection(0)
    const { errorCode, state } = await connection.send(describeTransactionCall(transactionalId))
    if (errorCode === transactionalIdNotFound) return unused
    if (errorCode !== 0) throw createErrorFromCode(errorCode)
    return state
  })
}
