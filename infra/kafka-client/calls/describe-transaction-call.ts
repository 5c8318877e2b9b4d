/** A DescribeTransactions request (version 0) for one transactional id. kafkajs does not have this request. */
import type { ProtocolCall } from '../kafkajs-parts.ts'
import { compactString, noTags, readCompactString } from './compact-string.ts'

/** `state` is the protocol's name, such as `CompleteAbort`; empty after an error. */
export type DescribedTransaction = Readonly<{ errorCode: number; state: string }>

export const describeTransactionsKey = 65
/** The length of an array with one entry. */
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

/** After the header's tags: throttle time, one entry, its error, id and state. */
function decodeAnswer(payload: Buffer): DescribedTransaction {
  const at = noTags.length + 4 + oneEntry.length
  const { end } = readCompactString(payload, at + 2)
  return { errorCode: payload.readInt16BE(at), state: readCompactString(payload, end).text }
}
