/**
 * How the last transaction of a transactional id ended. A partition does not show whose marker the broker lost there.
 */
import { tryAgain } from './broker-errors.ts'
import { describeTransactionCall, describeTransactionsKey } from './calls/describe-transaction-call.ts'
import type { Cluster } from './cluster.ts'
import { createErrorFromCode } from './kafkajs-parts.ts'

export type TransactionOutcome = 'commit' | 'abort'

/**
 * Outcomes by transactional id. They are kept while this process opens a producer, because at a retry the broker may
 * have dropped them.
 */
export type LastTransactions = Map<string, TransactionOutcome>

const committed = new Set(['PrepareCommit', 'CompleteCommit'])
/** The state of an id with a new producer and no transaction since then. */
const unused = 'Empty'
const transactionalIdNotFound = 105

/**
 * Must be called before a new producer of the id is opened, because that aborts an open transaction and removes the
 * outcome. Returns `commit` if there was no transaction, or if the broker is too old for this request.
 */
export async function lastTransactionOf(
  cluster: Cluster,
  transactionalId: string,
  patienceMs: number,
): Promise<TransactionOutcome> {
  const { lastTransactions, directory } = cluster
  const state = await tryAgain(() => lastState(cluster, transactionalId), {
    doing: `opening the writer ${transactionalId}`,
    patienceMs,
    beforeRetry: () => directory.forget(),
  })
  if (state !== unused) lastTransactions.set(transactionalId, committed.has(state) ? 'commit' : 'abort')
  return lastTransactions.get(transactionalId) ?? 'commit'
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
