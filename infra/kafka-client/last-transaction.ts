/**
 * Asks the coordinator how the last transaction of a transactional id ended. The partitions cannot show this
 * if a broker lost a transaction marker.
 */
import { tryAgain } from './broker-errors.ts'
import { compactString, noTags, readCompactString } from './calls/compact-string.ts'
import type { Cluster } from './cluster.ts'
import { createErrorFromCode, type ProtocolCall } from './kafkajs-parts.ts'

export type TransactionOutcome = 'commit' | 'abort'

/**
 * The outcome of the last transaction of each transactional id. An outcome is kept while this process opens a
 * producer of the id. If the opening is retried, the coordinator may no longer have the outcome.
 */
export type LastTransactions = Map<string, TransactionOutcome>

const committed = new Set(['PrepareCommit', 'CompleteCommit'])
/** The state of a transactional id whose new producer has not begun a transaction. */
const unused = 'Empty'
const transactionalIdNotFound = 105

/**
 * Returns how the last transaction of the id ended. Call this before a new producer of the id is opened. The
 * opening aborts an open transaction and removes the outcome. Returns `commit` if there was no transaction,
 * or if the broker is too old for this request.
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
  return connections.to('directory', node).use(async ({ versions, connectionPool }) => {
    if (!versions || !(describeTransactionsKey in versions)) return unused
    const connection = await connectionPool.getConnection(0)
    const { errorCode, state } = await connection.send(describeTransactionCall(transactionalId))
    if (errorCode === transactionalIdNotFound) return unused
    if (errorCode !== 0) throw createErrorFromCode(errorCode)
    return state
  })
}

/** `state` is the protocol's name of a state, such as `CompleteAbort`. After an error, `state` is empty. */
type DescribedTransaction = Readonly<{ errorCode: number; state: string }>

/** The API key of a DescribeTransactions request (version 0), which kafkajs does not have. */
const describeTransactionsKey = 65
/** The encoded length of an array with one entry. */
const oneEntry = Buffer.of(2)

function describeTransactionCall(transactionalId: string): ProtocolCall<DescribedTransaction> {
  return {
    request: {
      apiKey: describeTransactionsKey,
      apiVersion: 0,
      apiName: 'DescribeTransactions',
      encode: async () => {
        const bytes = Buffer.concat([noTags, oneEntry, compactString(transactionalId), noTags])
        return { buf: bytes, buffer: bytes }
      },
    },
    response: { decode: async (payload) => decodeAnswer(payload), parse: async (answer) => answer },
  }
}

/**
 * Decodes an answer. After the tags of the header come the throttle time and one entry. The entry has an
 * error, the id and the state.
 */
function decodeAnswer(payload: Buffer): DescribedTransaction {
  const at = noTags.length + 4 + oneEntry.length
  const { end } = readCompactString(payload, at + 2)
  return { errorCode: payload.readInt16BE(at), state: readCompactString(payload, end).text }
}
