/**
 * A DescribeTransactions request (version 0) about one transactional id: how its last transaction stands. The client that
 * this stands on does not know the request.
 */
import type { ProtocolCall } from '../kafkajs-parts.ts'
import { compactString, noTags, readCompactString } from './compact-string.ts'

/** `state`: in the protocol's words, such as `CompleteAbort`. Empty where there is an error. */
export type DescribedTransaction = Readonly<{ errorCode: number; state: string }>

export const describeTransactionsKey = 65
/** A length of one, as arrays have it here. */
const oneEntry = Buffer.of(2)

export function describeTransactionCall(transactionalId: string): ProtocolCall<DescribedTransaction> {
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

/** After the header's tags: how long the client was held up, one entry, its error, id and state. */
function decodeAnswer(payload: Buffer): DescribedTransaction {
  const at = noTags.length + 4 + oneEntry.length
  const { end } = readCompactString(payload, at + 2)
  return { errorCode: payload.readInt16BE(at), state: readCompactString(payload, end).text }
}
